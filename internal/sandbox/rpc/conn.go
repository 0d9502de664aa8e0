package rpc

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

const (
	maxHeader    = 1 << 20
	maxFrame     = 64 << 20
	shortFrame   = 64 << 10 // longer ones are counted against the server's budget
	readBuffer   = 16 << 10
	inHand       = 256 // calls of one connection that are being served
	helloTimeout = 10 * time.Second
	bodyTimeout  = 60 * time.Second
)

const fatalClass = "org.apache.hadoop.hbase.ipc.FatalConnectionException"

// Conn is one connection of a client.
type Conn struct {
	// Plain says that the client asked for cells within messages: it named no encoding for blocks of them.
	Plain bool
	// User is on whose behalf the client says that it calls.
	User string

	server  *Server
	service Service
	pack    compressor
	conn    net.Conn
	reader  *bufio.Reader
	out     output
	slots   chan struct{} // as many as calls are being served beside the reader
	calls   sync.WaitGroup
	ctx     context.Context //nolint:containedctx // ends with the connection, for the calls that are being served
	quick   task
}

// Call is one request of a client. Its slices are valid until it is answered.
type Call struct {
	Conn    *Conn
	Method  []byte
	Param   []byte // the message
	Cells   []byte // the block of cells
	Timeout uint32 // milliseconds that the client will wait, or 0

	id       uint32
	unpacked []byte // memory for blocks that came compressed
}

// Answer is what a Service says to a Call: a message, or one that is encoded already, with a block of cells; or an
// exception. Body and Cells come empty and may have room.
type Answer struct {
	Message   proto.Message
	Body      []byte
	Cells     []byte
	Exception *protocol.Exception
	// Cut ends the connection after so great a part of the answer: for faults.
	Cut      bool
	CutAfter float64
}

// Fail makes an error the answer.
func (a *Answer) Fail(err error) { a.Exception = AsException(err) }

func (a *Answer) reset() {
	const keep = 256 << 10
	body, cells := a.Body[:0], a.Cells[:0]
	if cap(body) > keep {
		body = nil
	}
	if cap(cells) > keep {
		cells = nil
	}
	*a = Answer{Body: body, Cells: cells}
}

// Service answers the calls of a connection.
type Service interface {
	// Quick says whether the call takes so little time that the next one may wait for it.
	Quick(call *Call) bool
	// Serve answers the call. It may be called for several calls at once; ctx ends with the connection.
	Serve(ctx context.Context, call *Call, answer *Answer)
}

// task is a call with what is needed to serve it.
type task struct {
	call   Call
	answer Answer
	frame  []byte
	charge int64
}

func (c *Conn) serve() error {
	if err := c.open(); err != nil {
		if e, ok := errors.AsType[*protocol.Exception](err); ok {
			c.refuse(e)
		}
		return err
	}
	ctx, cancel := context.WithCancel(c.server.ctx)
	c.ctx = ctx
	defer c.calls.Wait()
	defer cancel()
	defer c.out.close()
	defer c.conn.Close() // writers need not wait
	c.quick.call.Conn = c
	for {
		if err := c.next(); err != nil {
			return err
		}
	}
}

// Open reads the preamble and the header.
func (c *Conn) open() error {
	c.deadline(helloTimeout)
	defer c.deadline(0)
	var preamble [10]byte
	if _, err := io.ReadFull(c.reader, preamble[:6]); err != nil {
		return err
	}
	if string(preamble[:4]) != "HBas" {
		return Finalf(fatalClass, "expected the preamble HBas, not %q, of a client of HBase", preamble[:4])
	}
	if preamble[4] != 0 {
		return Finalf("org.apache.hadoop.hbase.ipc.WrongVersionException", "expected version 0 of the protocol, not %d", preamble[4])
	}
	if preamble[5] != 80 {
		return Finalf("org.apache.hadoop.hbase.ipc.BadAuthException",
			"authentication code %d: the sandbox knows simple authentication alone; set hbase.security.authentication=simple", preamble[5])
	}
	if _, err := io.ReadFull(c.reader, preamble[6:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(preamble[6:])
	if n > maxHeader {
		return Finalf(fatalClass, "a connection header of %d bytes", n)
	}
	b, err := grow(c.reader, nil, int(n))
	if err != nil {
		return err
	}
	var header hbasepb.ConnectionHeader
	if err := proto.Unmarshal(b, &header); err != nil {
		return Finalf(fatalClass, "malformed connection header: %v", err)
	}
	switch class := header.GetCellBlockCodecClass(); class {
	case "":
		c.Plain = true
	case "org.apache.hadoop.hbase.codec.KeyValueCodec":
	default:
		return Finalf("org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException",
			"%s; set hbase.client.rpc.codec=org.apache.hadoop.hbase.codec.KeyValueCodec", class)
	}
	if c.pack, err = compressorOf(header.GetCellBlockCompressorClass()); err != nil {
		return Finalf("org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException", "%v", err)
	}
	c.User = header.GetUserInfo().GetEffectiveUser()
	name := header.GetServiceName()
	if c.service = c.server.services[name]; c.service == nil {
		return Finalf("org.apache.hadoop.hbase.ipc.UnknownServiceException", "%q is not served here", name)
	}
	return nil
}

// Deadline is until when a read may take; zero is for ever. A connection that takes none fails as it is read.
func (c *Conn) deadline(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	_ = c.conn.SetReadDeadline(at)
}

// Discard goes past bytes that are in the buffer, which cannot fail.
func (c *Conn) discard(n int) { _, _ = c.reader.Discard(n) }

// Refuse sends a client the reason why its connection ends.
func (c *Conn) refuse(e *protocol.Exception) {
	const nobody = -1 & 0xffffffff // the id of no call
	frame, err := (&Answer{Exception: e}).append(nil, nobody, nil)
	if err == nil {
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.conn.Write(frame) // it ends in any case
	}
}

// Next reads a call and sees that it is answered.
func (c *Conn) next() error {
	if c.reader.Buffered() < 4 {
		c.out.flush() // nothing more to answer with it
	}
	head, err := c.reader.Peek(4)
	if err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint32(head))
	if n > maxFrame {
		c.refuse(Finalf("org.apache.hadoop.hbase.exceptions.RequestTooBigException", "a request of %d bytes; the most is %d", n, maxFrame))
		return errFrame
	}
	c.discard(4)
	c.server.received.Add(int64(4 + n))
	if c.reader.Buffered() < n {
		c.out.flush()
		c.deadline(bodyTimeout)
		defer c.deadline(0)
	}
	if n > c.reader.Size() {
		return c.long(n)
	}
	frame, err := c.reader.Peek(n)
	if err != nil {
		return err
	}
	defer c.discard(n)
	if err := c.pass(); err != nil {
		return err
	}
	if err := c.quick.call.parse(frame); err != nil {
		return err
	}
	if c.service.Quick(&c.quick.call) {
		c.answer(&c.quick)
		return nil
	}
	t := c.server.tasks.Get().(*task) //nolint:errcheck,forcetypeassert // nothing else is in the pool
	t.frame = append(t.frame[:0], frame...)
	return c.beside(t)
}

// Long reads a frame that the buffer cannot hold.
func (c *Conn) long(n int) error {
	t := &task{}
	if n > shortFrame {
		if err := c.server.budget.Acquire(c.ctx, int64(n)); err != nil {
			return fmt.Errorf("wait for memory: %w", err)
		}
		t.charge = int64(n)
	}
	var err error
	if t.frame, err = grow(c.reader, nil, n); err != nil {
		c.server.budget.Release(t.charge)
		return err
	}
	if err := c.pass(); err != nil {
		c.server.budget.Release(t.charge)
		return err
	}
	return c.beside(t)
}

// Pass holds up a call that was read while the server is stopped.
func (c *Conn) pass() error {
	if c.server.Gate.opened.Load() == nil {
		return nil
	}
	c.server.Gate.Wait(nil)
	return c.ctx.Err()
}

// Beside serves a call in a goroutine of its own. It waits when too many are in hand.
func (c *Conn) beside(t *task) error {
	t.call.Conn = c
	if err := t.call.parse(t.frame); err != nil {
		c.server.budget.Release(t.charge)
		return err
	}
	select {
	case c.slots <- struct{}{}:
	default:
		c.out.flush()
		select {
		case c.slots <- struct{}{}:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
	c.calls.Go(func() {
		c.answer(t)
		c.out.flush()
		<-c.slots
		if t.charge > 0 {
			c.server.budget.Release(t.charge)
			return
		}
		if cap(t.frame) <= shortFrame {
			t.call.Conn = nil
			c.server.tasks.Put(t)
		}
	})
	return nil
}

// Answer serves a call and hands over the answer; the caller sees that it goes out.
func (c *Conn) answer(t *task) {
	t.answer.reset()
	charge, err := c.unpack(&t.call)
	if err != nil {
		t.answer.Fail(err)
	} else {
		c.service.Serve(c.ctx, &t.call, &t.answer)
	}
	c.server.budget.Release(charge)
	c.out.put(&t.answer, t.call.id, c.pack)
}

// Unpack decompresses a call's block of cells, and returns what was taken from the budget for it.
func (c *Conn) unpack(call *Call) (charge int64, err error) {
	if len(call.Cells) == 0 {
		return 0, nil
	}
	if c.Plain {
		return 0, Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "a block of cells on a connection that named no encoding of it")
	}
	if c.pack == nil {
		return 0, nil
	}
	if most := c.pack.most(call.Cells); most > shortFrame {
		// Waiting here could be for calls that wait for the same.
		if !c.server.budget.TryAcquire(int64(most)) {
			return 0, Exceptionf("org.apache.hadoop.hbase.CallQueueTooBigException", "no memory for a block of %d bytes", most)
		}
		charge = int64(most)
	}
	plain, err := c.pack.decompress(call.unpacked[:0], call.Cells)
	if err != nil {
		c.server.budget.Release(charge)
		return 0, Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "%v", err)
	}
	call.Cells, call.unpacked = plain, nil
	if cap(plain) <= shortFrame {
		call.unpacked = plain
	}
	return charge, nil
}

// Grow appends n bytes that are read, and takes memory for them as they come.
func grow(r io.Reader, b []byte, n int) ([]byte, error) {
	for n > 0 {
		step := min(n, max(readBuffer, len(b)))
		at := len(b)
		b = slices.Grow(b, step)[:at+step]
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return nil, err
		}
		n -= step
	}
	return b, nil
}
