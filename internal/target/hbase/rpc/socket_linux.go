package rpc

import (
	"io"
	"net"
	"syscall"
	"unsafe"
)

// socket is a connection whose reads and writes do not tell the runtime that they enter the kernel. They never wait there,
// because the socket does not block; where nothing can be done yet, the runtime waits as for any connection.
//
// The runtime's monitor sleeps while nothing runs, and entering the kernel wakes it: a thread of its own, which looks around
// and sleeps again. A few workers leave the process idle between two operations, and so it took a third of the processor time
// of sixteen and two thirds of that of a lone one.
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

// gulp is the most that is copied at a time, because the collector cannot stop the goroutine meanwhile.
const gulp = 64 << 10

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

// Read reads what has come, 64 KB at most.
func (s *socket) Read(b []byte) (int, error) {
	s.in = transfer{b: b[:min(len(b), gulp)]}
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
	n, errno := again(syscall.SYS_READ, fd, t.b)
	switch {
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		t.err = errno
	case n == 0 && len(t.b) > 0:
		t.err = io.EOF
	}
	t.n = n
	received(fd)
	return true
}

// write writes as much as can be.
func (s *socket) write(fd uintptr) (done bool) {
	t := &s.out
	sends(fd)
	for t.n < len(t.b) {
		n, errno := again(syscall.SYS_WRITE, fd, t.b[t.n:min(len(t.b), t.n+gulp)])
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

// again makes a system call until no signal interrupts it.
func again(call, fd uintptr, b []byte) (n int, errno syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
