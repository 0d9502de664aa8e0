package rpc

import (
	"crypto/tls"
	"errors"
	"net"
)

// ErrOtherPrincipal marks an error of Secure: the server has refused one of several principals that it may have, and the next
// connection takes another one.
var ErrOtherPrincipal = errors.New("the server may have another principal")

// Final marks an error that another try does not cure, such as a refused ticket. The text is unchanged.
func Final(err error) error { return &finalError{err} }

type finalError struct{ error }

// Unwrap returns the error.
func (e *finalError) Unwrap() error { return e.error }

// IsFinal reports whether another try does not cure an error. So it is with those that Final has marked, and those of TLS: with version
// 1.3 a server refuses a client's certificate after the handshake, at the first read.
func IsFinal(err error) bool {
	if _, marked := errors.AsType[*finalError](err); marked {
		return true
	}
	if remote, ok := errors.AsType[*net.OpError](err); ok && remote.Op == "remote error" {
		return true
	}
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
		return true
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return certificate
}
