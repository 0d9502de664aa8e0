package admin

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// master returns a client whose master calls serve with each connection after the client's header, and then closes it.
func master(t *testing.T, serve func(net.Conn)) *Client {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close()
				hello := make([]byte, 10)
				if _, err := io.ReadFull(conn, hello); err != nil {
					return
				}
				if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(hello[6:]))); err == nil {
					serve(conn)
				}
			})
		}
	})
	c, err := newClient(Config{Quorum: "127.0.0.1:1"}.withDefaults())
	require.NoError(t, err)
	c.sites.master = l.Addr().String()
	t.Cleanup(func() {
		c.Close()
		require.NoError(t, l.Close())
		work.Wait()
	})
	return c
}

// answer reads a request and writes an answer without a message.
func answer(conn net.Conn) error {
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, frame); err != nil {
		return err
	}
	head, _ := protowire.ConsumeBytes(frame)
	var request hbasepb.RequestHeader
	if err := proto.Unmarshal(head, &request); err != nil {
		return err
	}
	return write(conn, &hbasepb.ResponseHeader{CallId: request.CallId})
}

func write(conn net.Conn, header *hbasepb.ResponseHeader) error {
	head, err := proto.Marshal(header)
	if err != nil {
		return err
	}
	frame := append(protowire.AppendBytes(nil, head), 0)
	_, err = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	return err
}

// A change is not sent on a connection that the server has closed since the last one: its outcome would be unknown.
func TestAChangeTakesANewConnectionWhereTheLastHasEnded(t *testing.T) {
	c := master(t, func(conn net.Conn) {
		if err := answer(conn); err != nil {
			t.Errorf("answer: %v", err)
		}
	})
	to := endpoint{masterService, c.Master()}
	for range 3 {
		require.NoError(t, c.change(t.Context(), "MoveRegion", &hbasepb.MoveRegionRequest{}, &hbasepb.MoveRegionResponse{}))
		c.mu.Lock()
		conn := c.conns[to]
		c.mu.Unlock()
		require.Eventually(t, func() bool { return conn.Err() != nil }, 20*time.Second, time.Millisecond)
	}
}

// A change whose connection ends before the answer may have been carried out.
func TestAChangeThatIsNotAnsweredIsUnknown(t *testing.T) {
	c := master(t, func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 4))
	})
	err := c.change(t.Context(), "MoveRegion", &hbasepb.MoveRegionRequest{}, &hbasepb.MoveRegionResponse{})
	require.ErrorIs(t, err, ErrUnknown)
}

// A server that refuses the connection gives its reason, and is not asked again: it would refuse the next one, too.
func TestTheReasonOfARefusedConnectionIsReported(t *testing.T) {
	c := master(t, func(conn net.Conn) {
		const class = "org.apache.hadoop.hbase.security.AccessDeniedException"
		if err := write(conn, &hbasepb.ResponseHeader{
			CallId: proto.Uint32(1<<32 - 1), Exception: &hbasepb.ExceptionResponse{
				ExceptionClassName: new(class), StackTrace: new(class + ": Authentication is required"), DoNotRetry: new(true),
			},
		}); err != nil {
			t.Errorf("refuse: %v", err)
		}
		_, _ = io.Copy(io.Discard, conn) // until the client hangs up
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := c.masterServes(ctx)
	require.ErrorContains(t, err, "AccessDeniedException: Authentication is required")
	require.ErrorAs(t, err, new(*protocol.Exception))
	require.NoError(t, ctx.Err())
}
