//go:build databases

package cassandra_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra"
	"github.com/benchd/benchd/internal/workload"
)

// used is the processor time of this process.
func used(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkRead reads rows of ten fields of 100 bytes with 16 workers. Allocations are those of the driver and of the session together.
func BenchmarkRead(b *testing.B) {
	const rows, workers = 1000, 16
	s := settings(shared, workloadOf(10), "table", "bench")
	target, err := cassandra.Open(b.Context(), s)
	require.NoError(b, err)
	defer func() { require.NoError(b, target.Close()) }()
	require.NoError(b, target.(load.Admin).Prepare(b.Context()))
	sessions := make([]load.Session, workers)
	for i := range sessions {
		sessions[i], err = target.Open(b.Context(), i)
		require.NoError(b, err)
	}
	value := make([]byte, 100)
	for i := range value {
		value[i] = 'x'
	}
	insert := &workload.Op{Kind: workload.Insert}
	for f := range 10 {
		insert.Fields, insert.Values = append(insert.Fields, fmt.Appendf(nil, "field%d", f)), append(insert.Values, value)
	}
	keys := make([][]byte, rows)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "user%d", i)
		insert.Key = keys[i]
		require.NoError(b, sessions[0].Do(b.Context(), insert).Err)
	}
	b.ReportAllocs()
	before := used(b)
	b.ResetTimer()
	var next, failed atomic.Int64
	var all sync.WaitGroup
	for _, session := range sessions {
		all.Go(func() {
			op := &workload.Op{Kind: workload.Read}
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				op.Key = keys[n%rows]
				if out := session.Do(b.Context(), op); out.Code != workload.OK || out.Bytes < 1000 {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
	require.Zero(b, failed.Load())
}
