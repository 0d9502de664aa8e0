package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen listens on the address of a flag.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	cure := "give another address with " + flag
	if errors.Is(err, syscall.EADDRINUSE) {
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
