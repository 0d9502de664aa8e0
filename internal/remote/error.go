package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/wire"
)

// translate converts a gRPC error to an error of package wire with a text for people.
func (c *Client) translate(err error) error {
	if err == nil {
		return nil
	}
	err = wire.FromStatus(err)
	switch {
	case errors.Is(err, wire.ErrUnreachable):
		return &unreachable{where: c.where, cause: wire.Reason(err)}
	case errors.Is(err, context.DeadlineExceeded):
		return &unreachable{where: c.where, cause: "no answer in time"}
	}
	return err
}

// unreachable reports that a coordinator does not answer.
type unreachable struct{ where, cause string }

// Error names the address and the cure.
func (e *unreachable) Error() string {
	cure := "is `benchd coordinator` running?"
	if strings.Contains(e.cause, "server preface") || strings.Contains(e.cause, "http2") {
		cure = "something else listens there: give --coordinator the address of gRPC (--listen of `benchd coordinator`, port 7070 by default)"
	}
	return fmt.Sprintf("cannot reach coordinator at %s: %s; %s", e.where, e.cause, cure)
}

// Unwrap returns the kind.
func (*unreachable) Unwrap() error { return wire.ErrUnreachable }
