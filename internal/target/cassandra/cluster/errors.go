package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/workload"
)

// explain returns why no session was made, with the cure.
func (c *Cluster) explain(err error) error {
	reason := c.Reason()
	if reason == nil {
		reason = err
	}
	where := strings.Join(c.config.Settings.Hosts, ", ")
	remote, _ := errors.AsType[*net.OpError](reason)
	wrapped := func(cure string) error {
		text := strings.TrimPrefix(reason.Error(), "gocql: ")
		if !strings.Contains(text, "Cassandra at ") {
			text = "connect to Cassandra at " + where + ": " + text
		}
		return &explained{text + "; " + cure, reason}
	}
	if refused, ok := errors.AsType[*outbound.RefusedError](reason); ok {
		return refused
	}
	if credentials, ok := errors.AsType[*gocql.RequestErrCredentials](reason); ok {
		return fmt.Errorf("connect to Cassandra at %s: user %q is refused: %w; check cassandra.username and cassandra.password",
			where, c.config.Settings.Username, credentials)
	}
	if text := cureOfTLS(reason); text != "" {
		return wrapped(text)
	}
	switch text := reason.Error(); {
	case strings.Contains(text, "authentication required"):
		return &explained{"connect to Cassandra at " + where + ": it requires a user; set cassandra.username and cassandra.password", reason}
	case strings.Contains(text, "host was filtered"), strings.Contains(text, "host was filtered:"):
		return &explained{fmt.Sprintf("connect to Cassandra at %s: the nodes of hosts are not in datacenter %q; correct cassandra.datacenter, or name nodes of that datacenter",
			where, c.config.Settings.Datacenter), reason}
	case strings.Contains(text, "unsupported protocol version"):
		return wrapped("set cassandra.protocol to a version that it has: 3 before Cassandra 2.2, 4 since then, 5 since 4.0")
	case errors.Is(reason, syscall.ECONNREFUSED):
		return wrapped("is it running there, and are hosts and port right?")
	case c.config.TLS == nil && (errors.Is(reason, io.EOF) || errors.Is(reason, syscall.ECONNRESET)) && (remote == nil || remote.Op != "dial"):
		return wrapped("the node closes the connection: it may want TLS (cassandra.useSSL=true), or another service has this port")
	case errors.Is(reason, context.DeadlineExceeded), errors.Is(reason, context.Canceled), errors.Is(reason, os.ErrDeadlineExceeded), strings.Contains(text, "within timeout"):
		return &explained{fmt.Sprintf("connect to Cassandra at %s: no answer within %v; are hosts and port right, and is no firewall between? If the nodes want TLS, set cassandra.useSSL=true",
			where, min(c.config.Settings.ConnectTimeout, connectWithin)), reason}
	}
	return wrapped("check hosts and port, and the log of the node")
}

// explained is an error with a text for users.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// cureOfTLS returns what to do about an error of a TLS handshake, or "".
func cureOfTLS(err error) string {
	remote, _ := errors.AsType[*net.OpError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case plain:
		return "the node has no TLS on this port: leave cassandra.useSSL out, or correct the port"
	case name:
		return "its certificate is for another name: correct hosts, or set cassandra.tls.verifyhost=false"
	case authority:
		return "give the authority that issued its certificate to the agent, with --target-tls-ca"
	case remote != nil && remote.Op == "remote error":
		return "the node refuses the agent's certificate, or wants one: give the agent one that it accepts, with --target-tls-cert and --target-tls-key"
	case strings.HasPrefix(err.Error(), "TLS with ") && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return "the node has no TLS on this port: leave cassandra.useSSL out, or correct the port"
	}
	return ""
}

// Mark marks an error of an action: a cluster that is not reached, or a change whose outcome is unknown.
func Mark(err error) error {
	switch code := CodeOf(err); {
	case err == nil:
		return nil
	case errors.Is(err, gocql.ErrNoConnections):
		return load.Mark(load.ErrNotReached, err)
	case code == workload.Timeout || errors.Is(err, gocql.ErrConnectionClosed):
		return load.Mark(load.ErrUnknown, err)
	}
	return err
}

// CodeOf returns the outcome of an operation that ended with this error.
func CodeOf(err error) workload.Code {
	switch err := err.(type) { //nolint:errorlint // the driver does not wrap the errors of nodes
	case *gocql.RequestErrUnavailable, *gocql.RequestErrOverloaded, *gocql.RequestErrBootstrapping:
		return workload.ServiceUnavailable
	case *gocql.RequestErrReadTimeout, *gocql.RequestErrWriteTimeout, *gocql.RequestErrCASWriteUnknown:
		return workload.Timeout
	case *gocql.RequestErrInvalid, *gocql.RequestErrSyntax, *gocql.RequestErrConfig:
		return workload.BadRequest
	case *gocql.RequestErrUnauthorized, *gocql.RequestErrCredentials:
		return workload.Forbidden
	case gocql.RequestError:
		return codeOf(err.Code())
	}
	switch {
	case errors.Is(err, gocql.ErrTimeoutNoResponse), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		return workload.Timeout
	case errors.Is(err, gocql.ErrNoConnections), errors.Is(err, gocql.ErrNoStreams):
		return workload.ServiceUnavailable
	}
	return workload.Error
}

// codeOf returns the outcome of an error of a node by its number.
func codeOf(code int) workload.Code {
	switch code {
	case gocql.ErrCodeUnavailable, gocql.ErrCodeOverloaded, gocql.ErrCodeBootstrapping:
		return workload.ServiceUnavailable
	case gocql.ErrCodeReadTimeout, gocql.ErrCodeWriteTimeout, gocql.ErrCodeCASWriteUnknown:
		return workload.Timeout
	case gocql.ErrCodeInvalid, gocql.ErrCodeSyntax, gocql.ErrCodeConfig, gocql.ErrCodeProtocol:
		return workload.BadRequest
	case gocql.ErrCodeUnauthorized, gocql.ErrCodeCredentials:
		return workload.Forbidden
	}
	return workload.Error
}
