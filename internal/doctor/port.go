package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Port is an address on which the program would listen.
type Port struct {
	Flag, Address string
	// Serves identifies the program that already listens there, if it is an expected one; nil if none is expected.
	Serves func(ctx context.Context, address string) (what string, ok bool)
}

// examine listens for a moment.
func (p Port) examine(ctx context.Context) Finding {
	on := p.Flag + " " + p.Address
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
