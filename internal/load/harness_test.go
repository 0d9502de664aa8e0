package load_test

import (
	"slices"
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

// found is what the run of a shard reported.
type found struct {
	windows []*latency.Window
	started []plan.PhaseName
	firsts  []int64
	ends    []load.PhaseEnd
	final   chan struct{} // a token for the end of each segment
}

func (f *found) of(phase plan.PhaseName) []*latency.Window {
	var windows []*latency.Window
	for _, w := range f.windows {
		if w.ID.Phase == string(phase) {
			windows = append(windows, w)
		}
	}
	return windows
}

func (f *found) end(t *testing.T, phase plan.PhaseName) load.PhaseEnd {
	t.Helper()
	for _, e := range f.ends {
		if e.Phase == phase {
			return e
		}
	}
	require.Fail(t, "phase has not ended", phase)
	return load.PhaseEnd{}
}

// merged merges windows as the coordinator does; tails are left out of ops, and the ends of sessions are left out of all.
func merged(t *testing.T, windows []*latency.Window) (all latency.Merged, ops uint64, length time.Duration) {
	t.Helper()
	for _, w := range windows {
		require.NoError(t, all.Add(slices.DeleteFunc(slices.Clone(w.Series), func(s latency.Series) bool { return s.Key.Op == "CLEANUP" })))
		if !w.Tail {
			ops += latency.Ops(w.Series)
			length = max(length, w.End)
		}
	}
	return all, ops, length
}

// ordered checks that the windows of a phase join without a gap, that only the last one is the last, and that counts
// only grow.
func ordered(t *testing.T, windows []*latency.Window, end load.PhaseEnd) {
	t.Helper()
	var at time.Duration
	var recorded, issued uint64
	require.Len(t, windows, end.Windows)
	for i, w := range windows {
		require.Equal(t, i, w.ID.Seq)
		require.Equal(t, at, w.Start, "window %d does not begin where the one before it ends", i)
		require.GreaterOrEqual(t, w.End, w.Start)
		require.Equal(t, i == len(windows)-1, w.Last)
		recorded += latency.Ops(w.Series)
		require.Equal(t, recorded, w.Recorded)
		require.GreaterOrEqual(t, w.Issued, issued)
		at, issued = w.End, w.Issued
	}
	require.Equal(t, end.Recorded, recorded)
	require.Equal(t, end.Issued, issued)
}

// reconciled checks that issued and recorded operations are equal over all phases.
func (f *found) reconciled(t *testing.T) {
	t.Helper()
	var issued, recorded, merged uint64
	for _, e := range f.ends {
		issued += e.Issued
		recorded += e.Recorded
	}
	for _, w := range f.windows {
		merged += latency.Ops(w.Series)
	}
	require.Equal(t, issued, recorded)
	require.Equal(t, recorded, merged)
}

// readers is a workload that only reads.
func readers() workload.Config {
	return workload.Config{
		RecordCount: 1000, FieldCount: 2, FieldNamePrefix: "field", FieldLength: 10, FieldLengthDistribution: workload.Constant,
		ReadAllFields: true, RequestDistribution: workload.Uniform, Proportions: workload.Proportions{Read: 1},
		MinScanLength: 1, MaxScanLength: 10, ScanLengthDistribution: workload.Uniform, ZeroPadding: 1, KeyPrefix: "user",
		BatchSize: 1, MultiGetSize: 1, IncrementBy: 1, Seed: 1,
	}
}

// settings is the measure phase alone, with windows of 100 ms.
func settings(w workload.Config, threads int) plan.Settings {
	return plan.Settings{
		DB: "null", Workload: w, Pacing: pacing.Config{Arrival: pacing.ClosedLoop}, Run: true,
		Threads: threads, Interval: 100 * time.Millisecond,
	}
}

func openLoop(s plan.Settings, rate float64) plan.Settings {
	s.Pacing = pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: rate, To: rate}}}
	return s
}

// nullTarget is a null target with plain timers, for bubbles.
func nullTarget(t *testing.T, service string) load.Target {
	t.Helper()
	s, err := nullspec.ParseService(service)
	require.NoError(t, err)
	target, err := null.New(nullspec.Settings{Service: s, Seed: 1}, load.Settings{Agent: "a", PlainTimers: true})
	require.NoError(t, err)
	return target
}

// rig is a runner with its clocks.
type rig struct {
	*load.Runner
	*found
	clock *clock.Source
	base  *clock.Timebase
}

// newRig prepares the runner of the only shard of a run.
func newRig(t *testing.T, s plan.Settings, target load.Target, change ...func(*load.Config)) *rig {
	t.Helper()
	f := &found{final: make(chan struct{}, 8)}
	source := clock.NewSource(clock.Skew{Offset: 37 * time.Second})
	cfg := load.Config{
		Target: target, Settings: s, Clock: source, PlainTimers: true,
		Shard:   plan.Shard{Run: "S.1", Count: 1, Attempt: 1, Agent: "a", Workers: s.Threads, Phases: plan.Phases(s)},
		Emit:    func(w *latency.Window) { f.windows = append(f.windows, w) },
		Started: func(p plan.PhaseName, at int64) { f.started, f.firsts = append(f.started, p), append(f.firsts, at) },
		Ended: func(e load.PhaseEnd) {
			f.ends = append(f.ends, e)
			if e.Final {
				f.final <- struct{}{}
			}
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	r, err := load.New(cfg)
	require.NoError(t, err)
	require.NoError(t, r.Prepare(t.Context()))
	return &rig{Runner: r, found: f, clock: source, base: clock.NewTimebase(clock.Line{X: source.Now(), Y: 5e9})}
}

// now is the run's time.
func (r *rig) now() int64 { return r.base.RunTime(r.clock.Now()) }

// in starts a phase after d.
func (r *rig) in(t *testing.T, d time.Duration, phase plan.PhaseName) {
	t.Helper()
	require.NoError(t, r.Start(phase, r.now()+int64(d), r.base))
}

// finish waits for a segment's end and closes the runner.
func (r *rig) finish(t *testing.T) {
	t.Helper()
	<-r.final
	require.NoError(t, r.Close(t.Context()))
	r.reconciled(t)
}
