package security

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// unixScheme begins the address of a unix socket, as in gRPC.
const unixScheme = "unix:"

// longestSocket is what the address of a unix socket can hold.
const longestSocket = 107

// Socket returns the path in an address of the form unix:PATH.
func Socket(address string) (path string, ok bool) { return strings.CutPrefix(address, unixScheme) }

// CheckLocal is CheckSecured for an address that may also be that of a unix socket, unix:PATH, whose peers the operating system names.
func CheckLocal(flag, address string, secured, insecure bool) error {
	path, ok := Socket(address)
	if !ok {
		return CheckSecured(flag, address, secured, insecure)
	}
	refuse := func(problem string) error { return &AddressError{Flag: flag, Address: address, Problem: problem} }
	switch {
	case !unixSockets:
		return refuse("benchd supports unix sockets on Linux only, where the peer is known: use 127.0.0.1, or certificates")
	case path == "" || strings.HasPrefix(path, "@"):
		return refuse("the path of the socket is missing: want unix:PATH, such as unix:/run/benchd/benchd.sock")
	case len(path) > longestSocket:
		return refuse(fmt.Sprintf("the path of the socket has %d bytes, and the system allows %d: use a shorter one", len(path), longestSocket))
	}
	return nil
}

// ListenSocket listens on a unix socket that only this user and root may use. It replaces a socket on which no process listens, and no
// other file.
func ListenSocket(ctx context.Context, path string) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("restrict socket: %w", err), l.Close())
	}
	return l, nil
}

// removeStale removes a socket that a process has left.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket: %w", path, fs.ErrExist)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return syscall.EADDRINUSE
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("try socket: %w", err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove socket of a process that has ended: %w", err)
	}
	return nil
}
