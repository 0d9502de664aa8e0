package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/archive"
)

// SQLSTATEs that are treated in a way of their own.
const (
	stateUnknownValue    = "22023"
	stateReadOnly        = "25006"
	stateIdle            = "25P03"
	stateNoAuthorization = "28000"
	stateWrongPassword   = "28P01"
	stateNoDatabase      = "3D000"
	stateNoSchema        = "3F000"
	stateUnique          = "23505"
	stateUnknownOutcome  = "08007"
	stateUnknownDone     = "40003"
	stateSerialization   = "40001"
	stateNoPrivilege     = "42501"
	stateSyntax          = "42601"
	stateNoColumn        = "42703"
	stateNoTable         = "42P01"
	stateDuplicateSchema = "42P06"
	stateDuplicateTable  = "42P07"
	stateDuplicateObject = "42710"
	stateUnsupported     = "0A000"
	stateUnknownSetting  = "42704"
	stateFull            = "53100"
	stateConnections     = "53300"
	stateLocked          = "55P03"
	stateShutdown        = "57P01"
	stateCrash           = "57P02"
	stateStarting        = "57P03"
	stateDamaged         = "XX001"
	stateDamagedIndex    = "XX002"
)

// creating is what explain has for the tables of a new archive.
const creating = "create archive in"

// acceptsNone explains a server that cannot have an archive.
const acceptsNone = "the server accepts no writes, such as a replica: give the primary's address, or all addresses with target_session_attrs=read-write"

// stateOf returns the SQLSTATE of an error of the server, or "".
func stateOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// isRefused reports whether the server has refused a statement, so that its transaction is not committed.
func isRefused(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Severity == "ERROR" && e.Code != stateUnknownOutcome && e.Code != stateUnknownDone
}

// isBroken reports whether an error is that of a connection, as opposed to a statement.
func isBroken(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Severity == "FATAL" || e.Severity == "PANIC"
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// explain turns an error of the server or of the network into one that names the server and the cure; doing is the attempted operation, such
// as "add windows to".
func (a *Archive) explain(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*archive.Fault](err); ok {
		return err
	}
	fault := func(kind error, text string) error {
		return archive.Faultf(kind, err, "%s %s: %s (%s)", doing, a.server, text, a.reasonOf(err))
	}
	if errors.Is(err, archive.ErrFenced) {
		return archive.Faultf(archive.ErrFenced, nil, "%s %s: this process does not lead", doing, a.server)
	}
	switch state := stateOf(err); {
	case state == stateFull:
		return fault(archive.ErrFull, "the disk of the server is full: free some space there")
	case state == stateReadOnly, errors.Is(err, pgconn.ErrReadOnlyConnection):
		return fault(archive.ErrNotWritable, acceptsNone)
	case state == stateNoPrivilege:
		if doing != creating {
			return fault(archive.ErrNotWritable, fmt.Sprintf("user %s lacks a privilege: connect as the user to whom the tables of schema %s belong", a.config.ConnConfig.User, a.schema))
		}
		user, database := identifier(a.config.ConnConfig.User), identifier(a.config.ConnConfig.Database)
		return fault(archive.ErrNotWritable, fmt.Sprintf("user %s lacks a privilege: let it create schema %s (GRANT CREATE ON DATABASE %s TO %s), or own it (ALTER SCHEMA %[2]s OWNER TO %[4]s)",
			a.config.ConnConfig.User, a.schema, database, user))
	case state == stateNoTable, state == stateNoColumn, state == stateNoSchema:
		return fault(archive.ErrCorrupt, fmt.Sprintf("a part of schema %q is missing: restore a backup", a.schema))
	case state == stateDamaged, state == stateDamagedIndex:
		return fault(archive.ErrCorrupt, "the database is damaged: restore a backup")
	}
	text := fmt.Sprintf("%s %s: %s", doing, a.server, a.reasonOf(err))
	if cure := a.cureOf(err); cure != "" {
		text = fmt.Sprintf("%s %s: %s (%s)", doing, a.server, cure, a.reasonOf(err))
	}
	return &explained{text, err}
}

// cureOf explains an error without a kind.
func (a *Archive) cureOf(err error) string {
	switch stateOf(err) {
	case stateConnections:
		return fmt.Sprintf("it has no free connection: raise max_connections; a coordinator uses up to %d", readers+longReaders+keepers+2)
	case stateShutdown, stateCrash, stateStarting:
		return "it is stopping or starting"
	case stateLocked:
		return "another session holds a lock: end it"
	case stateIdle:
		return fmt.Sprintf("this process stood still for more than %v", idleWithin)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "it does not answer in time: check the address, and whether the server runs"
	}
	return a.refusalOf(err)
}

func notFound(what, id string) error {
	return archive.Faultf(archive.ErrNotFound, nil, "find %s %s: not in the archive", what, id)
}

// changedOne returns ErrNotFound if a statement has changed nothing.
func changedOne(tag pgconn.CommandTag, err error, what, id string) error {
	if err == nil && tag.RowsAffected() == 0 {
		return notFound(what, id)
	}
	return err
}
