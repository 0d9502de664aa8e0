package security

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// unixSockets reports whether the operating system names the peers of unix sockets.
const unixSockets = true

func ownUID() uint32 { return uint32(os.Geteuid()) }

// peerUID returns the user of the process that has connected.
func peerUID(conn net.Conn) (uint32, error) {
	if wrapped, is := conn.(*limited); is {
		conn = wrapped.NetConn()
	}
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("the connection is not one of a unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("open socket: %w", err)
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, fmt.Errorf("read peer of socket: %w", err)
	}
	if failed != nil {
		return 0, fmt.Errorf("read peer of socket: %w", failed)
	}
	return cred.Uid, nil
}

// openFiles returns how many files this process may have open.
func openFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, math.MaxInt32))
}
