package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire/route"
)

// Coordinators returns the addresses of the coordinators in a flag, which are separated by commas. It checks each of them.
func Coordinators(flag, list string, secured, insecure bool) ([]string, error) {
	addresses, err := route.Parse(list)
	if err != nil {
		return nil, &security.AddressError{Flag: flag, Address: list, Problem: err.Error()}
	}
	for _, a := range addresses {
		err = errors.Join(err, security.CheckLocal(flag, a, secured, insecure))
	}
	return addresses, err
}

// Listen listens on the address of a flag: HOST:PORT, or unix:PATH.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var l net.Listener
	var err error
	path, local := security.Socket(address)
	if local {
		l, err = security.ListenSocket(ctx, path)
	} else {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", address)
	}
	if err == nil {
		return l, nil
	}
	cure := "give another address with " + flag
	if local {
		cure = "give a path that does not exist, in a folder of this user, with " + flag
	}
	if errors.Is(err, syscall.EADDRINUSE) && !local {
		cure = "if another benchd runs there, stop it, or give another address with " + flag + " (port 0 takes any free one)"
	}
	// An OpError repeats the address and names system calls; users need the cause.
	cause := err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		cause = op.Err
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		cause = no
	}
	return nil, &Error{Code: Unavailable, Err: fmt.Errorf("listen on %s: %w; %s", address, cause, cure)}
}
