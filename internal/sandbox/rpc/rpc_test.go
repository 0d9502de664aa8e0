package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers with its input; a call of Slow waits for a call of Go.
type echo struct{ gate chan struct{} }

func (echo) Quick(c *Call) bool { return string(c.Method) != "Slow" }

func (e echo) Serve(ctx context.Context, c *Call, a *Answer) {
	switch string(c.Method) {
	case "Slow":
		select {
		case <-e.gate:
		case <-ctx.Done():
		}
	case "Go":
		close(e.gate)
	case "Fail":
		a.Exception = &protocol.Exception{Class: "a.B", Message: "no", DoNotRetry: true, Host: "h", Port: 7}
		return
	case "Cut":
		a.Cut, a.CutAfter = true, 0.5
	}
	a.Body = append(a.Body, c.Param...)
	a.Cells = append(a.Cells, c.Cells...)
}

func serve(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := New(map[string]Service{"Echo": echo{make(chan struct{})}}, slog.New(slog.DiscardHandler))
	s.Start(listener)
	t.Cleanup(s.Close)
	return listener.Addr().String()
}

func hello(compressor string) []byte {
	header, err := proto.Marshal(&hbasepb.ConnectionHeader{
		UserInfo:                 &hbasepb.UserInformation{EffectiveUser: new("me")},
		ServiceName:              new("Echo"),
		CellBlockCodecClass:      new("org.apache.hadoop.hbase.codec.KeyValueCodec"),
		CellBlockCompressorClass: new(compressor),
	})
	if err != nil {
		panic(err)
	}
	return append(binary.BigEndian.AppendUint32([]byte("HBas\x00\x50"), uint32(len(header))), header...)
}

func request(id uint32, method string, param, cells []byte) []byte {
	h := &hbasepb.RequestHeader{CallId: &id, MethodName: &method, RequestParam: new(true), Timeout: proto.Uint32(9)}
	if cells != nil {
		h.CellBlockMeta = &hbasepb.CellBlockMeta{Length: new(uint32(len(cells)))}
	}
	header, err := proto.Marshal(h)
	if err != nil {
		panic(err)
	}
	b := protowire.AppendBytes(protowire.AppendBytes(nil, header), param)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b)+len(cells))), append(b, cells...)...)
}

type reply struct {
	header       *hbasepb.ResponseHeader
	param, cells []byte
}

func read(t testing.TB, r io.Reader) reply {
	t.Helper()
	var head [4]byte
	_, err := io.ReadFull(r, head[:])
	require.NoError(t, err)
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err = io.ReadFull(r, b)
	require.NoError(t, err)
	got := reply{header: &hbasepb.ResponseHeader{}}
	header, n := protowire.ConsumeBytes(b)
	require.Positive(t, n)
	require.NoError(t, proto.Unmarshal(header, got.header))
	if b = b[n:]; len(b) > 0 {
		got.param, n = protowire.ConsumeBytes(b)
		require.Positive(t, n)
		got.cells = b[n:]
	}
	require.Len(t, got.cells, int(got.header.GetCellBlockMeta().GetLength()))
	return got
}

func dial(t testing.TB, address, compressor string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, err = conn.Write(hello(compressor))
	require.NoError(t, err)
	return conn
}

// Calls of any length get the right answer, each under its id.
func TestCallsAreAnswered(t *testing.T) {
	conn := dial(t, serve(t), "")
	r := bufio.NewReader(conn)
	for i, n := range []int{0, 1, 1000, readBuffer - 40, readBuffer, 70_000, 3 << 20} {
		param, cells := bytes.Repeat([]byte{'p'}, n), bytes.Repeat([]byte{'c'}, n)
		_, err := conn.Write(request(uint32(i), "Echo", param, cells))
		require.NoError(t, err)
		got := read(t, r)
		require.EqualValues(t, i, got.header.GetCallId())
		require.True(t, bytes.Equal(param, got.param))
		require.True(t, bytes.Equal(cells, got.cells))
	}
}

// An exception has its class, its text, whether to retry, and the region's current place.
func TestExceptions(t *testing.T) {
	conn := dial(t, serve(t), "")
	_, err := conn.Write(request(3, "Fail", nil, nil))
	require.NoError(t, err)
	e := read(t, conn).header.GetException()
	require.Equal(t, "a.B", e.GetExceptionClassName())
	require.Equal(t, "a.B: no", e.GetStackTrace())
	require.True(t, e.GetDoNotRetry())
	require.Equal(t, "h", e.GetHostname())
	require.EqualValues(t, 7, e.GetPort())
}

// A slow call does not delay other calls of its connection.
func TestSlowCallsAreOvertaken(t *testing.T) {
	conn := dial(t, serve(t), "")
	_, err := conn.Write(joined(request(1, "Slow", nil, nil), request(2, "Echo", nil, nil), request(3, "Go", nil, nil)))
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	require.EqualValues(t, 2, read(t, r).header.GetCallId())
	require.ElementsMatch(t, []uint32{1, 3}, []uint32{read(t, r).header.GetCallId(), read(t, r).header.GetCallId()})
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Cell blocks use the codec that the connection names.
func TestCompressedBlocks(t *testing.T) {
	for _, class := range []string{snappyClass, gzipClass, zlibClass} {
		t.Run(class[strings.LastIndex(class, ".")+1:], func(t *testing.T) {
			pack, err := compressorOf(class)
			require.NoError(t, err)
			conn := dial(t, serve(t), class)
			cells := bytes.Repeat([]byte("all work and no play "), 50_000)
			packed, err := pack.compress(nil, cells)
			require.NoError(t, err)
			require.Less(t, len(packed), len(cells)/5)
			_, err = conn.Write(request(1, "Echo", nil, packed))
			require.NoError(t, err)
			got := read(t, conn)
			plain, err := pack.decompress(nil, got.cells)
			require.NoError(t, err)
			require.True(t, bytes.Equal(cells, plain))
		})
	}
}

// A fault that cuts a connection sends part of the answer.
func TestCutAnswers(t *testing.T) {
	conn := dial(t, serve(t), "")
	_, err := conn.Write(request(1, "Cut", make([]byte, 1000), nil))
	require.NoError(t, err)
	b, _ := io.ReadAll(conn)
	require.InDelta(t, 500, len(b), 20)
}

// Nothing follows a cut-off answer: it would look like the rest of it.
func TestNothingFollowsACutAnswer(t *testing.T) {
	for range 500 {
		client, server := net.Pipe()
		o := &output{conn: server, gate: &Gate{}, sent: new(atomic.Int64)}
		o.room.L = &o.mu
		var work sync.WaitGroup
		work.Go(func() { o.put(&Answer{Body: bytes.Repeat([]byte("x"), 1000), Cut: true, CutAfter: 0.5}, 1, nil) })
		work.Go(func() { o.put(&Answer{Body: bytes.Repeat([]byte("y"), 1000)}, 2, nil) })
		got, _ := io.ReadAll(client)
		work.Wait()
		if i := bytes.IndexByte(got, 'x'); i >= 0 {
			require.NotContains(t, string(got[i:]), "y")
		}
	}
}

// A client that the sandbox cannot serve gets the reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, bytes, want string }{
		{"another protocol", "GET / HTTP/1.1\r\n\r\n", "expected the preamble HBas"},
		{"Kerberos", "HBas\x00\x51", "simple authentication"},
		{"another version", "HBas\x01\x50", "version 0"},
		{"unknown compressor", string(hello("x.Y")), "unknown compressor x.Y"},
		{"huge header", "HBas\x00\x50\xff\xff\xff\xff", "connection header of"},
		{"huge request", string(hello("")) + "\x7f\xff\xff\xff", "RequestTooBig"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", serve(t))
			require.NoError(t, err)
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(30 * time.Second))
			_, err = io.WriteString(conn, c.bytes)
			require.NoError(t, err)
			require.Contains(t, read(t, conn).header.GetException().GetStackTrace(), c.want)
		})
	}
}

// A message with so many parts that it would take many times its length in memory is refused; one with many small
// values is not.
func TestManyPartsAreRefused(t *testing.T) {
	hostile := bytes.Repeat([]byte{0x0a, 0x00}, 1<<20) // a million empty actions
	err := Decode(&Call{Method: []byte("Multi"), Param: hostile}, &hbasepb.MultiRequest{})
	require.ErrorContains(t, err, "RequestTooBig")

	value := &hbasepb.QualifierValue{Qualifier: []byte("q"), Value: make([]byte, 20), Timestamp: proto.Uint64(1 << 60)}
	m := &hbasepb.MultiRequest{}
	for range 20_000 {
		m.RegionAction = append(m.RegionAction, &hbasepb.RegionAction{Action: []*hbasepb.Action{{Index: proto.Uint32(1), Mutation: &hbasepb.MutationProto{
			Row: make([]byte, 16), ColumnValue: []*hbasepb.ColumnValue{{Family: []byte("f"), QualifierValue: []*hbasepb.QualifierValue{value}}},
		}}}})
	}
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, Decode(&Call{Method: []byte("Multi"), Param: b}, &hbasepb.MultiRequest{}))
}
