package rpc

import (
	"io"
	"net"
	"syscall"

	"github.com/benchd/benchd/internal/kernel"
)

// socket is a connection whose reads and writes do not tell the runtime that they enter the kernel (package kernel). Where nothing
// can be done yet, the runtime waits as for any connection.
//
// One goroutine at a time reads, and one writes.
type socket struct {
	net.Conn

	raw       syscall.RawConn
	in, out   transfer
	pull, put func(fd uintptr) (done bool)
}

// transfer is a read or a write under way.
type transfer struct {
	b   []byte
	n   int // of b
	err error
}

// swift makes a socket of a connection, if it can.
func swift(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	s := &socket{Conn: c, raw: raw}
	s.pull, s.put = s.read, s.write
	return s
}

// Read reads what has come, kernel.Most bytes at most.
func (s *socket) Read(b []byte) (int, error) {
	s.in = transfer{b: b}
	return s.in.end(s.raw.Read(s.pull))
}

// Write writes all of b.
func (s *socket) Write(b []byte) (int, error) {
	s.out = transfer{b: b}
	return s.out.end(s.raw.Write(s.put))
}

// end tells how the transfer has ended, and lets go of its bytes. Waited is the error of waiting, such as that of a deadline.
func (t *transfer) end(waited error) (int, error) {
	n, err := t.n, t.err
	*t = transfer{}
	if waited != nil {
		err = waited
	}
	return n, err
}

// read reads once, if anything has come.
func (s *socket) read(fd uintptr) (done bool) {
	t := &s.in
	n, errno := kernel.Read(fd, t.b)
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

// write writes as much as can be.
func (s *socket) write(fd uintptr) (done bool) {
	t := &s.out
	for t.n < len(t.b) {
		n, errno := kernel.Write(fd, t.b[t.n:])
		if errno == syscall.EAGAIN {
			return false
		}
		if errno != 0 {
			t.err = errno
			break
		}
		t.n += n
	}
	return true
}
