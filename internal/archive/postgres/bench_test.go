//go:build integration

package postgres

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

// cpuTime is the CPU time of this process, without the server's.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkAddWindows adds windows of 5 series of 500 samples each, as a fleet sends them, to a server that waits for its disk.
func BenchmarkAddWindows(b *testing.B) {
	s := startOwn(b, postgrestest.Options{Settings: map[string]string{"max_wal_size": "4GB"}})
	for _, batch := range []int{1, 32, 512} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			a := leading(b, urlOf(s.Address(), fmt.Sprintf("add_%d", batch)))
			run := archivetest.Create(b, a, "s")
			windows := make([]latency.Window, batch)
			for i := range windows {
				windows[i] = archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: i, Attempt: 1}, 500)
			}
			rows, seq := 0, 0
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				for i := range windows {
					windows[i].ID.Seq = seq
					windows[i].Start, windows[i].End = time.Duration(seq)*time.Second, time.Duration(seq+1)*time.Second
				}
				seq++
				receipts, err := a.AddWindows(b.Context(), windows)
				if err != nil || !receipts[0].Fresh {
					b.Fatal(receipts, err)
				}
				rows += batch * len(windows[0].Series)
			}
			used := cpuTime(b) - before
			b.ReportMetric(float64(rows)/used.Seconds(), "rows/cpu-s")
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			var size int64
			require.NoError(b, a.reader.QueryRow(b.Context(), `SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
				WHERE n.nspname = $1 AND c.relkind = 'r'`, a.schema).Scan(&size))
			b.ReportMetric(float64(size)/float64(rows), "disk-B/row")
			counted, err := a.Size(b.Context())
			require.NoError(b, err)
			b.ReportMetric(float64(counted)/float64(rows), "counted-B/row")
		})
	}
}

// BenchmarkWindows reads windows of 5 series of 500 samples each.
func BenchmarkWindows(b *testing.B) {
	a := leading(b, freshURL())
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
