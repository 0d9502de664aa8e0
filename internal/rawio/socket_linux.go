package rawio

import (
	"fmt"
	"io"
	"net"
	"syscall"
)

// Socket is a TCP connection that reads and writes by raw system calls. When a call would block, the runtime waits
// as for any connection.
//
// It supports one reading and one writing goroutine at a time.
type Socket struct {
	net.Conn

	raw       syscall.RawConn
	in, out   transfer
	pull, put func(fd uintptr) (done bool)
}

// transfer is a read or a write under way.
type transfer struct {
	b   []byte
	n   int // bytes of b that are done
	err error

	once bool // do not wait for the network to accept more
}

// NewSocket makes a Socket of a TCP connection.
func NewSocket(c *net.TCPConn) (*Socket, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("use connection: %w", err)
	}
	s := &Socket{Conn: c, raw: raw}
	s.pull, s.put = s.read, s.write
	return s, nil
}

// Conn makes a Socket of a TCP connection, and returns any other connection as it is.
func Conn(c net.Conn) net.Conn {
	if tcp, ok := c.(*net.TCPConn); ok {
		if s, err := NewSocket(tcp); err == nil {
			return s
		}
	}
	return c
}

// Read reads what has arrived, at most Most bytes.
func (s *Socket) Read(b []byte) (int, error) {
	s.in = transfer{b: b}
	return s.in.end(s.raw.Read(s.pull))
}

// Write writes all of b.
func (s *Socket) Write(b []byte) (int, error) {
	s.out = transfer{b: b}
	return s.out.end(s.raw.Write(s.put))
}

// WriteSome writes as much of b as the network accepts at once.
func (s *Socket) WriteSome(b []byte) (int, error) {
	s.out = transfer{b: b, once: true}
	return s.out.end(s.raw.Write(s.put))
}

// end returns the result of the transfer, and releases its bytes. Waited is the error of waiting, such as a passed deadline.
func (t *transfer) end(waited error) (int, error) {
	n, err := t.n, t.err
	*t = transfer{}
	if waited != nil {
		err = waited
	}
	return n, err
}

// read reads once, if anything has arrived.
func (s *Socket) read(fd uintptr) (done bool) {
	t := &s.in
	n, errno := Read(fd, t.b)
	switch {
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		t.err = errno
	case n == 0 && len(t.b) > 0:
		t.err = io.EOF
	}
	t.n = n
	return true
}

// write writes as much as possible.
func (s *Socket) write(fd uintptr) (done bool) {
	t := &s.out
	for t.n < len(t.b) {
		n, errno := Write(fd, t.b[t.n:])
		if errno == syscall.EAGAIN {
			return t.once
		}
		if errno != 0 {
			t.err = errno
			break
		}
		t.n += n
	}
	return true
}
