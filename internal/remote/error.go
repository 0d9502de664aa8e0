package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/wire"
)

// translate makes of what gRPC returned an error of package wire with a text for people.
func (c *Client) translate(err error) error {
	if err == nil {
		return nil
	}
	err = wire.FromStatus(err)
	switch {
	case errors.Is(err, wire.ErrUnreachable):
		return wire.Errorf(wire.ErrUnreachable, "%s", unreachable(c.where, err.Error()))
	case errors.Is(err, context.DeadlineExceeded):
		return wire.Errorf(wire.ErrUnreachable, "cannot reach coordinator at %s: no answer in time; is it overloaded, or a firewall between?", c.where)
	}
	return err
}

// unreachable says what a user can do about a connection that does not come about.
func unreachable(where, cause string) string {
	cause = reason(cause)
	cure := "is `benchd coordinator` running?"
	if strings.Contains(cause, "server preface") || strings.Contains(cause, "http2") {
		cure = "something else listens there: give --coordinator the address of gRPC (--listen of `benchd coordinator`, port 7070 by default)"
	}
	return fmt.Sprintf("cannot reach coordinator at %s: %s; %s", where, cause, cure)
}

// reason cuts the layers off gRPC's account of a connection that failed, down to what the system said.
func reason(cause string) string {
	for _, layer := range []string{`desc = "`, "while dialing: ", "dial tcp: ", "dial tcp "} {
		if _, inner, found := strings.Cut(cause, layer); found {
			cause = inner
		}
	}
	cause = strings.TrimSuffix(cause, `"`)
	if _, inner, found := strings.Cut(cause, ": connect: "); found {
		cause = inner
	}
	return cause
}
