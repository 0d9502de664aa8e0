package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// inbox receives answers. It has one reader at a time: the connection's own goroutine, or a worker whose call is the only one
// waiting. The network wakes such a worker directly, not through another goroutine, which saves a third of an operation's CPU
// time.
type inbox struct {
	// Owned by the reader.
	buf         []byte
	begin, end  int // of received bytes that are not processed yet
	header      header
	interrupted bool // a yield was requested in the middle of an answer
	idle        bool // no call waits after the last answer, and recent calls waited alone
	always      bool // the connection's own goroutine always reads

	// Guarded by Conn.mu.
	reading bool          // there is a reader
	lead    bool          // the reader is a worker
	yield   bool          // that worker must hand over to the connection's own goroutine
	alone   int           // answers in a row to calls that waited alone
	wake    chan struct{} // makes the connection's own goroutine read
}

// often is how many calls in a row must wait alone before the connection's own goroutine leaves reading to workers: with several
// workers, changing readers would cost more than it saves.
const often = 16

// Do sends a call; Done signals its end. If there is no reader and no other waiting call, Do reads until the call has ended or
// Yield is called; it does not read if quit returns true at first. Then another reader takes over.
func (c *Conn) Do(call *Call, quit func() bool) {
	if !c.send(call, true) {
		return
	}
	var err error
	if !quit() {
		err = c.pull(call)
	}
	if err != nil {
		c.broke(err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calm()
	c.in.lead, c.in.reading = false, false
	if c.waiting > 0 {
		c.appoint(false)
	}
}

// Yield makes a worker that is reading hand over to the connection's own goroutine.
func (c *Conn) Yield() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.lead && !c.in.yield {
		c.in.yield = true
		_ = c.conn.SetReadDeadline(time.Unix(1, 0)) // an error means that the connection has failed, which the reader notices
	}
}

// Guard starts reading an idle connection, so that its end is noticed before the next call is lost.
func (c *Conn) Guard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.waiting == 0 {
		c.appoint(false)
	}
}

// appoint chooses a reader if there is none: the caller if it offers to read and its call waits alone, otherwise the connection's
// own goroutine. The caller holds mu.
func (c *Conn) appoint(offers bool) (leads bool) {
	switch {
	case c.in.reading:
		return false
	case offers && c.waiting == 1:
		c.in.lead = true
	default:
		c.in.wake <- struct{}{} // never blocks: the last one was received before reading became false
	}
	c.in.reading = true
	return c.in.lead
}

// calm reverts Yield. The caller holds mu.
func (c *Conn) calm() {
	if c.in.yield {
		c.in.yield = false
		_ = c.conn.SetReadDeadline(time.Time{}) // as in Yield
	}
}

// readOn reads on each wake until the connection has failed.
func (c *Conn) readOn() {
	for {
		select {
		case <-c.in.wake:
			if err := c.pull(nil); err != nil {
				c.broke(err)
				return
			}
		case <-c.ended:
			return
		}
	}
}

// broke ends the connection after a read error.
func (c *Conn) broke(err error) {
	switch {
	case errors.Is(err, io.EOF) && c.sealed == nil && c.silent():
		err = fmt.Errorf("%s has closed the connection without an answer; if the cluster requires TLS or Kerberos, give its settings, such as by --hbase-conf", c.addr)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%s has closed the connection", c.addr)
	default:
		err = fmt.Errorf("read from %s: %w", c.addr, err)
	}
	c.fail(err)
}

// silent reports whether the server has answered nothing on the connection.
func (c *Conn) silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered == 0
}

// pull reads answers: for a worker until its own call has ended or it must yield, otherwise until workers should read for
// themselves.
func (c *Conn) pull(own *Call) error {
	in := &c.in
	if in.buf == nil {
		in.buf = make([]byte, readBuffer)
	}
	in.interrupted = false
	for {
		for in.end-in.begin >= 4 {
			size := int(binary.BigEndian.Uint32(in.buf[in.begin:]))
			if size > most {
				return errNonsense
			}
			frame := in.buf[in.begin+4 : in.end]
			whole := size <= len(frame)
			if !whole && size+4 <= readBuffer {
				break // the rest will fit into the buffer
			}
			if !whole && in.end-in.begin < readBuffer {
				break // fill the buffer first
			}
			frame = frame[:min(size, len(frame))]
			call, err := c.answer(frame, size)
			if err != nil {
				return err
			}
			in.begin = min(in.begin+4+size, in.end)
			if call != nil && call == own || in.interrupted || own == nil && in.idle && c.retires() {
				return nil
			}
		}
		if in.begin > 0 {
			copy(in.buf, in.buf[in.begin:in.end])
			in.begin, in.end = 0, in.end-in.begin
		}
		n, err := c.conn.Read(in.buf[in.end:])
		in.end += n
		switch {
		case n > 0:
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil // yield
		case err != nil:
			return err //nolint:wrapcheck // the caller wraps it
		}
	}
}

// answer passes a frame of size bytes to the call that waits for it. Frame has the first of these bytes.
func (c *Conn) answer(frame []byte, size int) (*Call, error) {
	h := &c.in.header
	message, body, ok := delimited(frame)
	if !ok {
		return nil, errNonsense
	}
	if err := parseHeader(message, h); err != nil {
		return nil, err
	}
	call, known := c.unplace(h.id)
	switch {
	case !known && h.exception != nil:
		return nil, c.refused(h.exception)
	case !known:
		return nil, fmt.Errorf("%w (an answer without a request)", errNonsense)
	case call == nil:
		return nil, c.drop(size - len(frame))
	}
	whole, err := c.receive(call, body, len(body)+size-len(frame))
	if err != nil {
		call.finish(err)
		return nil, err
	}
	err = call.fill(h, whole)
	if err == nil && c.codec != nil && len(call.cells) > 0 {
		call.spare, err = c.codec.decompress(call.spare[:0], call.cells)
		call.cells = call.spare
	}
	call.finish(err)
	return call, nil
}

// refused returns the error of a connection that the server refuses.
func (c *Conn) refused(by *protocol.Exception) error {
	err := fmt.Errorf("%s refuses the connection: %w", c.addr, by)
	if c.named && strings.HasSuffix(by.Class, ".AccessDeniedException") {
		return Final(fmt.Errorf("%w; the cluster requires Kerberos: set hbase.security.authentication=kerberos, such as by --hbase-conf, and give the agent a keytab (--kerberos-keytab)", err))
	}
	return err
}

// receive reads an answer of size bytes, of which body has arrived. The buffer of a large answer grows with what arrives: a server
// can announce more than it sends.
func (c *Conn) receive(call *Call, body []byte, size int) ([]byte, error) {
	whole := call.take(min(size, max(trusted, len(body))), c.memory)
	for done := copy(whole, body); ; {
		if err := c.rest(whole[done:]); err != nil {
			return nil, err
		}
		if done = len(whole); done == size {
			return whole, nil
		}
		more := min(size-done, done)
		whole = c.memory.Grow(whole, more)[:done+more]
		call.buffer = whole
	}
}

// drop reads the last n bytes of an answer that nobody waits for.
func (c *Conn) drop(n int) error {
	for n > 0 {
		b := c.in.buf[:min(n, len(c.in.buf))] // its content is no longer needed
		if err := c.rest(b); err != nil {
			return err
		}
		n -= len(b)
	}
	return nil
}

// rest reads the rest of an answer. A reader that must yield does so after it.
func (c *Conn) rest(b []byte) error {
	for len(b) > 0 {
		n, err := c.conn.Read(b)
		b = b[n:]
		switch {
		case n > 0:
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.in.interrupted = true
			c.mu.Lock()
			c.calm()
			c.mu.Unlock()
		case err != nil:
			return err //nolint:wrapcheck // the caller wraps it
		}
	}
	return nil
}

// retires stops reading by the connection's own goroutine, unless a call waits by now.
func (c *Conn) retires() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 0 {
		return false
	}
	c.in.reading = false
	return true
}
