package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// Port is an address on which the program would listen.
type Port struct {
	Flag, Address string
	// Socket is the path of a unix socket, instead of a port.
	Socket string
	// Serves identifies the program that already listens there, if it is an expected one; nil if none is expected.
	Serves func(ctx context.Context, address string) (what string, ok bool)
}

// examine listens for a moment.
func (p Port) examine(ctx context.Context) Finding {
	on := p.Flag + " " + p.Address
	if p.Socket != "" {
		return p.examineSocket(ctx).at(on)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", p.Address)
	if err == nil {
		_ = l.Close()
		return checkPort(p, nil, "").at(on)
	}
	serves := ""
	if p.Serves != nil && errors.Is(err, syscall.EADDRINUSE) {
		if what, ok := p.Serves(ctx, p.Address); ok {
			serves = what
		}
	}
	return checkPort(p, err, serves).at(on)
}

// examineSocket checks whether the program could listen on a unix socket, and makes none.
func (p Port) examineSocket(ctx context.Context) Finding {
	f := found(namePort, "free")
	another := "set another path, in a folder of benchd's user, with " + p.Flag
	folder := filepath.Dir(p.Socket)
	in, err := os.Stat(folder)
	if err != nil {
		f.Found = fmt.Sprintf("not usable: %v", err)
		return f.but(Bad, "make the folder "+folder+" for benchd's user, or "+another)
	}
	info, err := os.Lstat(p.Socket)
	switch space, spaceErr := SpaceOf(folder); {
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		f.Found = "not usable: it exists, and is not a socket"
		return f.but(Bad, another)
	case err == nil && listens(ctx, p.Socket):
		return p.inUse(ctx, f, another)
	case spaceErr == nil && space.Refused != nil:
		f.Found = fmt.Sprintf("not usable: %s: %v", folder, space.Refused)
		return f.but(Bad, "let benchd's user write there, or "+another)
	case err == nil:
		f.Found = "free, after a process that has ended"
	}
	if in.Mode()&0o002 != 0 && in.Mode()&fs.ModeSticky == 0 {
		f.Found += fmt.Sprintf("; others may replace it: they can write to %s (mode %04o)", folder, in.Mode().Perm())
		return f.but(Warn, another)
	}
	return f
}

// listens reports whether a process listens on a unix socket.
func listens(ctx context.Context, path string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return !errors.Is(err, syscall.ECONNREFUSED)
	}
	_ = conn.Close()
	return true
}

// inUse is the finding on a socket on which a process listens.
func (p Port) inUse(ctx context.Context, f Finding, cure string) Finding {
	if p.Serves != nil {
		if what, ok := p.Serves(ctx, p.Address); ok {
			f.Found = "in use by " + what
			return f
		}
	}
	f.Found = "not usable: another process listens there"
	return f.but(Bad, "stop what listens there (ss -lxp lists it), or "+cure)
}

// checkPort checks the result of listening; serves names the benchd program that already listens, if any.
func checkPort(p Port, err error, serves string) Finding {
	f := found(namePort, "free")
	if _, port, split := net.SplitHostPort(p.Address); split == nil && port == "0" {
		f.Found = "any free one"
	}
	if err == nil {
		return f
	}
	if serves != "" {
		f.Found = "in use by " + serves
		return f
	}
	cause := err
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		cause = no
	}
	f.Found = fmt.Sprintf("not usable: %v", cause)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return f.but(Bad, "stop what listens there (ss -ltnp lists it), or set another address with "+p.Flag)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return f.but(Bad, "set an address of this machine with "+p.Flag)
	}
	return f.but(Bad, "set another address with "+p.Flag)
}
