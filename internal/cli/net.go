package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen listens on the address that a flag gave.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	cure := "give another address with " + flag
	if errors.Is(err, syscall.EADDRINUSE) {
		cure = "is another one running? Stop it, or give another address with " + flag + " (port 0 takes any free one)"
	}
	// An OpError repeats the address and names system calls; people need what is the matter.
	cause := err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		cause = op.Err
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		cause = no
	}
	return nil, &Error{Code: Unavailable, Err: fmt.Errorf("listen on %s: %w; %s", address, cause, cure)}
}
