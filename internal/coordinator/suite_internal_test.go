package coordinator

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/tolerance"
)

// queuedSuite archives a suite of queued runs, as a killed coordinator leaves it.
func queuedSuite(t *testing.T, dir string, ids ...string) {
	t.Helper()
	c := openCoordinator(t, dir)
	r := resultstest.NewRun(t, c.archive, "TEMPLATE", 1, 5, 1, 5)
	template, err := c.archive.Run(t.Context(), "TEMPLATE.1")
	require.NoError(t, err)
	r.Record.State.Life.Status, r.Record.State.Life.Phase, r.Record.State.Life.Shards = result.Queued, -1, nil
	r.Record.State.Agents = nil
	queued, err := r.Record.ToArchive()
	require.NoError(t, err)
	var runs []archive.RunRecord
	for i, id := range ids {
		run := queued
		run.ID, run.Suite, run.Repeat, run.Agents = id, "S", i+1, nil
		runs = append(runs, run)
	}
	suite, err := c.archive.Suite(t.Context(), "TEMPLATE")
	require.NoError(t, err)
	suite.ID, suite.Status = "S", result.Queued
	require.NoError(t, c.archive.CreateSuite(t.Context(), suite, runs))
	template.Status = result.Cancelled
	require.NoError(t, c.archive.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{template}, Suite: "TEMPLATE", Status: result.Cancelled}))
	require.NoError(t, c.Close(t.Context()))
}

// All of a suite is cancelled, also when the caller does not wait.
func TestASuiteIsCancelledWholeWhenItsCallerGoesAway(t *testing.T) {
	dir := t.TempDir()
	queuedSuite(t, dir, "S.1", "S.2", "S.3")
	c := openCoordinator(t, dir)
	commands, err := c.endSuite(t.Context(), "S", lifecycle.CancelAsked{By: "ann"})
	require.NoError(t, err)
	require.Len(t, commands, 3)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.cancelRuns(gone, "S", commands); err != nil {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Eventually(t, func() bool {
		s, err := c.archive.Suite(t.Context(), "S")
		require.NoError(t, err)
		return s.Status == result.Cancelled
	}, tolerance.Patience, 10*time.Millisecond)
	runs, err := c.archive.Runs(t.Context(), "S")
	require.NoError(t, err)
	for _, r := range runs {
		require.Equal(t, "cancelled by ann", r.Reason)
	}
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.suites) == 0
	}, tolerance.Patience, 10*time.Millisecond, "the state of an ended suite is dropped")
}
