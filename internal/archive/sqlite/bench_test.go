package sqlite

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// cpuTime is the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkAddWindows adds windows of 5 series of 500 samples each, as a fleet sends them. A transaction waits for the disk
// once, so its number of windows determines the wall time; rows/cpu-s is the throughput per CPU second, including encoding.
func BenchmarkAddWindows(b *testing.B) {
	for _, batch := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			a := openIn(b, b.TempDir())
			run := archivetest.Create(b, a, "s")
			windows := make([]latency.Window, batch)
			for i := range windows {
				windows[i] = archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: i, Attempt: 1}, 500)
			}
			rows := 0
			b.ReportAllocs()
			before := cpuTime(b)
			seq := 0
			for b.Loop() {
				for i := range windows {
					windows[i].ID.Seq = seq
				}
				seq++
				receipts, err := a.AddWindows(b.Context(), windows)
				if err != nil || !receipts[0].Fresh {
					b.Fatal(receipts[0], err)
				}
				rows += batch * len(windows[0].Series)
			}
			used := cpuTime(b) - before
			b.ReportMetric(float64(rows)/used.Seconds(), "rows/cpu-s")
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(fileSize(b, a)/float64(rows), "file-B/row")
		})
	}
}

func fileSize(b *testing.B, a *Archive) float64 {
	var pages, size float64
	require.NoError(b, a.writer.QueryRowContext(b.Context(), `SELECT page_count, page_size FROM pragma_page_count, pragma_page_size`).Scan(&pages, &size))
	return pages * size
}

// BenchmarkWindows reads windows of 5 series of 500 samples each.
func BenchmarkWindows(b *testing.B) {
	a := openIn(b, b.TempDir())
	run := archivetest.Create(b, a, "s")
	rows := 0
	for seq := range 20 {
		windows := make([]latency.Window, 50)
		for i := range windows {
			windows[i] = archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: i, Attempt: 1, Seq: seq}, 500)
			rows += len(windows[i].Series)
		}
		archivetest.Add(b, a, windows...)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	n := 0
	for b.Loop() {
		for _, err := range a.Windows(b.Context(), run) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n++
	}
	used := cpuTime(b) - before
	b.ReportMetric(float64(rows*n)/used.Seconds(), "rows/cpu-s")
}
