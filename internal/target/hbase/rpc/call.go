package rpc

import (
	"errors"
	"time"
)

// keepBuffer is the largest buffer that a call keeps for its next answer.
const keepBuffer = 4 << 20

// Call is a request and its answer. One worker at a time can use it, any number of times. A worker that stops waiting for the
// answer must call Conn.Abandon.
type Call struct {
	Method  string
	Request []byte        // the encoded message
	Cells   []byte        // the cells of the request
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

// take returns a buffer for an answer of n bytes.
func (c *Call) take(n int) []byte {
	if cap(c.buffer) < n || cap(c.buffer) > keepBuffer && n <= keepBuffer {
		c.buffer = make([]byte, n, n+n/4)
	}
	c.buffer = c.buffer[:n]
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
