package hbase_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// canned starts a server that answers every Get with the same row of 1 KB without allocating. It costs next to nothing, so a
// benchmark against it measures the client and the system calls of both sides.
func canned(tb testing.TB) (addr string) {
	tb.Helper()
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	var conns []net.Conn
	var mu sync.Mutex
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			work.Go(func() { serveCanned(c) })
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

// cannedAnswer returns a frame, and the place of its five-byte call id.
func cannedAnswer() (frame []byte, at int) {
	var cells []byte
	for i := range 10 {
		cells = append(cells, kv("user0000000000000000000", "cf", fmt.Sprintf("field%d", i), strings.Repeat("v", 100))...)
	}
	meta := protowire.AppendVarint([]byte{1 << 3}, uint64(len(cells)))
	header := protowire.AppendBytes([]byte{1 << 3, 0, 0, 0, 0, 0, 3<<3 | 2}, meta)
	response := protowire.AppendBytes([]byte{1<<3 | 2}, []byte{2 << 3, 10})
	body := protowire.AppendBytes(nil, header)
	at = 4 + len(body) - len(header) + 1
	body = append(protowire.AppendBytes(body, response), cells...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), at
}

// callID finds the call id in bytes that begin with a request's header.
func callID(b []byte) uint32 {
	for {
		num, kind, n := protowire.ConsumeTag(b)
		if num == 1 {
			v, _ := protowire.ConsumeVarint(b[n:])
			return uint32(v)
		}
		b = b[n+protowire.ConsumeFieldValue(num, kind, b[n:]):]
	}
}

func serveCanned(c net.Conn) {
	r, w := bufio.NewReaderSize(c, 64<<10), bufio.NewWriterSize(c, 64<<10)
	answer, at := cannedAnswer()
	frame := make([]byte, 64<<10)
	if _, err := io.ReadFull(r, frame[:10]); err != nil {
		return
	}
	if _, err := r.Discard(int(binary.BigEndian.Uint32(frame[6:]))); err != nil {
		return
	}
	for {
		if _, err := io.ReadFull(r, frame[:4]); err != nil {
			return
		}
		size := int(binary.BigEndian.Uint32(frame))
		if size > len(frame) {
			return
		}
		if _, err := io.ReadFull(r, frame[:size]); err != nil {
			return
		}
		_, n := protowire.ConsumeVarint(frame[:size])
		id := callID(frame[n:size])
		for i := range 5 {
			answer[at+i] = byte(id>>(7*i))&0x7f | 0x80
		}
		answer[at+4] &= 0x7f
		if _, err := w.Write(answer); err != nil {
			return
		}
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
	}
}

func TestNothingIsAllocatedForAnOperation(t *testing.T) {
	_, s := open(t, settings(t), one(canned(t)))
	keys := b("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7")
	op := &workload.Op{Kind: workload.Read}
	i := 0
	allocated := testing.AllocsPerRun(2000, func() {
		op.Key = keys[i%len(keys)]
		i++
		if out := s.Do(t.Context(), op); out.Code != workload.OK {
			t.Fatal(out.Err)
		}
	})
	require.LessOrEqual(t, allocated, 2.0)

	f := newFake(t)
	_, s = open(t, settings(t), one(f.addr()))
	put := &workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")}
	require.Equal(t, workload.OK, s.Do(t.Context(), put).Code)
}

// bench is a client to benchmark: on HBase if BENCHD_HBASE has the address of its ZooKeeper, otherwise on canned.
type bench struct {
	name   string
	reader func(worker int) func(ctx context.Context, key []byte) error
}

const benchRows = 10_000

func benchKey(i int) []byte { return fmt.Appendf(nil, "user%019d", i) }

// benches returns the clients to compare: a session's Do, and gohbase in a minimal loop.
func benches(tb testing.TB) []bench {
	tb.Helper()
	if os.Getenv("BENCHD_HBASE") != "" {
		return realBenches(tb)
	}
	addr := canned(tb)
	target := hbase.New(settings(tb), load.Settings{}, one(addr))
	tb.Cleanup(func() { require.NoError(tb, target.Close()) })
	rc := region.NewClient(addr, region.RegionClient, 1, 0, "root", 30*time.Second, nil)
	require.NoError(tb, rc.Dial(tb.Context()))
	tb.Cleanup(rc.Close)
	info := region.NewInfo(1, nil, []byte("usertable"), []byte("usertable,,1.abc."), nil, nil)
	return []bench{
		{"benchd", func(worker int) func(context.Context, []byte) error { return sessionRead(tb, target, worker) }},
		{"gohbase-connection", func(int) func(context.Context, []byte) error {
			family := hrpc.Families(map[string][]string{"cf": nil})
			return func(ctx context.Context, key []byte) error {
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				g, err := hrpc.NewGet(ctx, []byte("usertable"), key, family)
				if err != nil {
					return err
				}
				g.SetRegion(info)
				rc.QueueRPC(g)
				select {
				case r := <-g.ResultChan():
					return r.Error
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}},
	}
}

func realBenches(tb testing.TB) []bench {
	tb.Helper()
	properties := map[string]string{
		"db": "hbase", "table": "benchd_bench", "columnfamily": "cf", "hbase.zookeeper.quorum": os.Getenv("BENCHD_HBASE"),
		"hbase.table.create": "missing", "recordcount": "1", "operationcount": "1",
	}
	open := func(pairs ...string) *hbase.Table {
		for i := 0; i < len(pairs); i += 2 {
			properties[pairs[i]] = pairs[i+1]
		}
		target, err := hbase.Open(tb.Context(), load.Settings{Properties: properties})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, target.Close()) })
		return target.(*hbase.Table)
	}
	writer := open("clientbuffering", "true")
	require.NoError(tb, writer.Prepare(tb.Context()))
	s, err := writer.Open(tb.Context(), 0)
	require.NoError(tb, err)
	op := workload.Op{Kind: workload.Insert}
	for f := range 10 {
		op.Fields = append(op.Fields, fmt.Appendf(nil, "field%d", f))
		op.Values = append(op.Values, []byte(strings.Repeat("v", 100)))
	}
	for i := range benchRows {
		op.Key = benchKey(i)
		require.NoError(tb, s.Do(tb.Context(), &op).Err)
	}
	require.NoError(tb, s.Close(tb.Context()))
	target := open("clientbuffering", "false")
	bare := gohbase.NewClient(os.Getenv("BENCHD_HBASE"), gohbase.RpcQueueSize(1))
	tb.Cleanup(bare.Close)
	return []bench{
		{"benchd", func(worker int) func(context.Context, []byte) error { return sessionRead(tb, target, worker) }},
		{"gohbase", func(int) func(context.Context, []byte) error {
			family := hrpc.Families(map[string][]string{"cf": nil})
			return func(ctx context.Context, key []byte) error {
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				g, err := hrpc.NewGet(ctx, []byte("benchd_bench"), key, family)
				if err != nil {
					return err
				}
				r, err := bare.Get(g)
				if err == nil && len(r.Cells) != 10 {
					return fmt.Errorf("%d cells", len(r.Cells))
				}
				return err
			}
		}},
	}
}

func sessionRead(tb testing.TB, target *hbase.Table, worker int) func(context.Context, []byte) error {
	tb.Helper()
	s, err := target.Open(tb.Context(), worker)
	require.NoError(tb, err)
	op := &workload.Op{Kind: workload.Read}
	return func(ctx context.Context, key []byte) error {
		op.Key = key
		return s.Do(ctx, op).Err
	}
}

// used returns the CPU time of the process.
func used(tb testing.TB) time.Duration {
	tb.Helper()
	var r syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkRead measures the cost of reading a row of 1 KB for benchd's client and for gohbase, with 1, 16 and 64 workers
// (cpu-ns/op is the CPU time of this process):
//
//	BENCHD_HBASE=127.0.0.1:2181 go test ./internal/target/hbase -run '^$' -bench Read -benchtime 200000x -count 5
func BenchmarkRead(b *testing.B) {
	for _, workers := range []int{1, 16, 64} {
		for _, c := range benches(b) {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				readers := make([]func(context.Context, []byte) error, workers)
				for w := range readers {
					readers[w] = c.reader(w)
					require.NoError(b, readers[w](b.Context(), benchKey(w)))
				}
				keys := make([][]byte, benchRows)
				for i := range keys {
					keys[i] = benchKey(i)
				}
				runtime.GC()
				b.ReportAllocs()
				before := used(b)
				b.ResetTimer()
				var next atomic.Int64
				var work sync.WaitGroup
				for _, read := range readers {
					work.Go(func() {
						for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
							if err := read(b.Context(), keys[i*7919%benchRows]); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				work.Wait()
				b.StopTimer()
				b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
