package postgres

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitSilence breaks a connection whose peer acknowledges nothing: otherwise a request to a server that has vanished is repeated for 15
// minutes.
func limitSilence(network, _ string, conn syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
	if err != nil {
		return err //nolint:wrapcheck // the dialer does
	}
	return failed
}
