package rpc

import (
	"errors"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/memory"
)

// trusted is the length of an answer for which there is room before it arrives.
const trusted = 4 << 20

// Call is a request and its answer. One worker at a time can use it, any number of times. A worker that stops waiting for the
// answer must call Conn.Abandon.
type Call struct {
	Method  string
	Request []byte        // the encoded message
	Cells   []byte        // the cells of the request; nil after Send if the connection has taken the buffer
	Timeout time.Duration // after which the server need not begin the call; 0 for none

	id       uint32 // on its connection
	answered uint64 // calls answered on the connection when this one was sent

	done     chan struct{}
	err      error
	buffer   []byte // holds the answer
	response []byte
	cells    []byte
	spare    []byte // for compressed cells
}

// NewCall makes a Call.
func NewCall() *Call { return &Call{done: make(chan struct{}, 1)} }

// Done returns a channel that receives once for each Send, when the answer or an error is there.
func (c *Call) Done() <-chan struct{} { return c.done }

// Answer returns the response's message and cells, which are valid until the call is sent again. It must be called after Done.
func (c *Call) Answer() (response, cells []byte, err error) { return c.response, c.cells, c.err }

// finish wakes the worker.
func (c *Call) finish(err error) {
	c.err = err
	if err != nil {
		c.response, c.cells = nil, nil
	}
	c.done <- struct{}{}
}

// Release returns large buffers to a pool. The answer is no longer valid.
func (c *Call) Release(to *memory.Pool) {
	c.response, c.cells = nil, nil
	c.Request, c.Cells = to.Release(c.Request), to.Release(c.Cells)
	c.buffer, c.spare = to.Release(c.buffer), to.Release(c.spare)
}

// take returns a buffer for an answer of n bytes.
func (c *Call) take(n int, from *memory.Pool) []byte {
	c.buffer = from.Grow(c.buffer[:0], n)[:n]
	return c.buffer
}

var errCutShort = errors.New("truncated answer")

// fill splits an answer into message and cells.
func (c *Call) fill(h *header, body []byte) error {
	c.response, c.cells = nil, nil
	if h.exception != nil {
		return h.exception
	}
	if h.cells > len(body) {
		return errCutShort
	}
	message, cells := body[:len(body)-h.cells], body[len(body)-h.cells:]
	message, rest, ok := delimited(message)
	if !ok || len(rest) > 0 {
		return errCutShort
	}
	c.response, c.cells = message, cells
	return nil
}
