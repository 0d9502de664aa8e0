package coordinator_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// counted is an archive that counts how often its suites are listed.
type counted struct {
	coordinator.Archive
	lists atomic.Int32
}

func (c *counted) Select(ctx context.Context, query archive.SuiteQuery) ([]archive.SuiteSummary, error) {
	c.lists.Add(1)
	return c.Archive.Select(ctx, query)
}

// slow is an archive that blocks windows until it is released.
type slow struct {
	coordinator.Archive
	asked chan struct{} // has a value as soon as windows wait
	let   chan struct{}
}

func (s *slow) AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.let:
		return s.Archive.AddWindows(ctx, windows)
	}
}

// A window that waits for the archive while its run is sealed is refused: a result that has been read does not change.
func TestAWindowThatWaitsWhileItsRunIsSealedIsRefused(t *testing.T) {
	t.Parallel()
	at := &slow{asked: make(chan struct{}, 1), let: make(chan struct{})}
	h := &harness{t: t, dir: t.TempDir(), grace: 30 * time.Second, wrap: func(opened coordinator.Archive) coordinator.Archive {
		at.Archive = opened
		return at
	}}
	h.open()
	t.Cleanup(h.close)
	a := newFakeAgent(h, "a").connect()
	id, err := h.submit(&benchdv1.SubmitRequest{WaitAgents: wait()})
	require.NoError(t, err)
	a.ready()
	start := a.begin()
	a.window(start.GetId(), 0, 20, "OK", true)
	select {
	case <-at.asked:
	case <-time.After(patience):
		require.Fail(t, "no window arrives")
	}
	a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: start.GetId(), Phase: "measure", EndedNs: 1e8, Final: true, Error: "out of memory",
	}}})
	h.until(id, result.Failed)
	before := h.result(id)
	close(at.let)
	a.acked(0)
	require.EqualValues(t, 1, h.counter("benchd_windows_refused_total"))
	require.Zero(t, h.counter("benchd_windows_merged_total"))
	h.close()
	h.open()
	require.Equal(t, before, h.result(id), "as the archive has it")
}

// A coordinator uses the archive that it is given, and closes it.
func TestACoordinatorTakesAnyArchive(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	opened, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err)
	given := &counted{Archive: opened}
	c, err := coordinator.New(t.Context(), coordinator.Config{DataDir: dir, Archive: given})
	require.NoError(t, err)
	before := given.lists.Load()
	_, err = c.List(t.Context(), &benchdv1.ListRequest{})
	require.NoError(t, err)
	require.Equal(t, before+1, given.lists.Load())
	require.NoError(t, c.Close(t.Context()))
	again, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err, "it is closed")
	require.NoError(t, again.Close(t.Context()))
}

// A coordinator that has no time to write the log of its archive back ends well: the next one does that.
func TestACoordinatorThatClosesInAHurryLosesNothing(t *testing.T) {
	config := coordinator.Config{DataDir: t.TempDir()}
	c, err := coordinator.New(t.Context(), config)
	require.NoError(t, err)
	hurry, end := context.WithTimeout(t.Context(), 0)
	defer end()
	require.NoError(t, c.Close(hurry))
	next, err := coordinator.New(t.Context(), config)
	require.NoError(t, err, "the archive is free")
	require.NoError(t, next.Close(t.Context()))
}
