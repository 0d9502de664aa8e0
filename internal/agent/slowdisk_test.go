package agent

import (
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spool"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

// slowFile is a file of a spool whose disk stalls now and then.
type slowFile struct {
	spool.File
	stall func()
}

// WriteAt writes when the disk does not stall.
func (f *slowFile) WriteAt(p []byte, off int64) (int, error) {
	f.stall()
	return f.File.WriteAt(p, off)
}

// slowSpool opens a spool and has stall called before each write to its files.
func slowSpool(t *testing.T, stall func()) *spool.Spool {
	t.Helper()
	return newSpool(t, spool.Options{Wrap: func(file spool.File) spool.File { return &slowFile{File: file, stall: stall} }})
}

// newSpool opens a new spool.
func newSpool(t *testing.T, options spool.Options) *spool.Spool {
	t.Helper()
	folder, err := spool.Folder(newFolder(t))
	require.NoError(t, err)
	disk, err := spool.Open(folder, options)
	require.NoError(t, err)
	return disk
}

// newFolder returns the path of a spool that does not exist yet.
func newFolder(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "spool")
}

// readers is one worker that reads from the null target, an operation every 7 ms, in windows of 100 ms.
func readers() plan.Settings {
	return plan.Settings{
		DB: "null", Pacing: pacing.Config{Arrival: pacing.ClosedLoop}, Run: true, Threads: 1,
		Interval: 100 * time.Millisecond, Duration: 20 * time.Second,
		Workload: workload.Config{
			RecordCount: 1000, FieldCount: 1, FieldNamePrefix: "field", FieldLength: 10, FieldLengthDistribution: workload.Constant,
			ReadAllFields: true, RequestDistribution: workload.Uniform, Proportions: workload.Proportions{Read: 1},
			MinScanLength: 1, MaxScanLength: 10, ScanLengthDistribution: workload.Uniform, ZeroPadding: 1, KeyPrefix: "user",
			BatchSize: 1, MultiGetSize: 1, IncrementBy: 1, Seed: 1,
		},
	}
}

// A disk that stalls for ten seconds of a phase moves no operation into another window, and delays none.
func TestAStalledSpoolMovesNoSampleBetweenWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writes := 0
		disk := slowSpool(t, func() {
			if writes++; writes == 20 {
				<-time.After(10 * time.Second)
			}
		})
		a := &Agent{log: slog.New(slog.DiscardHandler), clock: clock.NewSource(clock.Skew{}), windows: windowStore{disk: disk, log: slog.New(slog.DiscardHandler)}}
		a.config.SpoolBytes, a.config.MemoryBytes = 1<<30, 1<<30
		a.windows.spooler.start(&a.windows, &a.mu)
		s := &shard{a: a, key: shardKey{run: "S.1", attempt: 1}, log: a.log, kept: keptWindows{store: &a.windows}}

		service, err := nullspec.ParseService("7ms")
		require.NoError(t, err)
		target, err := null.New(nullspec.Settings{Service: service, Seed: 1}, load.Settings{Agent: "a", PlainTimers: true})
		require.NoError(t, err)
		settings := readers()
		var windows []*latency.Window
		ended := make(chan struct{})
		runner, err := load.New(load.Config{
			Target: target, Settings: settings, Clock: a.clock, PlainTimers: true,
			Shard:   plan.Shard{Run: "S.1", Count: 1, Attempt: 1, Agent: "a", Workers: 1, Phases: plan.Phases(settings)},
			Emit:    func(w *latency.Window) { windows = append(windows, w); s.emit(w) },
			Started: s.phaseStarted,
			Ended:   func(load.PhaseEnd) { close(ended) },
		})
		require.NoError(t, err)
		require.NoError(t, runner.Prepare(t.Context()))
		require.NoError(t, runner.Start(plan.Measure, 0, clock.NewTimebase(clock.Line{X: a.clock.Now()})))
		<-ended
		require.NoError(t, runner.Close(t.Context()))
		require.Len(t, s.kept.windows, 201, "kept until they are acknowledged")
		a.closeWindows(time.Second)
		for _, k := range s.kept.windows {
			require.True(t, k.place.Valid(), "the waiting windows are on disk")
		}
		require.Zero(t, s.kept.loose)

		require.Len(t, windows, 201)
		done := 0
		for i, w := range windows[:200] {
			require.Equal(t, time.Duration(i+1)*100*time.Millisecond, w.End)
			before := done
			for time.Duration(done+1)*7*time.Millisecond < w.End {
				done++
			}
			require.EqualValues(t, done-before, latency.Ops(w.Series), "operations in window %d, which ends at %s", i, w.End)
		}
	})
}
