package rpc

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/benchd/benchd/internal/rawio"
)

// socket is a connection that reads and writes by raw system calls (package rawio). When a call would block, the runtime waits
// as for any connection.
//
// It supports one reading and one writing goroutine at a time.
type socket struct {
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

// ordinary is a connection with ordinary system calls.
type ordinary struct {
	net.Conn
	raw syscall.RawConn
}

// WriteSome writes what the network accepts at once.
func (o ordinary) WriteSome(b []byte) (n int, err error) {
	waited := o.raw.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), b)
		return true
	})
	if n = max(n, 0); err == syscall.EAGAIN || err == syscall.EINTR {
		err = nil
	}
	return n, errors.Join(waited, err)
}

// rawSocket makes a socket of a TCP connection. Known selects ordinary system calls.
func rawSocket(c net.Conn, known bool) wire {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return slow{c}
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return slow{c}
	}
	if known {
		return ordinary{c, raw}
	}
	s := &socket{Conn: c, raw: raw}
	s.pull, s.put = s.read, s.write
	return s
}

// Read reads what has arrived, at most rawio.Most bytes.
func (s *socket) Read(b []byte) (int, error) {
	s.in = transfer{b: b}
	return s.in.end(s.raw.Read(s.pull))
}

// Write writes all of b.
func (s *socket) Write(b []byte) (int, error) {
	s.out = transfer{b: b}
	return s.out.end(s.raw.Write(s.put))
}

// WriteSome writes as much of b as the network accepts at once.
func (s *socket) WriteSome(b []byte) (int, error) {
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
func (s *socket) read(fd uintptr) (done bool) {
	t := &s.in
	n, errno := rawio.Read(fd, t.b)
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
func (s *socket) write(fd uintptr) (done bool) {
	t := &s.out
	for t.n < len(t.b) {
		n, errno := rawio.Write(fd, t.b[t.n:])
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
