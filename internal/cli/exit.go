package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/wire"
)

// Code is a process's exit code.
type Code int

// The exit codes.
const (
	Good        Code = 0
	Failed      Code = 1 // the run, or the program itself
	Usage       Code = 2 // bad usage or spec
	Violated    Code = 3 // a limit; the run's status is failed
	Incomplete  Code = 4 // the result is partial, cancelled, or not waited for
	Unavailable Code = 5 // cannot reach, too few agents, or not allowed
)

// Error ends a process with a code.
type Error struct {
	Code Code
	Err  error // nil if everything has been printed
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the code.
func (e *Error) ExitCode() int { return int(e.Code) }

// UsageError is a mistake in a command line.
type UsageError struct {
	Command string // the path of the command, whose --help has more
	Err     error
}

// Error describes the mistake.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// ExitCode returns the code of bad usage.
func (*UsageError) ExitCode() int { return int(Usage) }

// CodeOf returns the exit code of an error.
func CodeOf(err error) Code {
	if err == nil {
		return Good
	}
	if coded, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return Code(coded.ExitCode())
	}
	if _, bad := errors.AsType[property.Problems](err); bad {
		return Usage
	}
	for kind, code := range map[error]Code{
		wire.ErrBadSpec: Usage, wire.ErrNotFound: Usage,
		wire.ErrUnreachable: Unavailable, wire.ErrTooFewAgents: Unavailable, wire.ErrNotAllowed: Unavailable, wire.ErrUnauthenticated: Unavailable,
		wire.ErrNameTaken: Unavailable, wire.ErrProtocol: Unavailable, wire.ErrFull: Unavailable, wire.ErrLimit: Unavailable,
		wire.ErrTarget: Unavailable,
		// Errors of the system about addresses and directories.
		os.ErrPermission: Unavailable, syscall.EADDRINUSE: Unavailable, syscall.ENOSPC: Unavailable, syscall.EROFS: Unavailable,
	} {
		if errors.Is(err, kind) {
			return code
		}
	}
	return Failed
}

// StartError gives an error that keeps a coordinator from starting the exit code Unavailable, unless the error has a more specific
// one.
func StartError(err error) error {
	if err == nil || CodeOf(err) != Failed {
		return err
	}
	return &Error{Code: Unavailable, Err: err}
}

// Exit prints err, unless it was printed before, and returns the process's exit code.
func Exit(errOut io.Writer, program string, err error) int {
	code := CodeOf(err)
	if own, ok := errors.AsType[*Error](err); err == nil || ok && own.Err == nil {
		return int(code)
	}
	_, _ = fmt.Fprintf(errOut, "%s: %s\n", program, report.PlainLines(err.Error())) // a peer may have written its text
	if usage, ok := errors.AsType[*UsageError](err); ok {
		_, _ = fmt.Fprintf(errOut, "See `%s --help`.\n", usage.Command)
	}
	return int(code)
}
