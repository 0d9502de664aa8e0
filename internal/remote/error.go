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
		return &unreachable{where: c.where, cause: wire.Reason(err), standby: errors.Is(err, wire.ErrStandby)}
	case errors.Is(err, context.DeadlineExceeded):
		return &unreachable{where: c.where, cause: "no answer in time"}
	}
	return err
}

// unreachable reports that a coordinator does not answer.
type unreachable struct {
	where, cause string
	standby      bool // a standby has answered, and no leader
}

// handshakeFailed begins gRPC's text of a client that refuses its server.
const handshakeFailed = "transport: authentication handshake failed: "

// Error names the address and the cure.
func (e *unreachable) Error() string {
	cause, cure := e.cause, "is `benchd coordinator` running?"
	_, alert, refused := strings.Cut(cause, "remote error: tls: ")
	switch {
	case e.standby:
		cure = "give --coordinator the addresses of all coordinators that share the archive, and certificates that are valid for all"
	case refused:
		cause = "it refuses this certificate (" + alert + ")"
		cure = "--tls-cert must be of an authority that the coordinator accepts (its --tls-ca), valid now, and not revoked"
	case strings.Contains(cause, "first record does not look like a TLS handshake"):
		cause, cure = "it does not use TLS", "connect without a certificate (no --tls-cert, --tls-key and --tls-ca; --profile off), or start the coordinator with certificates"
	case strings.HasPrefix(cause, handshakeFailed):
		return fmt.Sprintf("cannot reach coordinator at %s: %s", e.where, strings.TrimPrefix(cause, handshakeFailed))
	case strings.HasPrefix(cause, "it answers HTTP "):
		return fmt.Sprintf("cannot reach coordinator at %s: %s", e.where, cause)
	case strings.Contains(cause, "server preface") && strings.Contains(cause, "connection reset"): // without TLS, or with a refused certificate
		cure = "if it uses TLS, give --tls-cert, --tls-key and --tls-ca, once to `benchctl login` or to each command; " +
			"with them it may refuse the certificate of --tls-cert (its log and its --tls-ca show more), else it is stopping"
	case strings.Contains(cause, "broken pipe"), strings.Contains(cause, "connection reset"):
		cure = "it ended the connection: with TLS it may refuse the certificate of --tls-cert (its log and its --tls-ca show more), else it is stopping"
	case strings.Contains(cause, "server preface"), strings.Contains(cause, "http2"):
		cure = "if it uses TLS, give --tls-cert, --tls-key and --tls-ca, once to `benchctl login` or to each command; " +
			"else something else listens there: give --coordinator the address of gRPC (--listen of `benchd coordinator`, port 7070 by default)"
	}
	return fmt.Sprintf("cannot reach coordinator at %s: %s; %s", e.where, cause, cure)
}

// Unwrap returns the kind.
func (e *unreachable) Unwrap() error {
	if e.standby {
		return wire.ErrStandby
	}
	return wire.ErrUnreachable
}
