package rpc

import (
	"errors"
	"net"
	"syscall"

	"github.com/benchd/benchd/internal/rawio"
)

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

// rawSocket makes a rawio.Socket of a TCP connection. Known selects ordinary system calls.
func rawSocket(c net.Conn, known bool) wire {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return slow{c}
	}
	if !known {
		if s, err := rawio.NewSocket(tcp); err == nil {
			return s
		}
		return slow{c}
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return slow{c}
	}
	return ordinary{c, raw}
}
