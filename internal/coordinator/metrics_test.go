package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// metric is the one series of a name, nil where there is none.
func (h *harness) metric(name string) *dto.Metric {
	h.t.Helper()
	families, err := h.registry.Gather()
	require.NoError(h.t, err)
	for _, f := range families {
		if f.GetName() == name {
			require.Len(h.t, f.GetMetric(), 1, name)
			return f.GetMetric()[0]
		}
	}
	return nil
}

func (h *harness) counter(name string) float64 { return h.metric(name).GetCounter().GetValue() }

// Windows are counted as merged, repeated or refused. A window that comes long after its end is late, also one that was
// kept while the agent was away.
func TestWindowsAreCountedByWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := measuring(t, "duration=10m", "interval=60s")
		for seq := range 3 {
			a.window(start.GetId(), seq, 10, "OK", false)
			a.acked(seq)
		}
		a.window(start.GetId(), 1, 10, "OK", false)
		a.acked(1)
		require.Eventually(t, func() bool { return h.metric("benchd_window_delay_seconds").GetHistogram().GetSampleCount() == 3 }, patience, time.Millisecond)
		require.EqualValues(t, 3, h.counter("benchd_windows_merged_total"))
		require.EqualValues(t, 1, h.counter("benchd_windows_repeated_total"))
		require.Zero(t, h.counter("benchd_windows_late_total"), "all came within a minute")
		require.EqualValues(t, 1, h.metric("benchd_runs_active").GetGauge().GetValue())

		id2 := start.GetId()
		h.cancel(id)
		a.ended(id2, 3, 10)
		h.until(id, result.Cancelled)
		require.Eventually(t, func() bool { return h.metric("benchd_runs_active").GetGauge().GetValue() == 0 }, patience, time.Millisecond)
		a.window(id2, 3, 10, "OK", true)
		require.Eventually(t, func() bool { return h.counter("benchd_windows_refused_total") == 1 }, patience, time.Millisecond)
	})
}

func TestAWindowThatComesAnIntervalAfterItsEndIsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, _, start := measuring(t, "duration=10m", "interval=100ms")
		end := wire.ToLine(start.GetTimebase()).Inverse(start.GetAtRunNs() + int64(100*time.Millisecond)) // the end of the window
		<-time.After(time.Duration(end-a.clock.Now()) + 300*time.Millisecond)
		a.window(start.GetId(), 0, 10, "OK", false)
		a.acked(0)
		require.Eventually(t, func() bool { return h.counter("benchd_windows_late_total") == 1 }, patience, time.Millisecond)
		require.Greater(t, h.metric("benchd_window_delay_seconds").GetHistogram().GetSampleSum(), 0.1)
	})
}

// Counters survive a restart of the coordinator, and the gauges of a run expire some time after its end.
func TestARunIsShownUntilSomeTimeAfterItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.show = 300 * time.Millisecond
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=10m")
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 10, "OK", false)
		a.acked(0)
		shown := func(ops float64) func() bool {
			return func() bool {
				m := h.metric("benchd_operations_total")
				return m.GetCounter().GetValue() == ops
			}
		}
		require.Eventually(t, shown(10), patience, time.Millisecond)
		h.close()
		require.Error(t, a.refused())
		h.open()
		require.Eventually(t, shown(10), patience, time.Millisecond, "archived windows are counted")
		require.EqualValues(t, 1, h.metric("benchd_agents_away").GetGauge().GetValue())

		h.cancel(id)
		a.connect()
		h.until(id, result.Cancelled)
		require.Eventually(t, func() bool { return h.metric("benchd_operations_total") == nil }, patience, time.Millisecond)
		require.Nil(t, h.metric("benchd_run_info"))
	})
}
