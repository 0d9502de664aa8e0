package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/compression"
	"github.com/tsuna/gohbase/pb"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server. It calls greeted for each connection after the client's header, and asked for each request until that
// returns false.
func serve(t *testing.T, greeted func(c net.Conn), asked func(c net.Conn, header *pb.RequestHeader, rest []byte) (more bool)) string {
	t.Helper()
	return serveOn(t, listen(t), greeted, asked)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

// serveOn is serve on a listener, which it closes.
func serveOn(t *testing.T, l net.Listener, greeted func(c net.Conn), asked func(c net.Conn, header *pb.RequestHeader, rest []byte) (more bool)) string {
	t.Helper()
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer func() { _ = c.Close() }()
				hello := make([]byte, 10)
				if _, err := io.ReadFull(c, hello); err != nil {
					return
				}
				greeting := make([]byte, binary.BigEndian.Uint32(hello[6:]))
				if _, err := io.ReadFull(c, greeting); err != nil {
					return
				}
				var who pb.ConnectionHeader
				if err := proto.Unmarshal(greeting, &who); err != nil || who.GetUserInfo().GetEffectiveUser() != "me" {
					t.Errorf("greeted by %v (%v)", &who, err)
				}
				greeted(c)
				for {
					var size [4]byte
					if _, err := io.ReadFull(c, size[:]); err != nil {
						return
					}
					frame := make([]byte, binary.BigEndian.Uint32(size[:]))
					if _, err := io.ReadFull(c, frame); err != nil {
						return
					}
					head, n := protowire.ConsumeBytes(frame)
					var h pb.RequestHeader
					if err := proto.Unmarshal(head, &h); err != nil {
						t.Errorf("header: %v", err)
						return
					}
					if !asked(c, &h, frame[n:]) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return l.Addr().String()
}

// peer starts a server that answers each request with the function's result, and hangs up if that is nil.
func peer(t *testing.T, answer func(header *pb.RequestHeader, rest []byte) []byte) string {
	t.Helper()
	return serve(t, func(net.Conn) {}, func(c net.Conn, h *pb.RequestHeader, rest []byte) bool {
		out := answer(h, rest)
		if out == nil {
			return false
		}
		_, err := c.Write(out)
		return err == nil
	})
}

// reply returns an answer's frame.
func reply(id uint32, message, cells []byte, e *pb.ExceptionResponse) []byte {
	h := &pb.ResponseHeader{CallId: &id, Exception: e}
	if len(cells) > 0 {
		h.CellBlockMeta = &pb.CellBlockMeta{Length: new(uint32(len(cells)))}
	}
	head, err := proto.Marshal(h)
	if err != nil {
		return nil
	}
	body := protowire.AppendBytes(nil, head)
	if e == nil {
		body = append(protowire.AppendBytes(body, message), cells...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func dial(t *testing.T, addr string, codec compression.Codec) *Conn {
	t.Helper()
	c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", Codec: codec})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func ask(c *Conn, call *Call) (response, cells []byte, err error) {
	c.Send(call)
	<-call.Done()
	return call.Answer()
}

func TestACallTransfersItsContent(t *testing.T) {
	for _, codec := range []compression.Codec{nil, compression.New("snappy")} {
		addr := peer(t, func(h *pb.RequestHeader, rest []byte) []byte {
			param, n := protowire.ConsumeBytes(rest)
			cells := rest[n:]
			if h.GetMethodName() != "Get" || !h.GetRequestParam() || len(cells) != int(h.GetCellBlockMeta().GetLength()) {
				t.Errorf("header %v", h)
			}
			return reply(h.GetCallId(), param, cells, nil) // an echo
		})
		c := dial(t, addr, codec)
		call := NewCall()
		call.Method, call.Timeout = "Get", 1500*time.Millisecond
		for _, size := range []int{0, 1, 100, 10_000, readBuffer - 60, readBuffer, readBuffer + 1, 3_000_000, 5} {
			call.Request = bytes.Repeat([]byte{1, 2, 3}, size/3)
			sent := bytes.Repeat([]byte("cell"), size)
			call.Cells = bytes.Clone(sent) // the connection takes a large buffer
			response, cells, err := ask(c, call)
			require.NoError(t, err)
			require.True(t, bytes.Equal(call.Request, response), "%d", size)
			require.True(t, bytes.Equal(sent, cells), "%d", size)
		}
	}
}

func TestAnExceptionIsTheAnswerToItsCall(t *testing.T) {
	addr := peer(t, func(h *pb.RequestHeader, _ []byte) []byte {
		return reply(h.GetCallId(), nil, nil, &pb.ExceptionResponse{
			ExceptionClassName: new("org.apache.hadoop.hbase.NotServingRegionException"),
			StackTrace:         new("org.apache.hadoop.hbase.NotServingRegionException: t is not online\n\tat a.b(c.java:1)\n"),
			DoNotRetry:         new(true),
		})
	})
	c := dial(t, addr, nil)
	for range 2 {
		call := NewCall()
		_, _, err := ask(c, call)
		require.Equal(t, &protocol.Exception{Class: "org.apache.hadoop.hbase.NotServingRegionException", Message: "t is not online", DoNotRetry: true}, err)
	}
	require.NoError(t, c.Err(), "the connection still works")
}

func TestAServerThatRefusesTheConnectionSaysWhy(t *testing.T) {
	addr := peer(t, func(*pb.RequestHeader, []byte) []byte {
		return reply(1<<32-1, nil, nil, &pb.ExceptionResponse{
			ExceptionClassName: new("org.apache.hadoop.hbase.security.AccessDeniedException"),
			StackTrace:         new("org.apache.hadoop.hbase.security.AccessDeniedException: Authentication is required"),
		})
	})
	_, _, err := ask(dial(t, addr, nil), NewCall())
	require.ErrorContains(t, err, "AccessDeniedException: Authentication is required")
	require.ErrorContains(t, err, "the cluster requires Kerberos: set hbase.security.authentication=kerberos")
	require.True(t, IsFinal(err), "another try does not cure it")
}

func TestAConnectionThatFailsEndsItsCalls(t *testing.T) {
	for name, test := range map[string]struct {
		answer []byte
		want   string
	}{
		"hangs up":      {nil, "has closed the connection"},
		"nonsense":      {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "is the server an HBase region server?"},
		"another's":     {reply(77, nil, nil, nil), "an answer without a request"},
		"a bad header":  {[]byte{0, 0, 0, 3, 9, 1, 1}, "is the server an HBase region server?"},
		"an empty one":  {[]byte{0, 0, 0, 0}, "is the server an HBase region server?"},
		"a cut message": {[]byte{0, 0, 0, 4, 2, 8, 0, 9}, "truncated answer"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, peer(t, func(*pb.RequestHeader, []byte) []byte { return test.answer }), nil)
			_, _, err := ask(c, NewCall())
			require.ErrorContains(t, err, test.want)
			if name != "a cut message" {
				_, _, err = ask(c, NewCall())
				require.ErrorContains(t, err, test.want, "later calls get the same error")
			}
		})
	}
}

func TestAClosedConnectionSendsNothing(t *testing.T) {
	c := dial(t, peer(t, func(*pb.RequestHeader, []byte) []byte { return []byte{} }), nil)
	waiting := NewCall()
	c.Send(waiting)
	c.Close()
	<-waiting.Done()
	_, _, err := waiting.Answer()
	require.ErrorIs(t, err, ErrClosed)
	_, _, err = ask(c, NewCall())
	require.ErrorIs(t, err, ErrClosed)
	c.Close()
}

func TestDialObeysItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Dial(ctx, "127.0.0.1:1", Config{})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzHeader(f *testing.F) {
	f.Add(reply(7, []byte("m"), []byte("cells"), nil)[5:])
	f.Add(reply(7, nil, nil, &pb.ExceptionResponse{ExceptionClassName: new("a.B"), StackTrace: new("a.B: c")})[4:])
	f.Fuzz(func(t *testing.T, b []byte) {
		var h header
		if parseHeader(b, &h) != nil {
			return
		}
		require.GreaterOrEqual(t, h.cells, 0)
		if h.exception != nil {
			require.NotContains(t, h.exception.Error(), "\n")
		}
		call := NewCall()
		_ = call.fill(&h, b)
	})
}

func FuzzCells(f *testing.F) {
	c := &codec{Codec: compression.New("snappy")}
	f.Add(c.compress(nil, bytes.Repeat([]byte("cell"), 1000)), []byte("x"))
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 1, 0xff}, bytes.Repeat([]byte("cell"), 100_000))
	f.Fuzz(func(t *testing.T, blocks, cells []byte) {
		_, _ = c.decompress(nil, blocks)
		again, err := c.decompress(nil, c.compress(nil, cells))
		require.NoError(t, err)
		require.True(t, bytes.Equal(cells, again))
	})
}

func TestCallsHaveThePriorityOfTheirConnection(t *testing.T) {
	for _, want := range []uint32{0, 7, 200} {
		var got *pb.RequestHeader
		addr := peer(t, func(h *pb.RequestHeader, _ []byte) []byte {
			got = h
			return reply(h.GetCallId(), nil, nil, nil)
		})
		c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", Priority: want})
		require.NoError(t, err)
		call := NewCall()
		call.Method, call.Timeout = "Get", time.Second
		_, _, err = ask(c, call)
		require.NoError(t, err)
		c.Close()
		require.Equal(t, want, got.GetPriority())
		require.Equal(t, want > 0, got.Priority != nil, "without one the server chooses")
		require.EqualValues(t, 1000, got.GetTimeout())
	}
}
