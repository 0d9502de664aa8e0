package pki

import (
	"errors"
	"fmt"
)

// Errors that callers handle.
var (
	ErrNoAuthority = errors.New("no authority")           // the directory has none, or a part of one
	ErrNotEmpty    = errors.New("directory is not empty") // where an authority would be made
	ErrInput       = errors.New("invalid input")          // a name, host, life or grant that cannot be in a certificate
	ErrUnknown     = errors.New("unknown certificate")    // nothing was issued under that name or serial number
	ErrToken       = errors.New("invalid token")          // not a token, or not of this authority
	ErrExpired     = errors.New("token has expired")      // make another one
	ErrUsed        = errors.New("token was used")         // by another key
	ErrName        = errors.New("another name")           // the request is for another agent than the token or the certificate
	ErrRequest     = errors.New("invalid request")        // for a certificate
	ErrWrongCA     = errors.New("another authority")      // the root is not the one that the token names
)

// errorf returns an error of one of the kinds above; its text is only the formatted one.
func errorf(kind error, format string, args ...any) error {
	return &kindError{kind: kind, cause: fmt.Errorf(format, args...)}
}

type kindError struct{ kind, cause error }

func (e *kindError) Error() string   { return e.cause.Error() }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.cause} }
