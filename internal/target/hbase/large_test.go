package hbase_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// sizes are the large operations that are measured: a value of 1 MB, and a row of 10 000 columns, also of about 1 MB.
var sizes = []struct {
	name           string
	columns, value int
}{
	{"value=1MB", 1, 1 << 20},
	{"columns=10000", 10_000, 100},
}

// wideOp returns a write of a row with n columns.
func wideOp(n, size int) *workload.Op {
	op := &workload.Op{Kind: workload.Update, Key: benchKey(0)}
	for i := range n {
		op.Fields = append(op.Fields, fmt.Appendf(nil, "field%d", i))
		op.Values = append(op.Values, bytes.Repeat([]byte{byte(i), byte(i >> 8)}, size/2))
	}
	return op
}

// largeServer answers every call with a row that has the given number of columns, without allocating. Like canned it costs little.
func largeServer(tb testing.TB, columns, size int) (addr string) {
	tb.Helper()
	var cells []byte
	for i := range columns {
		cells = append(cells, kv(string(benchKey(0)), "cf", fmt.Sprintf("field%d", i), string(bytes.Repeat([]byte{byte(i), byte(i >> 8)}, size/2)))...)
	}
	count := protowire.AppendVarint([]byte{2 << 3}, uint64(columns))
	get := protowire.AppendBytes([]byte{1<<3 | 2}, count)
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	var work sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			work.Go(func() { serveLarge(c, get, cells) })
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		work.Wait()
	})
	return l.Addr().String()
}

// serveLarge answers a Get with a row, and a Mutate with nothing but its success.
func serveLarge(c net.Conn, get, cells []byte) {
	r, w := bufio.NewReaderSize(c, 256<<10), bufio.NewWriterSize(c, 64<<10)
	hello := make([]byte, 10)
	if _, err := io.ReadFull(r, hello); err != nil {
		return
	}
	if _, err := r.Discard(int(binary.BigEndian.Uint32(hello[6:]))); err != nil {
		return
	}
	var head, frame []byte
	for {
		b, err := r.Peek(4)
		if err != nil {
			return
		}
		size := int(binary.BigEndian.Uint32(b))
		if b, err = r.Peek(4 + min(size, 100)); err != nil {
			return
		}
		_, n := protowire.ConsumeVarint(b[4:])
		id, reads := callID(b[4+n:]), bytes.Contains(b, []byte("Get"))
		if _, err := r.Discard(4 + size); err != nil {
			return
		}
		head = protowire.AppendVarint(append(head[:0], 1<<3), uint64(id))
		frame = append(frame[:0], 0, 0, 0, 0)
		var block []byte
		if reads {
			block = cells
			head = append(head, 3<<3|2, byte(1+protowire.SizeVarint(uint64(len(block)))), 1<<3)
			head = protowire.AppendVarint(head, uint64(len(block)))
			frame = protowire.AppendBytes(protowire.AppendBytes(frame, head), get)
		} else {
			frame = protowire.AppendBytes(protowire.AppendBytes(frame, head), []byte{2 << 3, 1})
		}
		binary.BigEndian.PutUint32(frame, uint32(len(frame)-4+len(block)))
		if _, err := w.Write(frame); err != nil {
			return
		}
		if _, err := w.Write(block); err != nil {
			return
		}
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
	}
}

// BenchmarkLarge measures reads and writes of values of 1 MB and of rows with 10 000 columns, with 1 and 16 workers:
//
//	go test ./internal/target/hbase -run '^$' -bench Large -benchtime 2000x -count 3
func BenchmarkLarge(b *testing.B) {
	for _, size := range sizes {
		for _, kind := range []workload.Kind{workload.Update, workload.Read} {
			for _, workers := range []int{1, 16} {
				b.Run(fmt.Sprintf("%s/%s/workers=%d", size.name, kind, workers), func(b *testing.B) {
					target := hbase.New(settings(b), load.Settings{}, one(largeServer(b, size.columns, size.value)))
					b.Cleanup(func() { require.NoError(b, target.Close()) })
					sessions := make([]load.Session, workers)
					for w := range sessions {
						var err error
						sessions[w], err = target.Open(b.Context(), w)
						require.NoError(b, err)
					}
					b.ReportAllocs()
					runtime.GC()
					before := used(b)
					b.ResetTimer()
					manyTimes(b, b.N, sessions, func() *workload.Op {
						if kind == workload.Read {
							return &workload.Op{Kind: workload.Read, Key: benchKey(0)}
						}
						return wideOp(size.columns, size.value)
					})
					b.StopTimer()
					b.ReportMetric(float64(used(b)-before)/float64(b.N)/1000, "cpu-µs/op")
				})
			}
		}
	}
}

// manyTimes carries out n operations, which the sessions share.
func manyTimes(tb testing.TB, n int, sessions []load.Session, makes func() *workload.Op) {
	tb.Helper()
	var next atomic.Int64
	var work sync.WaitGroup
	for _, s := range sessions {
		op := makes()
		work.Go(func() {
			for next.Add(1) <= int64(n) {
				if out := s.Do(context.Background(), op); out.Code != workload.OK {
					tb.Error(out.Err)
					return
				}
			}
		})
	}
	work.Wait()
}

// liveHeap returns the bytes of heap in use after a collection that also empties pools.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	return marked()
}

// marked collects, and returns the bytes of heap that the collection has found in use, without those allocated since.
func marked() int64 {
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// peakDuring returns the largest heap that a collection finds in use while do runs.
func peakDuring(do func()) int64 {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	var peaks []int64
	for {
		select {
		case <-ended:
			return slices.Max(append(peaks, 0))
		default:
			peaks = append(peaks, marked())
		}
	}
}

// While 100 workers read or write values of 1 MB, the requests and answers take at most one and a half values for each worker.
// Afterwards next to nothing is kept.
func TestMemoryOfLargeValues(t *testing.T) {
	const workers, times, kept = 100, 1000, 4 << 20
	for _, kind := range []workload.Kind{workload.Update, workload.Read} {
		t.Run(kind.String(), func(t *testing.T) {
			size := sizes[0]
			target := hbase.New(settings(t), load.Settings{}, one(largeServer(t, size.columns, size.value)))
			defer func() { require.NoError(t, target.Close()) }()
			sessions := make([]load.Session, workers)
			for w := range sessions {
				var err error
				sessions[w], err = target.Open(t.Context(), w)
				require.NoError(t, err)
			}
			op := wideOp(size.columns, size.value) // all workers write the same value, so that it does not count
			if kind == workload.Read {
				op = &workload.Op{Kind: workload.Read, Key: benchKey(0)}
			}
			before := liveHeap()
			peak := peakDuring(func() { manyTimes(t, times, sessions, func() *workload.Op { return op }) }) - before
			after := liveHeap() - before
			t.Logf("peak %.2f MB (%.2f values per worker), after %.2f MB", float64(peak)/(1<<20), float64(peak)/float64(workers*size.value), float64(after)/(1<<20))
			require.Less(t, peak, int64(workers*size.value*3/2))
			require.Less(t, after, int64(kept))
			runtime.KeepAlive(sessions)
		})
	}
}
