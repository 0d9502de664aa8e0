package conductor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/stats"
)

func TestSpecificationsAskForAsManyIntervalsAsTheTestTakes(t *testing.T) {
	require.Equal(t, stats.SteadyOver, plan.SteadyIntervals)
}

// reads returns a window of a second with operations that took d each, all with one outcome.
func reads(seq, shard, ops int, outcome string, d time.Duration) *latency.Window {
	var h latency.Histogram
	for range ops {
		h.Record(int64(d))
	}
	w := &latency.Window{ID: latency.WindowID{Phase: "warmup", Shard: shard, Seq: seq}, Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second}
	if ops > 0 {
		w.Series = []latency.Series{{Key: latency.Key{Op: "READ", Outcome: outcome}, Response: &h, Service: &h}}
	}
	return w
}

func TestAWarmUpIsSteadyOnlyIfAllOfItIs(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		second func(seq int) *latency.Window // of the second shard; nil when it has sent none
		steady bool
		says   string
	}{
		"both are":               {func(seq int) *latency.Window { return reads(seq, 1, 100, "OK", ms) }, true, "trend p = 1.000"},
		"its throughput rises":   {func(seq int) *latency.Window { return reads(seq, 1, 100+10*seq, "OK", ms) }, false, "throughput: trend p = 0.000"},
		"its service time falls": {func(seq int) *latency.Window { return reads(seq, 1, 100, "OK", 3*ms-time.Duration(seq)*ms/10) }, false, "mean service time: trend p = 0.000"},
		"one has not sent its last windows": {func(seq int) *latency.Window {
			return map[bool]*latency.Window{true: reads(seq, 1, 100, "OK", ms)}[seq < 19]
		}, false, "19 of 20 intervals"},
		"its failures count for throughput, not for service time": {func(seq int) *latency.Window { return reads(seq, 1, 100, "ERROR", time.Duration(seq)*ms) }, true, "mean service time: trend p = 1.000"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &warmup{name: plan.Warmup, interval: time.Second, pending: make(map[int]*interval), from: make(map[int]int)}
			shards := []lifecycle.Shard{{State: lifecycle.Busy}, {State: lifecycle.Busy}, {State: lifecycle.Lost}, {State: lifecycle.Over}}
			for seq := range 20 {
				w.add(reads(seq, 0, 100, "OK", ms))
				if second := test.second(seq); second != nil {
					w.add(second)
				}
			}
			require.True(t, w.advance(shards))
			require.False(t, w.advance(shards), "nothing new")
			steady, because := w.steady()
			require.Contains(t, because, test.says)
			require.Equal(t, test.steady, steady)
		})
	}
}

func TestAClusterThatDoesNothingIsNotSteady(t *testing.T) {
	w := &warmup{name: plan.Warmup, interval: time.Second, pending: make(map[int]*interval), from: make(map[int]int)}
	for seq := range 30 {
		w.add(reads(seq, 0, map[bool]int{true: 0, false: 9}[seq == 25], "OK", time.Second))
	}
	require.True(t, w.advance([]lifecycle.Shard{{State: lifecycle.Busy}}))
	require.EqualValues(t, 29*9, w.ops)
	steady, because := w.steady()
	require.False(t, steady)
	require.Equal(t, "no operation succeeded in the interval that began 5s earlier", because)
}

func TestOnlyWindowsOfTheWarmUpCount(t *testing.T) {
	w := newWarmup(&record.Run{Phases: []plan.Phase{{Name: plan.Load, Ops: 5}, {Name: plan.Warmup, Duration: time.Second}, {Name: plan.Measure, Joined: true}}})
	w.add(reads(0, 0, 5, "OK", time.Second))
	require.Empty(t, w.pending, "a warm-up by time is not watched")

	w = newWarmup(&record.Run{Phases: []plan.Phase{{Name: plan.Load, Ops: 5}, {Name: plan.Warmup, Ops: 5}, {Name: plan.Measure, Joined: true}}})
	w.interval = time.Second
	other := reads(0, 0, 5, "OK", time.Second)
	other.ID.Phase = "measure"
	w.add(other)
	tail := reads(1, 0, 5, "OK", time.Second)
	tail.Tail = true
	w.add(tail)
	require.Empty(t, w.pending)
}
