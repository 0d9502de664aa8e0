package sequoiadb_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/sequoiadb"
	"github.com/benchd/benchd/internal/workload"
)

// cannedReply is a reply with one document.
func cannedReply(tb testing.TB, op uint32, document bson.D) []byte {
	tb.Helper()
	d, err := bson.Marshal(document)
	require.NoError(tb, err)
	b := make([]byte, 48, 48+len(d)+3)
	binary.LittleEndian.PutUint32(b[4:], op|1<<31)
	copy(b[28:], bytes.Repeat([]byte{0xFF}, 8))
	b[44] = 1
	b = append(b, d...)
	b = append(b, make([]byte, (4-len(b)%4)%4)...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// canned starts a server that answers every query with the same document of 10 × 100 bytes, and every update with its counts,
// without allocating. A benchmark against it measures the client and the system calls of both sides.
func canned(tb testing.TB) (addr string) {
	tb.Helper()
	document := bson.D{{Key: "_id", Value: "user0000000000000000000"}}
	for i := range 10 {
		document = append(document, bson.E{Key: fmt.Sprintf("field%d", i), Value: bson.Binary{Data: bytes.Repeat([]byte("v"), 100)}})
	}
	replies := map[uint32][]byte{
		2004: cannedReply(tb, 2004, document),
		2001: cannedReply(tb, 2001, bson.D{{Key: "UpdatedNum", Value: int64(1)}, {Key: "ModifiedNum", Value: int64(1)}, {Key: "InsertedNum", Value: int64(0)}}),
		2002: cannedReply(tb, 2002, bson.D{}),
		7000: cannedReply(tb, 7000, bson.D{}),
	}
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	var mu sync.Mutex
	var conns []net.Conn
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
			work.Go(func() { serveCanned(c, replies) })
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

func serveCanned(c net.Conn, replies map[uint32][]byte) {
	b := make([]byte, 64<<10)
	if _, err := io.ReadFull(c, b[:12]); err != nil {
		return
	}
	info := make([]byte, 128)
	copy(info, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFC, 0xFD, 0xFE, 0xFF, 128})
	if _, err := c.Write(info); err != nil {
		return
	}
	for {
		n := 0
		for n < 4 || n < int(binary.LittleEndian.Uint32(b)) {
			k, err := c.Read(b[n:])
			if err != nil {
				return
			}
			n += k
		}
		if _, err := c.Write(replies[binary.LittleEndian.Uint32(b[4:])]); err != nil {
			return
		}
	}
}

// cannedSessions opens sessions on a canned server.
func cannedSessions(tb testing.TB, addr string, n int) []load.Session {
	tb.Helper()
	target, err := sequoiadb.Open(tb.Context(), load.Settings{Properties: map[string]string{"sequoiadb.url": addr}})
	require.NoError(tb, err)
	sessions := make([]load.Session, n)
	for i := range sessions {
		sessions[i], err = target.Open(tb.Context(), i)
		require.NoError(tb, err)
	}
	tb.Cleanup(func() {
		for _, s := range sessions {
			_ = s.Close(context.Background())
		}
		require.NoError(tb, target.Close())
	})
	return sessions
}

// A read, an update and an insert allocate nothing in the client.
func TestNothingIsAllocatedForAnOperation(t *testing.T) {
	s := cannedSessions(t, canned(t), 1)[0]
	value := bytes.Repeat([]byte("x"), 100)
	cells := 0
	for _, op := range []*workload.Op{
		{Kind: workload.Read, Key: []byte("user1"), Collect: func(_, _ []byte) { cells++ }},
		{Kind: workload.Read, Key: []byte("user1"), Fields: b("field0", "field3")},
		{Kind: workload.Update, Key: []byte("user1"), Fields: b("field3"), Values: [][]byte{value}},
		{Kind: workload.Insert, Key: []byte("user1"), Fields: b("field0", "field1"), Values: [][]byte{value, value}},
		{Kind: workload.Increment, Key: []byte("user1"), Fields: b("counter"), Delta: 1},
	} {
		ctx := t.Context()
		allocated := testing.AllocsPerRun(1000, func() {
			if out := s.Do(ctx, op); out.Code != workload.OK {
				t.Fatal(out.Err)
			}
		})
		require.Zero(t, allocated, op.Kind)
	}
	require.Equal(t, 10*1001, cells)
}

// used is the processor time of the whole process.
func used(tb testing.TB) time.Duration {
	tb.Helper()
	var r syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkReads compares reads of sessions with a bare loop that writes the same request and reads the answer, by 16 workers.
// cpu-ns/op is the processor time of the whole process, with the server.
func BenchmarkReads(b *testing.B) {
	const workers = 16
	key := []byte("user0000000000000000000")
	run := func(b *testing.B, read func(worker int) func() error) {
		b.Helper()
		reads := make([]func() error, workers)
		for w := range reads {
			reads[w] = read(w)
		}
		var left atomic.Int64
		left.Store(int64(b.N))
		var work sync.WaitGroup
		runtime.GC()
		b.ReportAllocs()
		before := used(b)
		b.ResetTimer()
		for _, read := range reads {
			work.Go(func() {
				for left.Add(-1) >= 0 {
					if err := read(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		b.StopTimer()
		b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
	}
	b.Run("bare", func(b *testing.B) {
		addr := canned(b)
		request := recordedRead(b, key)
		var dialer net.Dialer
		run(b, func(int) func() error {
			c, err := dialer.DialContext(b.Context(), "tcp", addr)
			require.NoError(b, err)
			b.Cleanup(func() { _ = c.Close() })
			answer := make([]byte, 16<<10)
			_, err = c.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFC, 0xFD, 0xFE, 0xFF, 12, 0, 0, 0})
			require.NoError(b, err)
			_, err = io.ReadFull(c, answer[:128])
			require.NoError(b, err)
			return func() error {
				if _, err := c.Write(request); err != nil {
					return err
				}
				n := 0
				for n < 4 || n < int(binary.LittleEndian.Uint32(answer)) {
					k, err := c.Read(answer[n:])
					if err != nil {
						return err
					}
					n += k
				}
				return nil
			}
		})
	})
	b.Run("session", func(b *testing.B) {
		sessions := cannedSessions(b, canned(b), workers)
		ctx := b.Context()
		run(b, func(worker int) func() error {
			op := &workload.Op{Kind: workload.Read, Key: key}
			s := sessions[worker]
			return func() error { return s.Do(ctx, op).Err }
		})
	})
}

// recordedRead returns the bytes that a session writes for a read.
func recordedRead(tb testing.TB, key []byte) []byte {
	tb.Helper()
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	addr := canned(tb)
	recorded := make(chan []byte, 1)
	var work sync.WaitGroup
	work.Go(func() { // between the session and the server
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", addr)
			if err != nil {
				_ = c.Close()
				return
			}
			work.Go(func() { _, _ = io.Copy(c, s) })
			b := make([]byte, 64<<10)
			for {
				n, err := c.Read(b)
				if err != nil {
					break
				}
				if n > 8 && binary.LittleEndian.Uint32(b[4:]) == 2004 {
					recorded <- bytes.Clone(b[:n])
				}
				if _, err := s.Write(b[:n]); err != nil {
					break
				}
			}
			_ = s.Close()
			_ = c.Close()
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	out := cannedSessions(tb, l.Addr().String(), 1)[0].Do(tb.Context(), &workload.Op{Kind: workload.Read, Key: key})
	require.NoError(tb, out.Err)
	return <-recorded
}
