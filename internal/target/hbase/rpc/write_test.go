package rpc

import (
	"bytes"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
)

// When a server reads nothing, the network's buffers fill up. The worker must not wait for it: nothing would end its wait.
func TestAWorkerDoesNotWaitForAServerThatReadsNothing(t *testing.T) {
	for _, known := range []bool{false, true} {
		doesNotWait(t, listen(t), known, nil)
		doesNotWait(t, tlsListener(t), known, tlsClient)
	}
}

func doesNotWait(t *testing.T, l net.Listener, known bool, secure Secure) {
	t.Helper()
	read := make(chan struct{})
	addr := serveOn(t, l, func(net.Conn) { <-read }, func(c net.Conn, h *pb.RequestHeader, rest []byte) bool {
		param, _ := protowire.ConsumeBytes(rest)
		_, err := c.Write(reply(h.GetCallId(), param[:10], nil, nil))
		return err == nil
	})
	defer func() {
		select {
		case <-read:
		default:
			close(read)
		}
	}()
	c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", KnownIO: known, Secure: secure})
	require.NoError(t, err)
	defer c.Close()
	var calls []*Call
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range 3 {
			call := NewCall()
			call.Request = bytes.Repeat([]byte{byte('a' + i)}, 32<<20)
			c.Do(call, always)
			calls = append(calls, call)
		}
	}()
	eventually(t, func() bool {
		select {
		case <-sent:
			return true
		default:
			return false
		}
	}, "the worker is free although nothing is read")
	freed, silent := c.Abandon(calls[1])
	require.True(t, freed)
	require.True(t, silent)

	// The rest is written completely and in order.
	close(read)
	for i, at := range []int{0, 2} {
		<-calls[at].Done()
		response, _, err := calls[at].Answer()
		require.NoError(t, err, i)
		require.Equal(t, bytes.Repeat([]byte{byte('a' + at)}, 10), response)
	}
}
