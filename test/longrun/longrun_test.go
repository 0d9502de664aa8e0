package longrun_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/test/longrun"
	"github.com/benchd/benchd/test/testcluster"
)

// The run is a good one, and has all that a report can show of a long run.
func TestMake(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	longrun.Make(t, dir, 600)
	store, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()
	s := results.New(results.Config{
		Archive: store, Reader: all.Targets().Reader(), Version: "test", Clock: clock.NewSource(clock.Skew{}), Quarantine: quarantine.NewList(log), Logger: log,
	})
	text, err := s.JSON(t.Context(), longrun.ID)
	require.NoError(t, err)
	var run result.Run
	require.NoError(t, json.Unmarshal(text, &run))
	testcluster.RequireConsistent(t, run, longrun.Agents)
	p := run.Phases[0]
	require.Len(t, p.Operations, len(longrun.Operations()))
	require.Len(t, p.Series, 600)
	require.Len(t, p.Observations, 40)
	require.Len(t, p.Observations[0].Points, 600)
	require.Len(t, p.Actions, 1)
	dips := 0
	for _, i := range p.Incidents {
		if i.Dip != nil && *i.Dip {
			dips++
		}
	}
	require.Equal(t, 2, dips, "of the action, and of the lost server")
}
