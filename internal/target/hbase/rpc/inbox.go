package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// inbox is where answers come in. One at a time reads it: the connection's own goroutine, or a worker whose call is the
// only one that waits. Such a worker is woken by the network itself and not by another goroutine, which saves it a third
// of an operation's processor time.
type inbox struct {
	// What belongs to whoever reads.
	buf         []byte
	begin, end  int // of what has come and is not used yet
	header      header
	interrupted bool // was to yield in the middle of an answer
	idle        bool // after the last answer nobody waited, and of late nobody has waited beside another
	always      bool // the connection's own goroutine reads all the time

	// What Conn.mu guards.
	reading bool          // somebody does
	lead    bool          // that is a worker
	yield   bool          // who is to make room for the connection's own goroutine
	alone   int           // answers in a row to calls that waited alone
	wake    chan struct{} // tells the connection's own goroutine to read
}

// often is after how many calls that waited alone the connection's own goroutine leaves reading to workers: where they are
// several, changing places with them would cost more than it saves.
const often = 16

// Do sends a call, whose end Done tells. Where nobody reads and no other call waits, it reads until the call has ended; or
// until Yield is called, or quit says so at the beginning: then somebody else goes on.
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

// Yield makes a worker that reads leave it to the connection's own goroutine.
func (c *Conn) Yield() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.lead && !c.in.yield {
		c.in.yield = true
		_ = c.conn.SetReadDeadline(time.Unix(1, 0)) // it fails when the connection has failed, which the reader sees
	}
}

// Guard has the connection read although nobody waits, so that its end is seen before the next call is lost.
func (c *Conn) Guard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && c.waiting == 0 {
		c.appoint(false)
	}
}

// appoint finds somebody who reads, if nobody does: the caller, if it offers to and its call alone waits. With mu held.
func (c *Conn) appoint(offers bool) (leads bool) {
	switch {
	case c.in.reading:
		return false
	case offers && c.waiting == 1:
		c.in.lead = true
	default:
		c.in.wake <- struct{}{} // there is room: one is taken out before nobody reads again
	}
	c.in.reading = true
	return c.in.lead
}

// calm undoes what Yield did. With mu held.
func (c *Conn) calm() {
	if c.in.yield {
		c.in.yield = false
		_ = c.conn.SetReadDeadline(time.Time{}) // as in Yield
	}
}

// readOn reads when it is told to, until the connection has failed.
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

// broke ends the connection for an error of reading.
func (c *Conn) broke(err error) {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s has closed the connection", c.addr)
	} else {
		err = fmt.Errorf("read from %s: %w", c.addr, err)
	}
	c.fail(err)
}

// pull takes in answers: for a worker until its own call has ended or it is to yield, otherwise until workers had better
// read for themselves.
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
				break // soon it is
			}
			if !whole && in.end-in.begin < readBuffer {
				break // as much of it as there is room for
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
			return nil // it is to yield
		case err != nil:
			return err //nolint:wrapcheck // the caller does
		}
	}
}

// answer gives a frame of size bytes, of which the first are at hand, to the call that waits for it.
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
		return nil, h.exception // the server does not like the connection itself
	case !known:
		return nil, fmt.Errorf("%w (an answer to nobody's request)", errNonsense)
	case call == nil:
		return nil, c.drop(size - len(frame))
	}
	whole := call.take(len(body) + size - len(frame))
	if err := c.rest(whole[copy(whole, body):]); err != nil {
		call.finish(err)
		return nil, err
	}
	err := call.fill(h, whole)
	if err == nil && c.codec != nil && len(call.cells) > 0 {
		call.spare, err = c.codec.decompress(call.spare[:0], call.cells)
		call.cells = call.spare
	}
	call.finish(err)
	return call, nil
}

// drop reads the last n bytes of an answer that nobody waits for.
func (c *Conn) drop(n int) error {
	for n > 0 {
		b := c.in.buf[:min(n, len(c.in.buf))] // nothing in it is used any more
		if err := c.rest(b); err != nil {
			return err
		}
		n -= len(b)
	}
	return nil
}

// rest reads what is left of an answer. Whoever is to yield does so after it.
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
			return err //nolint:wrapcheck // the caller does
		}
	}
	return nil
}

// retires reports whether the connection's own goroutine stops reading: still nobody waits.
func (c *Conn) retires() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting > 0 {
		return false
	}
	c.in.reading = false
	return true
}
