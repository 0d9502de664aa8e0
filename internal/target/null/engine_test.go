package null_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

// core is YCSB's core workload with a million records of 10 × 100 bytes.
func core(p workload.Proportions) workload.Config {
	return workload.Config{
		RecordCount: 1_000_000, FieldCount: 10, FieldNamePrefix: "field", FieldLength: 100, MinFieldLength: 1,
		FieldLengthDistribution: workload.Constant, ReadAllFields: true, RequestDistribution: workload.Zipfian, Proportions: p,
		MinScanLength: 1, MaxScanLength: 1000, ScanLengthDistribution: workload.Uniform, ZeroPadding: 1, KeyPrefix: "user",
		BatchSize: 1, MultiGetSize: 1, IncrementBy: 1, Seed: 1,
	}
}

// measure executes the settings' only phase on target and returns its windows.
func measure(tb testing.TB, s plan.Settings, target load.Target) (windows []*latency.Window, end load.PhaseEnd) {
	tb.Helper()
	source := clock.NewSource(clock.Skew{})
	ended := make(chan struct{})
	phases := plan.Phases(s)
	r, err := load.New(load.Config{
		Target: target, Settings: s, Clock: source,
		Shard: plan.Shard{Run: "S.1", Count: 1, Attempt: 1, Agent: "a", Workers: s.Threads, Phases: phases},
		Emit:  func(w *latency.Window) { windows = append(windows, w) },
		Ended: func(e load.PhaseEnd) {
			end = e
			close(ended)
		},
	})
	require.NoError(tb, err)
	require.NoError(tb, r.Prepare(tb.Context()))
	base := clock.NewTimebase(clock.Line{X: source.Now()})
	require.NoError(tb, r.Start(phases[0].Name, int64(20*time.Millisecond), base))
	<-ended
	require.NoError(tb, r.Close(tb.Context()))
	require.NoError(tb, end.Err)
	require.Equal(tb, end.Issued, end.Recorded)
	return windows, end
}

// used is the processor time of the whole process.
func used(tb testing.TB) time.Duration {
	tb.Helper()
	var r syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkEngine measures the cost of an operation in the whole engine: drawn, built, sent to a target that does nothing,
// recorded by both clocks, cut into windows. cpu-ns/op is the CPU time of the whole process.
func BenchmarkEngine(b *testing.B) {
	workloads := []struct {
		name string
		load bool
		p    workload.Proportions
	}{
		{"a", false, workload.Proportions{Read: 0.5, Update: 0.5}},
		{"c", false, workload.Proportions{Read: 1}},
		{"d", false, workload.Proportions{Read: 0.95, Insert: 0.05}},
		{"d-dealt", false, workload.Proportions{Read: 0.95, Insert: 0.05}},
		{"load", true, workload.Proportions{Read: 1}},
	}
	for _, w := range workloads {
		for _, threads := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/workers=%d", w.name, threads), func(b *testing.B) {
				cfg := core(w.p)
				if w.p.Insert > 0 {
					cfg.RequestDistribution, cfg.DealInserts = workload.Latest, w.name == "d-dealt"
				}
				if w.load {
					cfg.InsertCount = int64(b.N)
				} else {
					cfg.OperationCount = int64(b.N)
				}
				s := plan.Settings{
					Workload: cfg, Pacing: pacing.Config{Arrival: pacing.ClosedLoop},
					Load: w.load, Run: !w.load, Threads: threads, Interval: time.Second,
				}
				target, err := null.New(nullspec.Settings{}, load.Settings{})
				require.NoError(b, err)
				runtime.GC()
				b.ReportAllocs()
				before := used(b)
				b.ResetTimer()
				_, end := measure(b, s, target)
				b.StopTimer()
				b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
				require.EqualValues(b, b.N, end.Recorded)
			})
		}
	}
}
