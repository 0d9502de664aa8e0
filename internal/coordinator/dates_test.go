package coordinator_test

import (
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// dates reads the dates of a suite's run and its timeline from the archive of a closed harness.
func (h *harness) dates(id string) (archive.RunRecord, []time.Time) {
	h.t.Helper()
	h.close()
	store, err := sqlite.Open(h.t.Context(), h.dir, slog.New(slog.DiscardHandler))
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, store.Close(h.t.Context())) }()
	run, err := store.Run(h.t.Context(), id+".1")
	require.NoError(h.t, err)
	events, err := store.Events(h.t.Context(), id+".1")
	require.NoError(h.t, err)
	var at []time.Time
	for _, e := range events {
		h.t.Log(e.At, e.Phase, e.Offset, e.Kind, e.Text)
		at = append(at, e.At)
	}
	return run, at
}

// A wall clock that is set while a run goes on moves neither its dates nor its figures.
func TestAWallClockThatIsSetMovesNoTimeline(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"forward": 5 * time.Hour, "back": -8 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.close()
				h.skew.Jumps = []clock.Jump{{After: 5 * time.Second, By: by}}
				began := time.Now()
				h.open()
				later := clock.NewSource(h.skew) // a clock that is set after the coordinator's
				a := newFakeAgent(h, "a").connect()
				id := h.submitRun(1, "duration=1m")
				a.ready()
				start := a.begin()
				a.window(start.GetId(), 0, 5, "OK", false)
				require.Eventually(t, func() bool { return time.Until(later.Wall()).Abs() > time.Hour }, patience, 10*time.Millisecond)
				a.cancel()
				h.event(id, "agent a is not connected")
				a.hold(start)
				a.connect()
				a.window(start.GetId(), 1, 5, "OK", true)
				a.ended(start.GetId(), 2, 5)
				h.until(id, result.Complete)
				agents, err := h.runs.Agents(t.Context(), &benchdv1.AgentsRequest{})
				require.NoError(t, err)
				require.WithinDuration(t, time.Now().Add(by), agents.GetAgents()[0].GetLastHeard().AsTime(), time.Minute, "it is a date of now")
				again, err := h.submit(&benchdv1.SubmitRequest{Agents: 1}, "duration=1m")
				require.NoError(t, err)
				h.cancel(again)
				created := h.result(again).Provenance.Created
				require.WithinDuration(t, time.Now().Add(by), created, time.Minute, "what is new has the new date")
				require.Equal(t, created.Format("20060102"), again[:8])

				run, at := h.dates(id)
				require.WithinDuration(t, began, run.Started, time.Minute)
				require.WithinDuration(t, run.Started, run.Ended, time.Minute)
				require.Greater(t, len(at), 1)
				require.True(t, slices.IsSortedFunc(at, time.Time.Compare))
				require.WithinDuration(t, began, at[len(at)-1], time.Minute)
			})
		})
	}
}

// restarted starts a run of a minute, and restarts the coordinator with another date while it goes on. The agent, which
// still has to connect, holds the run.
func restarted(t *testing.T, by time.Duration) (h *harness, a *fakeAgent, id string, start *benchdv1.Start) {
	t.Helper()
	h, a, id, start = measuring(t, "duration=1m")
	a.window(start.GetId(), 0, 5, "OK", false)
	a.acked(0)
	h.close()
	h.skew.Offset = by
	h.open()
	a.hold(start)
	return h, a, id, start
}

// The end of a run can be reported before the clock of its agent is known again.
func TestARunThatEndsBeforeItsTimeIsKnownAgainKeepsItsDates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := restarted(t, 5*time.Hour)
		a.hello.Held[0].Timebase = nil // its clock cannot be used
		a.connect()
		a.window(start.GetId(), 1, 5, "OK", true)
		a.ended(start.GetId(), 2, 5)
		h.until(id, result.Complete)
		run, at := h.dates(id)
		require.WithinDuration(t, run.Started, run.Ended, time.Minute)
		require.True(t, slices.IsSortedFunc(at, time.Time.Compare))
		require.WithinDuration(t, run.Started, at[len(at)-1], time.Minute)
	})
}

// Setting the wall clock while the coordinator is down moves neither a run's dates nor the first operations.
func TestARestartWithAnotherDateMovesNoTimeline(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"forward": 5 * time.Hour, "back": -8 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, a, id, start := restarted(t, by)
				h.event(id, "agent a is not connected")
				a.connect()
				a.window(start.GetId(), 1, 5, "OK", true)
				a.ended(start.GetId(), 2, 5)
				h.until(id, result.Complete)
				began := h.result(id).Start
				require.NotNil(t, began)
				require.InDelta(t, 0, began.Agents[0].LateMS, 10_000, "it began when it was planned")

				run, at := h.dates(id)
				require.WithinDuration(t, began.Planned, run.Started, time.Second)
				require.WithinDuration(t, run.Started, run.Ended, time.Minute)
				require.True(t, slices.IsSortedFunc(at, time.Time.Compare))
				require.WithinDuration(t, run.Started, at[len(at)-1], time.Minute)
				require.Greater(t, len(at), 2)
			})
		})
	}
}
