package rpc

import (
	"errors"
	"time"
)

// keepBuffer is the largest buffer that a call keeps for its next answer.
const keepBuffer = 4 << 20

// Call is one request and its answer. It serves again and again, for one worker at a time. A worker that stops waiting for
// the answer must call Conn.Abandon.
type Call struct {
	Method  string
	Request []byte        // the request's message, encoded
	Cells   []byte        // the cells that go with it
	Timeout time.Duration // after which the server need not begin; 0 for none

	id       uint32 // on its connection
	answered uint64 // calls of the connection when it was sent

	done     chan struct{}
	err      error
	buffer   []byte // holds the answer
	response []byte
	cells    []byte
	spare    []byte // for cells that come compressed
}

// NewCall makes a Call.
func NewCall() *Call { return &Call{done: make(chan struct{}, 1)} }

// Done tells when the answer, or an error, is there: once for each Send.
func (c *Call) Done() <-chan struct{} { return c.done }

// Answer returns the response's message and its cells, which are valid until the call is sent again. It is called
// after Done.
func (c *Call) Answer() (response, cells []byte, err error) { return c.response, c.cells, c.err }

// finish wakes the worker.
func (c *Call) finish(err error) {
	c.err = err
	if err != nil {
		c.response, c.cells = nil, nil
	}
	c.done <- struct{}{}
}

// take makes room for an answer of n bytes.
func (c *Call) take(n int) []byte {
	if cap(c.buffer) < n || cap(c.buffer) > keepBuffer && n <= keepBuffer {
		c.buffer = make([]byte, n, n+n/4)
	}
	c.buffer = c.buffer[:n]
	return c.buffer
}

var errCutShort = errors.New("the answer is cut short")

// fill divides an answer into message and cells.
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
