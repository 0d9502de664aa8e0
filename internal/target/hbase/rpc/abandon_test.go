package rpc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAbandonedCallLeavesNothing(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	call := NewCall()
	var ids []uint32
	for range lastTerm + 10 {
		c.Send(call)
		freed, silent := c.Abandon(call)
		require.True(t, freed)
		require.True(t, silent)
		ids = append(ids, <-server.ids)
	}
	require.Len(t, c.slots, 2, "one of them has no ids left")
	require.Zero(t, c.waiting)

	// The answers still come, one of them longer than a read.
	out := <-server.conn
	answered := make(chan error, 1)
	go func() {
		for i, id := range ids {
			size := 1
			if i == 1 {
				size = 3*readBuffer + 1
			}
			if _, err := out.Write(reply(id, []byte("late"), bytes.Repeat([]byte("x"), size), nil)); err != nil {
				answered <- err
				return
			}
		}
		_, err := out.Write(reply(<-server.ids, []byte("mine"), nil, nil))
		answered <- err
	}()
	c.Do(call, never)
	<-call.Done()
	response, _, err := call.Answer()
	require.NoError(t, err)
	require.Equal(t, "mine", string(response))
	require.NoError(t, <-answered)
}

func TestACallIsNotFreedWhileItsAnswerArrives(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	call, other := NewCall(), NewCall()
	c.Send(call)
	c.Send(other)
	out := <-server.conn
	answer := reply(<-server.ids, nil, bytes.Repeat([]byte("x"), 2*readBuffer), nil)
	_, err := out.Write(answer[:readBuffer+4])
	require.NoError(t, err)
	eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.waiting == 1
	}, "the answer begins to come in")
	freed, _ := c.Abandon(call)
	require.False(t, freed, "its buffer is being written")
	freed, silent := c.Abandon(other)
	require.True(t, freed)
	require.False(t, silent, "the server has answered another call meanwhile")
	_, err = out.Write(answer[readBuffer+4:])
	require.NoError(t, err)
	<-call.Done()
	require.NoError(t, c.Err())
}

func TestACallOfAClosedConnectionIsNotFreed(t *testing.T) {
	addr, _ := hold(t)
	c := dial(t, addr, nil)
	call := NewCall()
	c.Send(call)
	c.Close()
	freed, silent := c.Abandon(call)
	require.False(t, freed)
	require.False(t, silent)
}
