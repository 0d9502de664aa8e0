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
	shortFrame   = 64 << 10 // longer frames count against the server's budget
	readBuffer   = 16 << 10
	inHand       = 256 // concurrent calls of one connection
	helloTimeout = 10 * time.Second
	bodyTimeout  = 60 * time.Second
)

const fatalClass = "org.apache.hadoop.hbase.ipc.FatalConnectionException"

// Conn is a client's connection.
type Conn struct {
	// Plain means that the client wants cells within messages: it named no encoding for cell blocks.
	Plain bool
	// User is the user that the client names.
	User string

	server  *Server
	service Service
	pack    compressor
	conn    net.Conn
	reader  *bufio.Reader
	out     output
	slots   chan struct{} // bounds the calls served beside the reader
	calls   sync.WaitGroup
	ctx     context.Context //nolint:containedctx // ends with the connection; for the calls in progress
	quick   task
}

// Call is a request of a client. Its slices are valid until it is answered.
type Call struct {
	Conn    *Conn
	Method  []byte
	Param   []byte // message
	Cells   []byte // cell block
	Timeout uint32 // client's timeout in milliseconds, or 0

	id       uint32
	unpacked []byte // memory for decompressed blocks
}

// Answer is a Service's answer to a Call: a message, or an encoded message, with a cell block; or an exception. Body
// and Cells are empty on entry and may have capacity.
type Answer struct {
	Message   proto.Message
	Body      []byte
	Cells     []byte
	Exception *protocol.Exception
	// Cut ends the connection after this share of the answer; faults use it.
	Cut      bool
	CutAfter float64
}

// Fail turns an error into the answer.
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

// Service serves the calls of a connection.
type Service interface {
	// Quick reports whether the call is so short that the next one can wait for it.
	Quick(call *Call) bool
	// Serve answers the call. It may run for several calls at once; ctx ends with the connection.
	Serve(ctx context.Context, call *Call, answer *Answer)
}

// task is a call with its serving state.
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
	defer c.conn.Close() // writers do not wait
	c.quick.call.Conn = c
	for {
		if err := c.next(); err != nil {
			return err
		}
	}
}

// open reads the preamble and the header.
func (c *Conn) open() error {
	c.deadline(helloTimeout)
	defer c.deadline(0)
	var preamble [10]byte
	if _, err := io.ReadFull(c.reader, preamble[:6]); err != nil {
		return err
	}
	if string(preamble[:4]) != "HBas" {
		return Finalf(fatalClass, "expected the preamble HBas of an HBase client, not %q", preamble[:4])
	}
	if preamble[4] != 0 {
		return Finalf("org.apache.hadoop.hbase.ipc.WrongVersionException", "expected protocol version 0, not %d", preamble[4])
	}
	if preamble[5] != 80 {
		return Finalf("org.apache.hadoop.hbase.ipc.BadAuthException",
			"authentication code %d: the sandbox supports only simple authentication; set hbase.security.authentication=simple", preamble[5])
	}
	if _, err := io.ReadFull(c.reader, preamble[6:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(preamble[6:])
	if n > maxHeader {
		return Finalf(fatalClass, "connection header of %d bytes is too long", n)
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

// deadline sets the read deadline; zero means none. On a connection that refuses it, reads fail.
func (c *Conn) deadline(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	_ = c.conn.SetReadDeadline(at)
}

// discard skips buffered bytes, which cannot fail.
func (c *Conn) discard(n int) { _, _ = c.reader.Discard(n) }

// refuse sends a client the reason why its connection ends.
func (c *Conn) refuse(e *protocol.Exception) {
	const nobody = -1 & 0xffffffff // no call has this id
	frame, err := (&Answer{Exception: e}).append(nil, nobody, nil)
	if err == nil {
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.conn.Write(frame) // the connection ends in any case
	}
}

// next reads a call and arranges its answer.
func (c *Conn) next() error {
	if c.reader.Buffered() < 4 {
		c.out.flush() // no further call to answer with it
	}
	head, err := c.reader.Peek(4)
	if err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint32(head))
	if n > maxFrame {
		c.refuse(Finalf("org.apache.hadoop.hbase.exceptions.RequestTooBigException", "a request of %d bytes; at most %d are allowed", n, maxFrame))
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
	t := c.server.tasks.Get().(*task) //nolint:errcheck,forcetypeassert // the pool has only tasks
	t.frame = append(t.frame[:0], frame...)
	return c.beside(t)
}

// long reads a frame that is longer than the buffer.
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

// pass holds a call that was read while the server is stopped.
func (c *Conn) pass() error {
	if c.server.Gate.opened.Load() == nil {
		return nil
	}
	c.server.Gate.Wait(nil)
	return c.ctx.Err()
}

// beside serves a call in its own goroutine. It waits if too many calls are in progress.
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

// answer serves a call and queues the answer; the caller flushes it.
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

// unpack decompresses a call's cell block, and returns how much it took from the budget.
func (c *Conn) unpack(call *Call) (charge int64, err error) {
	if len(call.Cells) == 0 {
		return 0, nil
	}
	if c.Plain {
		return 0, Finalf("org.apache.hadoop.hbase.DoNotRetryIOException", "a cell block on a connection that named no encoding for it")
	}
	if c.pack == nil {
		return 0, nil
	}
	if most := c.pack.most(call.Cells); most > shortFrame {
		// Waiting could deadlock with other calls that wait here.
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

// grow appends n bytes as they are read, and allocates as they arrive.
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
