package dev_test

import (
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
)

// warm runs a submission with a warm-up, and checks that three agents changed over at one instant. A try is repeated when
// a stall delays the change on an agent.
func warm(t *testing.T, settings map[string]string, check func(try *tolerance.Try, r result.Run)) {
	t.Helper()
	tolerance.Retry(t, func(try *tolerance.Try) {
		r, dir := warmOnce(t, settings)
		if assert.Empty(try, r.Missing) {
			changedOver(t, r, dir)
			check(try, r)
		}
	})
}

// warmOnce runs it, and returns the folder of its archive.
func warmOnce(t *testing.T, settings map[string]string) (r result.Run, dir string) {
	t.Helper()
	dir = t.TempDir()
	all := map[string]string{"db": "null", "recordcount": "1000", "readproportion": "1", "updateproportion": "0", "threadcount": "3", "interval": interval.String(), "duration": "500ms"}
	maps.Copy(all, settings)
	return executeIn(t, dir, 3, all), dir
}

// changedOver checks a run, whose archive is in a folder.
func changedOver(t *testing.T, r result.Run, dir string) {
	t.Helper()
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	require.Len(t, r.Phases, 2)
	require.NotNil(t, r.Start)

	kept, err := sqlite.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, kept.Close(t.Context())) }()
	warmups := make(map[int][]time.Duration) // where windows end, by shard
	for w, err := range kept.Windows(t.Context(), r.ID) {
		require.NoError(t, err)
		if w.ID.Phase == string(plan.Warmup) {
			if w.End > w.Start { // one that is announced when its last window has ended has an empty one, too
				warmups[w.ID.Shard] = append(warmups[w.ID.Shard], w.End)
			}
			continue
		}
		require.True(t, w.Tail || w.Start == time.Duration(w.ID.Seq)*interval, "windows count from the change")
		require.True(t, w.Last || w.End == w.Start+interval)
	}
	require.Len(t, warmups, 3)
	require.Equal(t, warmups[0], warmups[1])
	require.Equal(t, warmups[0], warmups[2])
	require.InDelta(t, r.Phases[0].Seconds, warmups[0][len(warmups[0])-1].Seconds(), 1e-9)
}

const interval = 100 * time.Millisecond

func verdict(r result.Run, name string) *result.Verdict {
	for i := range r.Verdicts {
		if r.Verdicts[i].Name == name {
			return &r.Verdicts[i]
		}
	}
	return nil
}

func TestMeasuringBeginsWhenTheTargetIsSteady(t *testing.T) {
	t.Parallel()
	warm(t, map[string]string{"null.service": "warming 60ms 5ms over 3s", "warmup.until": "steady", "warmup": "40s"}, func(try *tolerance.Try, r result.Run) {
		assert.Greater(try, r.Phases[0].Seconds, 3.0, "it cannot be steady before it is warm, unless stalls hide the trend")
		if !assert.Less(try, r.Phases[0].Seconds, 40.0, "it becomes steady, unless stalls look like a trend") {
			return
		}
		require.Less(t, r.Start.SkewMS, 1500.0, "the skew is that of the warm-up's start, the only one that had to be waited for")
		v := verdict(r, "steady")
		require.NotNil(t, v)
		require.True(t, v.Value, v.Because)
		require.Contains(t, v.Because, "throughput: trend p = ")
		require.Contains(t, v.Test, "Mann-Kendall")
		require.InDelta(t, 0.5, r.Phases[1].Seconds, 1e-9)
	})
}

func TestAWarmUpThatDoesNotBecomeSteadyEndsAtItsBoundAndReportsIt(t *testing.T) {
	t.Parallel()
	settings := map[string]string{"null.service": "warming 100ms 1ms over 4s", "warmup.until": "steady", "warmup": "3050ms", "arrival": "poisson", "rate": "200"}
	warm(t, settings, func(try *tolerance.Try, r result.Run) {
		v := verdict(r, "steady")
		require.NotNil(t, v)
		if assert.InDelta(try, 3.05, r.Phases[0].Seconds, 1e-9, "it is not steady before it is warm, unless stalls hide the trend") {
			require.False(t, v.Value)
			require.Contains(t, v.Because, "not reached within 3.05s")
		}
	})
}

func TestAWarmUpByOperationsUsesUpNoneOfThoseToMeasure(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]string{
		"closed loop": {"warmup.ops": "300"},
		"open loop":   {"warmup.ops": "300", "arrival": "fixed", "rate": "500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings["null.service"], settings["duration"], settings["operationcount"] = "5ms", "0s", "200"
			warm(t, settings, func(try *tolerance.Try, r result.Run) {
				require.GreaterOrEqual(t, r.Phases[0].Ops, uint64(300))
				require.Nil(t, verdict(r, "steady"), "steadiness is not required")
				// A machine that stalls at the change has more in flight there.
				assert.InDelta(try, 200, float64(r.Phases[1].Ops), 9, "but for those in flight at the change, at most one of each worker")
			})
		})
	}
}

func TestAWarmUpByOperationsHasABoundToo(t *testing.T) {
	t.Parallel()
	warm(t, map[string]string{"warmup.ops": "1000000", "warmup": "1200ms", "null.service": "5ms"}, func(_ *tolerance.Try, r result.Run) {
		require.InDelta(t, 1.2, r.Phases[0].Seconds, 1e-9)
		require.Nil(t, verdict(r, "steady"))
	})
}
