package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// SQLSTATEs that are treated in a way of their own.
const (
	UniqueViolation    = "23505"
	NoStatement        = "26000"
	UndefinedTable     = "42P01"
	UndefinedColumn    = "42703"
	DuplicateStatement = "42P05"
	DuplicateTable     = "42P07"
	ObjectInUse        = "55006"
	QueryCanceled      = "57014"
	AdminShutdown      = "57P01"
	CrashShutdown      = "57P02"
	CannotConnectNow   = "57P03"
	TooManyConnections = "53300"
	InvalidPassword    = "28P01"
	Unauthorized       = "28000"
	NoDatabase         = "3D000"
	NoPrivilege        = "42501"
)

// ServerError is an error that the server reports.
type ServerError struct{ err *pgconn.PgError }

// Error has the message, the detail and the SQLSTATE.
func (e *ServerError) Error() string {
	text := e.err.Message
	if e.err.Detail != "" {
		text += ": " + strings.TrimSuffix(e.err.Detail, ".")
	}
	return text + " (SQLSTATE " + e.err.Code + ")"
}

// Unwrap returns pgx's error.
func (e *ServerError) Unwrap() error { return e.err }

// State returns the SQLSTATE of an error of the server, or "".
func State(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// ConnectError is the error of Connect.
type ConnectError struct {
	text string
	err  error
}

// Error names the server, the problem and the cure.
func (e *ConnectError) Error() string { return e.text }

// Unwrap returns pgx's error.
func (e *ConnectError) Unwrap() error { return e.err }

// IsTemporary reports whether another attempt to connect may succeed without a change of the settings.
func IsTemporary(err error) bool {
	switch state := State(err); {
	case state == CannotConnectNow, state == AdminShutdown, state == CrashShutdown, state == TooManyConnections:
		return true
	case state != "":
		return false
	}
	if _, refused := errors.AsType[*outbound.RefusedError](err); refused {
		return false
	}
	if _, invalid := errors.AsType[*tls.CertificateVerificationError](err); invalid {
		return false
	}
	return !strings.Contains(err.Error(), noTLS)
}

// noTLS is pgx's text for a server that refuses TLS; there is no type for it.
const noTLS = "server refused TLS connection"

// explain returns the text of an error of connecting.
func (c *Connector) explain(ctx context.Context, err error) string {
	s := c.settings
	server := "PostgreSQL " + s.Address
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return refused.Error()
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return c.explainServer(server, e)
	}
	if invalid, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Sprintf("connect to %s: its certificate is not accepted: %v; give the agents its authority (--target-tls-ca), or set %s to skip the check", server, invalid.Err, s.Keys.SSLMode(postgresspec.SSLRequire))
	}
	text := err.Error()
	switch {
	case strings.Contains(text, noTLS):
		return fmt.Sprintf("connect to %s: the server has no TLS: switch it on there (ssl=on), or set %s", server, s.Keys.SSLMode(postgresspec.SSLDisable))
	case strings.Contains(text, "authentication method requirement"):
		return fmt.Sprintf("log in to %s as %s: the server asks for the password in plain text, which benchd sends over TLS only: set %s, or use scram-sha-256 in pg_hba.conf", server, s.User, s.Keys.SSLMode(postgresspec.SSLRequire))
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("connect to %s: connection refused: start the server, or set %s", server, s.Keys.Host)
	case ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("connect to %s: no answer within %s: check %s and the network", server, Within, s.Keys.Host)
	}
	return fmt.Sprintf("connect to %s: %v; check %s", server, root(err), s.Keys.Host)
}

// explainServer returns the text of an error with which the server refuses a connection.
func (c *Connector) explainServer(server string, e *pgconn.PgError) string {
	s := c.settings
	switch {
	case e.Code == InvalidPassword && c.config.Password == "":
		return fmt.Sprintf("log in to %s as %s: the server asks for a password: set postgres.password=file:NAME, a reference to a secret of the agents", server, s.User)
	case e.Code == InvalidPassword:
		return fmt.Sprintf("log in to %s as %s: wrong password, or no such role: check postgres.user and postgres.password", server, s.User)
	case e.Code == NoDatabase:
		return fmt.Sprintf("log in to %s: database %s does not exist: create it (createdb %s), or set %s", server, s.Database, s.Database, s.Keys.Database)
	case e.Code == TooManyConnections:
		return fmt.Sprintf("connect to %s: %s; each worker has a connection: raise max_connections of the server, or lower threadcount", server, e.Message)
	case e.Code == Unauthorized && s.SSLMode == postgresspec.SSLDisable && strings.Contains(e.Message, "no encryption"):
		return fmt.Sprintf("log in to %s as %s: %s: set %s if the server wants TLS, or add a line to its pg_hba.conf", server, s.User, e.Message, s.Keys.SSLMode(postgresspec.SSLRequire))
	case e.Code == Unauthorized:
		return fmt.Sprintf("log in to %s as %s: %s: check postgres.user, and pg_hba.conf of the server", server, s.User, e.Message)
	case e.Code == CannotConnectNow:
		return fmt.Sprintf("connect to %s: %s: wait until it is up", server, e.Message)
	}
	return fmt.Sprintf("log in to %s as %s: %s (SQLSTATE %s)", server, s.User, e.Message, e.Code)
}

// root returns the innermost error.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
