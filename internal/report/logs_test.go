package report_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
)

// readLog reads a log as others do: the histograms by tag, and how many lines there are.
func readLog(t *testing.T, path string) (sums map[string]*hdrhistogram.Histogram, lines int) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	r := hdrhistogram.NewHistogramLogReader(f)
	sums = make(map[string]*hdrhistogram.Histogram)
	for {
		h, err := r.NextIntervalHistogram()
		require.NoError(t, err)
		if h == nil {
			return sums, lines
		}
		lines++
		if sums[h.Tag()] == nil {
			sums[h.Tag()] = hdrhistogram.New(1, latency.Highest, 3)
		}
		require.Zero(t, sums[h.Tag()].Merge(h))
	}
}

func intervals() []report.Interval {
	var out []report.Interval
	for _, phase := range []string{"load", "warmup", "measure"} {
		for i := range 4 {
			out = append(out, report.Interval{
				Phase: phase, PhaseStart: planned.Add(time.Duration(len(out)) * time.Second),
				Start: time.Duration(i) * time.Second, End: time.Duration(i+1) * time.Second,
				Series: []latency.Series{
					samples("READ", "OK", "", 1000, 400), samples("READ", "OK", "READ-MODIFY-WRITE", 500, 400),
					samples("READ", "NOT/FOUND", "", 10, 100), samples("CLEANUP", "OK", "CLEANUP", 3, 100),
				},
			})
		}
	}
	for i := range out { // a phase has one start
		out[i].PhaseStart = out[i/4*4].PhaseStart
	}
	return out
}

// addAll adds all intervals to logs.
func addAll(t *testing.T, logs *report.Logs) {
	t.Helper()
	var encode latency.LogEncoder
	for _, iv := range intervals() {
		logged, err := iv.Logged(&encode)
		require.NoError(t, err)
		require.NoError(t, logs.Add(logged))
	}
}

func TestLogsHoldEveryIntervalOfEverySeries(t *testing.T) {
	dir := t.TempDir()
	files := report.NewFiles(false)
	logs := report.NewLogs(files, dir, "S.1")
	addAll(t, logs)
	require.NoError(t, files.Commit())
	files.Discard()
	all := contents(t, dir)
	require.Len(t, all, 12)
	for _, name := range []string{"S.1-measure-READ.hlog", "S.1-measure-READ-MODIFY-WRITE-READ.hlog", "S.1-measure-READ-NOT_FOUND.hlog", "S.1-measure-CLEANUP.hlog"} {
		require.Contains(t, all, name)
	}
	sums, lines := readLog(t, filepath.Join(dir, "S.1-measure-READ.hlog"))
	require.Equal(t, 8, lines)
	require.EqualValues(t, 4000, sums[""].TotalCount())
	require.EqualValues(t, 4000, sums["service"].TotalCount())
	require.InEpsilon(t, 600_000, sums[""].ValueAtQuantile(50), 0.002)
	require.InEpsilon(t, 300_000, sums["service"].ValueAtQuantile(50), 0.002)
}

func TestYCSBsLogsAreInMicroseconds(t *testing.T) {
	for name, test := range map[string]struct {
		properties map[string]string
		files      []string
		lines      int
		p50        float64
	}{
		"a line for each phase": {nil, []string{"p-CLEANUP.hdr", "p-READ-FAILED.hdr", "p-READ.hdr"}, 2, 300},
		"a line for each status": {
			map[string]string{"status": "true", "status.interval": "2", "measurement.interval": "intended"},
			[]string{"p-CLEANUP.hdr", "p-READ-FAILED.hdr", "p-READ.hdr"},
			4, 600,
		},
		"both clocks": {
			map[string]string{"measurement.interval": "both"},
			[]string{"p-CLEANUP.hdr", "p-Intended-CLEANUP.hdr", "p-Intended-READ-FAILED.hdr", "p-Intended-READ.hdr", "p-READ-FAILED.hdr", "p-READ.hdr"},
			2, 300,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			y := ycsb(t, test.properties)
			y.LogPath = filepath.Join(dir, "p-")
			files := report.NewFiles(true)
			logs := y.NewYCSBLogs(files)
			for _, iv := range intervals() {
				require.NoError(t, logs.Add(iv))
			}
			require.NoError(t, logs.Close())
			require.NoError(t, files.Commit())
			files.Discard()
			require.Equal(t, test.files, slices.Sorted(maps.Keys(contents(t, dir))))
			sums, lines := readLog(t, filepath.Join(dir, "p-READ.hdr"))
			require.Equal(t, test.lines, lines)
			require.EqualValues(t, 12_000, sums[""].TotalCount(), "parts are reads too, and the warm-up is left out")
			require.InEpsilon(t, test.p50, sums[""].ValueAtQuantile(50), 0.005)
		})
	}
}
