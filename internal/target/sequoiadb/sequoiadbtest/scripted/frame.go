package scripted

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The operations, as seen on the wire.
const (
	update     = 2001
	insert     = 2002
	query      = 2004
	getMore    = 2005
	remove     = 2006
	kill       = 2007
	disconnect = 2008
	authMD5    = 7000
	authSCRAM  = 7003
)

// mostFrame is the longest message of a client.
const mostFrame = 512 << 20

// errViolation is the kind of errors of frames that break the protocol.
var errViolation = errors.New("violation of the protocol")

func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errViolation, fmt.Sprintf(format, args...))
}

// frame is a message of a client.
type frame struct {
	op      uint32
	thread  uint32
	route   uint64
	request uint64
	body    []byte
}

// readFrame reads a message with a header of version 1: 28 bytes.
func readFrame(r *bufio.Reader) (frame, error) {
	head := make([]byte, 28)
	if _, err := io.ReadFull(r, head); err != nil {
		return frame{}, fmt.Errorf("read header: %w", err)
	}
	length := binary.LittleEndian.Uint32(head[0:4])
	if length < 28 || length > mostFrame {
		return frame{}, violation("a message of %d bytes", length)
	}
	f := frame{
		op:      binary.LittleEndian.Uint32(head[4:8]),
		thread:  binary.LittleEndian.Uint32(head[8:12]),
		route:   binary.LittleEndian.Uint64(head[12:20]),
		request: binary.LittleEndian.Uint64(head[20:28]),
		body:    make([]byte, length-28),
	}
	if _, err := io.ReadFull(r, f.body); err != nil {
		return frame{}, fmt.Errorf("read body: %w", err)
	}
	return f, nil
}

// cursor reads a body from its beginning to its end.
type cursor struct {
	b   []byte
	at  int
	err error
}

func (c *cursor) take(n int) []byte {
	if c.err != nil {
		return make([]byte, n)
	}
	if n < 0 || n > len(c.b)-c.at {
		c.err = violation("a body of %d bytes ends within a field of %d at %d", len(c.b), n, c.at)
		return make([]byte, max(n, 0)%64)
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) int16() int16 { return int16(c.number(2)) }
func (c *cursor) int32() int32 { return int32(c.number(4)) }
func (c *cursor) int64() int64 { return int64(c.number(8)) }

func (c *cursor) number(size int) (n uint64) {
	b := c.take(size)
	if c.err != nil {
		return 0
	}
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// skip reads the zeros up to a multiple of four.
func (c *cursor) skip() {
	for c.err == nil && c.at%4 != 0 {
		if b := c.take(1); c.err == nil && b[0] != 0 {
			c.err = violation("padding of %#x at %d", b[0], c.at-1)
		}
	}
}

// name reads a name of a length, its NUL and its padding.
func (c *cursor) name(length int32) string {
	if length <= 0 || length > 255 {
		c.fail("a name of %d bytes", length)
		return ""
	}
	b := c.take(int(length) + 1)
	if c.err != nil {
		return ""
	}
	if b[length] != 0 {
		c.fail("the name %q has no NUL at its end", b)
	}
	c.skip()
	return string(b[:length])
}

// document reads a document and its padding.
func (c *cursor) document() bson.Raw {
	if c.err != nil || len(c.b)-c.at < 5 {
		c.fail("no document at %d of %d", c.at, len(c.b))
		return nil
	}
	n := binary.LittleEndian.Uint32(c.b[c.at:])
	if n > uint32(len(c.b)-c.at) {
		c.fail("a document of %d bytes at %d of %d", n, c.at, len(c.b))
		return nil
	}
	d := bson.Raw(c.take(int(n)))
	if err := d.Validate(); err != nil {
		c.fail("document: %v", err)
		return nil
	}
	c.skip()
	return d
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = violation(format, args...)
	}
}

// end checks that nothing is left.
func (c *cursor) end() error {
	if c.err == nil && c.at != len(c.b) {
		c.fail("%d bytes after the last document", len(c.b)-c.at)
	}
	return c.err
}

// request is the decoded body of an insert, update, delete or query.
type request struct {
	flags       uint32
	skip, limit int64 // of a query
	name        string
	documents   []bson.Raw
}

// readRequest decodes the body of an operation with documents.
func readRequest(op uint32, body []byte) (request, error) {
	c := &cursor{b: body}
	if v := c.int32(); c.err == nil && v != 1 {
		c.fail("version %d", v)
	}
	if w, pad := c.int16(), c.int16(); c.err == nil && (w != 0 || pad != 0) {
		c.fail("w %d and padding %d", w, pad)
	}
	var r request
	r.flags = uint32(c.int32())
	length := c.int32()
	if op == query {
		r.skip, r.limit = c.int64(), c.int64()
	}
	r.name = c.name(length)
	for c.err == nil && c.at < len(c.b) {
		r.documents = append(r.documents, c.document())
	}
	want := map[uint32]int{update: 3, remove: 2, query: 4}[op]
	if n := len(r.documents); c.err == nil && (want > 0 && n != want || n == 0) {
		c.fail("%d documents in operation %d", n, op)
	}
	return r, c.end()
}

// reply is an answer.
type reply struct {
	context   int64
	flag      int32
	documents []bson.Raw
	plain     bool // numReturned does not count the documents: those of errors
}

// bytes encodes the answer to a frame: header, context, flag, startFrom, numReturned, padded documents.
func (r reply) bytes(to frame) []byte {
	const head = 48
	b := append([]byte(nil), make([]byte, head)...)
	binary.LittleEndian.PutUint32(b[4:], to.op|0x80000000)
	binary.LittleEndian.PutUint32(b[8:], to.thread)
	binary.LittleEndian.PutUint64(b[12:], to.route)
	binary.LittleEndian.PutUint64(b[20:], to.request)
	binary.LittleEndian.PutUint64(b[28:], uint64(r.context))
	binary.LittleEndian.PutUint32(b[36:], uint32(r.flag))
	if !r.plain {
		binary.LittleEndian.PutUint32(b[44:], uint32(len(r.documents)))
	}
	for _, d := range r.documents {
		b = append(b, d...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// sysInfo is the server's system information: 128 bytes.
func sysInfo(scram bool) []byte {
	b := make([]byte, 128)
	copy(b, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFC, 0xFD, 0xFE, 0xFF, 128, 0, 0, 0})
	if scram {
		b[16] = 1
	}
	copy(b[28:], []byte{6, 0, 0})
	return b
}

// greets reports whether these are the first words of a client. The Java driver sends them in the order of its machine, big-endian, and
// takes over the server's order after it.
func greets(b []byte) bool {
	return bytes.Equal(b, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFC, 0xFD, 0xFE, 0xFF, 12, 0, 0, 0}) ||
		bytes.Equal(b, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xFD, 0xFC, 0, 0, 0, 12})
}
