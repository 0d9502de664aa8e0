package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/workload"
)

// ended returns the outcome of an operation that failed.
func ended(err error) workload.Outcome {
	return workload.Outcome{Code: codeOf(err), Err: explained(err)}
}

// codeOf returns the outcome of an error.
func codeOf(err error) workload.Code {
	state := client.State(err)
	switch {
	case errors.Is(err, errNoConnection), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return workload.Timeout
	case state == client.QueryCanceled:
		return workload.Timeout
	case state == client.UniqueViolation:
		return workload.UnexpectedState
	case state == client.NoPrivilege, strings.HasPrefix(state, "28"):
		return workload.Forbidden
	case errors.Is(err, errBroken), strings.HasPrefix(state, "57P"), strings.HasPrefix(state, "53"), strings.HasPrefix(state, "08"):
		return workload.ServiceUnavailable
	case strings.HasPrefix(state, "22"), strings.HasPrefix(state, "42"), strings.HasPrefix(state, "3D"):
		return workload.BadRequest
	case state == "":
		if _, ok := errors.AsType[*client.ConnectError](err); ok {
			return workload.ServiceUnavailable
		}
	}
	return workload.Error
}

// explained adds the cure to errors that have one.
func explained(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if _, connecting := errors.AsType[*client.ConnectError](err); connecting || !ok {
		return err
	}
	text := e.Message + " (SQLSTATE " + e.Code + ")"
	if errors.Is(err, errBroken) {
		text = errBroken.Error() + ": " + text
	}
	switch e.Code {
	case client.UniqueViolation:
		text += "; the table already has the row: use postgres.table.create=recreate, or postgres.upsert=true"
	case client.UndefinedTable:
		text += "; load it first (--phase load, or load,run)"
	case client.UndefinedColumn:
		text += "; check postgres.form, fieldcount and fieldnameprefix"
	case client.DuplicateStatement, client.NoStatement:
		text += "; a pooler in front of the server must keep sessions: set pool_mode=session there, or postgres.host to the server itself"
	}
	return &operationError{text, err}
}

// operationError is an error of the server with its cure.
type operationError struct {
	text string
	err  error
}

// Error has the server's message and the cure.
func (e *operationError) Error() string { return e.text }

// Unwrap returns the error without the cure.
func (e *operationError) Unwrap() error { return e.err }

// causeOf returns a short name of an error of connecting.
func causeOf(err error) string {
	switch state := client.State(err); {
	case state == client.CannotConnectNow:
		return "server_not_ready"
	case state == client.TooManyConnections:
		return "too_many_connections"
	case state != "":
		return fmt.Sprintf("sqlstate_%s", strings.ToLower(state))
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection_refused"
	}
	return "connection"
}
