package rpc

import (
	"bytes"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/tolerance"
)

func never() bool  { return false }
func always() bool { return true }

// reads returns the reader of a connection.
func reads(c *Conn) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.in.lead:
		return "a worker"
	case c.in.reading:
		return "its goroutine"
	}
	return "nobody"
}

// held is a server for which the test writes the answers.
type held struct {
	conn chan net.Conn
	ids  chan uint32 // of calls, in the order in which they come
}

// hold starts a held server.
func hold(t *testing.T) (addr string, h *held) {
	t.Helper()
	h = &held{conn: make(chan net.Conn, 1), ids: make(chan uint32, 100)}
	addr = serve(t, func(c net.Conn) { h.conn <- c }, func(_ net.Conn, header *pb.RequestHeader, _ []byte) bool {
		h.ids <- header.GetCallId()
		return true
	})
	return addr, h
}

func eventually(t *testing.T, ok func() bool, what string) {
	t.Helper()
	require.Eventually(t, ok, tolerance.Patience, time.Millisecond, what)
}

// do carries out a call in a goroutine of its own; returned is closed when Do has returned.
func do(c *Conn, call *Call) <-chan struct{} {
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		c.Do(call, never)
	}()
	return returned
}

func TestALoneWorkerReadsItsOwnAnswer(t *testing.T) {
	addr := peer(t, func(h *pb.RequestHeader, _ []byte) []byte { return reply(h.GetCallId(), []byte("m"), nil, nil) })
	c := dial(t, addr, nil)
	call := NewCall()
	for range 3 {
		c.Do(call, never)
		require.Len(t, call.done, 1, "it is there when Do returns: no other reader can have read it")
		<-call.Done()
		response, _, err := call.Answer()
		require.NoError(t, err)
		require.Equal(t, "m", string(response))
		require.Equal(t, "nobody", reads(c))
	}
}

func TestAWorkerThatYieldsLeavesItsAnswerToTheConnection(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	call := NewCall()
	returned := do(c, call)
	out := <-server.conn
	id := <-server.ids
	eventually(t, func() bool { return reads(c) == "a worker" }, "the worker reads")
	c.Yield()
	<-returned
	require.Empty(t, call.done)
	require.Equal(t, "its goroutine", reads(c))
	c.Yield() // does nothing without a reader
	_, err := out.Write(reply(id, []byte("late"), nil, nil))
	require.NoError(t, err)
	<-call.Done()
	response, _, err := call.Answer()
	require.NoError(t, err)
	require.Equal(t, "late", string(response))
}

func TestAWorkerThatYieldsWithinAnAnswerReadsItFirst(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	other, call := NewCall(), NewCall()
	returned := do(c, call)
	out := <-server.conn
	mine := <-server.ids
	c.Send(other)
	theirs := <-server.ids
	big := bytes.Repeat([]byte("0123456789"), 100_000)
	answer := reply(theirs, nil, big, nil)
	_, err := out.Write(answer[:len(answer)/2])
	require.NoError(t, err)
	c.Yield()
	_, err = out.Write(answer[len(answer)/2:])
	require.NoError(t, err)
	<-returned
	<-other.Done()
	_, cells, err := other.Answer()
	require.NoError(t, err)
	require.True(t, bytes.Equal(big, cells))
	require.Empty(t, call.done)
	_, err = out.Write(reply(mine, []byte("m"), nil, nil))
	require.NoError(t, err)
	<-call.Done()
	_, _, err = call.Answer()
	require.NoError(t, err)
}

func TestAWorkerWhoseTimeIsOverDoesNotBeginToRead(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	call := NewCall()
	c.Do(call, always)
	require.Empty(t, call.done)
	require.Equal(t, "its goroutine", reads(c))
	_, err := (<-server.conn).Write(reply(<-server.ids, []byte("m"), nil, nil))
	require.NoError(t, err)
	<-call.Done()
}

func TestAReaderServesAllWorkers(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	leader, follower := NewCall(), NewCall()
	returned := do(c, leader)
	out := <-server.conn
	first := <-server.ids
	c.Do(follower, never) // the leader is reading
	second := <-server.ids
	_, err := out.Write(reply(second, []byte("2"), nil, nil))
	require.NoError(t, err)
	<-follower.Done()
	c.Send(follower)
	third := <-server.ids
	_, err = out.Write(reply(first, []byte("1"), nil, nil))
	require.NoError(t, err)
	<-returned
	<-leader.Done()
	require.Equal(t, "its goroutine", reads(c), "another call waits")
	_, err = out.Write(reply(third, []byte("3"), nil, nil))
	require.NoError(t, err)
	<-follower.Done()
	response, _, err := follower.Answer()
	require.NoError(t, err)
	require.Equal(t, "3", string(response))
}

func TestTheConnectionLeavesReadingToALoneWorker(t *testing.T) {
	addr := peer(t, func(h *pb.RequestHeader, _ []byte) []byte { return reply(h.GetCallId(), []byte("m"), nil, nil) })
	c := dial(t, addr, nil)
	call := NewCall()
	c.Send(call) // Send does not read
	<-call.Done()
	require.Equal(t, "its goroutine", reads(c))
	for range often {
		c.Do(call, never)
		<-call.Done()
	}
	eventually(t, func() bool { return reads(c) == "nobody" }, "the goroutine rests")
	c.Do(call, never)
	require.Len(t, call.done, 1)
}

func TestAnIdleConnectionNoticesItsEnd(t *testing.T) {
	addr, server := hold(t)
	c := dial(t, addr, nil)
	out := <-server.conn
	c.Guard()
	c.Guard()
	require.Equal(t, "its goroutine", reads(c))
	require.NoError(t, out.Close())
	eventually(t, func() bool { return c.Err() != nil }, "its end is noticed without a call")
	require.ErrorContains(t, c.Err(), "has closed the connection")
	c.Guard()
	call := NewCall()
	c.Do(call, never)
	<-call.Done()
	_, _, err := call.Answer()
	require.ErrorContains(t, err, "has closed the connection")
}

func TestTheErrorOfAConnectionThatEndsWhileAWorkerReads(t *testing.T) {
	for name, end := range map[string]func(c *Conn, out net.Conn){
		"is closed on purpose": func(c *Conn, _ net.Conn) { c.Close() },
		"has closed":           func(_ *Conn, out net.Conn) { _ = out.Close() },
		"is the server an HBase region server": func(_ *Conn, out net.Conn) {
			_, _ = out.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			addr, server := hold(t)
			c := dial(t, addr, nil)
			call := NewCall()
			returned := do(c, call)
			out := <-server.conn
			<-server.ids
			end(c, out)
			<-returned
			<-call.Done()
			_, _, err := call.Answer()
			if name == "is closed on purpose" {
				require.ErrorIs(t, err, ErrClosed)
				return
			}
			require.ErrorContains(t, err, name)
		})
	}
}

// Each worker gets its own answers, however workers come, go and yield.
func TestEachWorkerGetsItsOwnAnswers(t *testing.T) {
	addr := peer(t, func(h *pb.RequestHeader, rest []byte) []byte {
		param, _ := protowire.ConsumeBytes(rest)
		return reply(h.GetCallId(), param, bytes.Repeat(param, int(param[0])*200), nil)
	})
	c := dial(t, addr, nil)
	var work sync.WaitGroup
	for worker := range 4 {
		calls := 500
		if worker == 0 {
			calls = 2000 // calls of the others do not touch it
		}
		work.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(worker)))
			call := NewCall()
			for i := range calls {
				call.Request = append(call.Request[:0], byte(rng.IntN(256)), byte(worker), byte(i), byte(i>>8))
				switch rng.IntN(8) {
				case 0:
					c.Yield()
				case 1:
					c.Guard()
				}
				switch rng.IntN(4) {
				case 0:
					c.Send(call)
				case 1:
					c.Do(call, func() bool { return rng.IntN(2) == 0 })
				default:
					c.Do(call, never)
				}
				<-call.Done()
				response, cells, err := call.Answer()
				if err != nil || !bytes.Equal(call.Request, response) || !bytes.Equal(cells, bytes.Repeat(response, int(response[0])*200)) {
					t.Errorf("worker %d, call %d: %v, %v, %d bytes of cells (%v)", worker, i, call.Request, response, len(cells), err)
					return
				}
			}
		})
	}
	work.Wait()
}

// A connection whose workers read for themselves notices its end at the next call; one that keeps reading notices it at once.
func TestAConnectionThatKeepsReadingNoticesItsEndWithoutACall(t *testing.T) {
	for _, calls := range []int{0, 1, often + 5} {
		answered := 0
		addr := serve(t, func(c net.Conn) {
			if calls == 0 {
				_ = c.Close()
			}
		}, func(c net.Conn, h *pb.RequestHeader, _ []byte) (more bool) {
			answered++
			_, err := c.Write(reply(h.GetCallId(), nil, nil, nil))
			return err == nil && answered < calls
		})
		c, err := Dial(t.Context(), addr, Config{User: "me", Service: "MasterService", KeepReading: true})
		require.NoError(t, err)
		call := NewCall()
		for range calls {
			_, _, err := ask(c, call)
			require.NoError(t, err)
		}
		eventually(t, func() bool { return c.Err() != nil }, "the end of the connection is seen")
		c.Close()
	}
}
