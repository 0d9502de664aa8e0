package zookeeper

import (
	"bytes"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stream is a client that sends its input, reads all answers and disconnects.
type stream struct{ io.Reader }

func (stream) Write(b []byte) (int, error)      { return len(b), nil }
func (stream) Close() error                     { return nil }
func (stream) LocalAddr() net.Addr              { return nil }
func (stream) RemoteAddr() net.Addr             { return nil }
func (stream) SetDeadline(time.Time) error      { return nil }
func (stream) SetReadDeadline(time.Time) error  { return nil }
func (stream) SetWriteDeadline(time.Time) error { return nil }

func framed(payload []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

// For any input, a session ends without a panic, leaves no watch behind and does not change the tree.
func FuzzSession(f *testing.F) {
	open := framed(append(make([]byte, 24), 0xff, 0xff, 0xff, 0xff, 0))
	f.Add(open)
	for _, op := range []uint32{opExists, opGetData, opGetACL, opGetChildren, opSync, opPing, opGetChildren2, opSetWatches, 1, 77} {
		request := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1}, op)
		request = append(appendBytes(request, []byte("/hbase")), 1)
		f.Add(append(bytes.Clone(open), framed(request)...))
	}
	watches := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1}, opSetWatches)
	watches = binary.BigEndian.AppendUint64(watches, 0)
	for range 3 {
		watches = appendBytes(append(watches, 0, 0, 0, 1), []byte("/hbase"))
	}
	f.Add(append(bytes.Clone(open), framed(watches)...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		tree := NewTree()
		tree.Set("/hbase/master", []byte("here"), true)
		server := NewServer(tree, slog.New(slog.DiscardHandler), nil)
		s := &session{server: server, conn: stream{bytes.NewReader(b)}}
		_ = s.serve() // any outcome is fine
		require.Empty(t, tree.onNode)
		require.Empty(t, tree.onChildren)
		require.Len(t, tree.nodes, 3)
	})
}

// A frame that announces a large length takes memory only as its bytes arrive.
func TestALongFrameTakesMemoryAsItArrives(t *testing.T) {
	head := binary.BigEndian.AppendUint32(nil, maxFrame)
	allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_, err := readFrame(bytes.NewReader(head), nil, maxFrame)
			require.ErrorIs(b, err, io.EOF)
		}
	}).AllocedBytesPerOp()
	require.Less(t, allocated, int64(64<<10))
	_, err := readFrame(bytes.NewReader([]byte{0, 0x10, 0, 1}), nil, maxFrame)
	require.ErrorIs(t, err, errMalformed)
}
