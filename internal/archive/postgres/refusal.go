package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noTLS is the driver's text for a server without TLS.
const noTLS = "server refused TLS connection"

// reasonOf returns the reason of an error in one line. An attempt to connect has many of them, such as one for each address of a host, with and
// without TLS: each reason is there once.
func (a address) reasonOf(err error) string {
	connect, is := errors.AsType[*pgconn.ConnectError](err)
	if !is {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	attempts := []error{connect.Unwrap()}
	if many, is := errors.AsType[interface {
		error
		Unwrap() []error
	}](attempts[0]); is {
		attempts = many.Unwrap()
	}
	var reasons []string
	seen := make(map[string]bool)
	for _, attempt := range attempts {
		reason := causeOf(attempt).Error()
		if address, _, is := strings.Cut(attempt.Error(), " ("); is && strings.Contains(a.server, ",") && !strings.Contains(reason, address) {
			reason = address + ": " + reason
		}
		if !seen[reason] {
			reasons = append(reasons, reason)
		}
		seen[reason] = true
	}
	if others := slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return strings.HasSuffix(r, noTLS) }); len(others) > 0 {
		reasons = others // with sslmode=prefer, the next attempt is without TLS
	}
	return strings.ReplaceAll(strings.Join(reasons, "; "), "\n", "; ")
}

// explained is an error with a text for users.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// causeOf returns the error of the server or of the network in that of an attempt, which also has what the driver did.
func causeOf(attempt error) error {
	if e, is := errors.AsType[*pgconn.PgError](attempt); is {
		return e
	}
	if e, is := errors.AsType[*tls.CertificateVerificationError](attempt); is {
		return e
	}
	if e, is := errors.AsType[*net.OpError](attempt); is && e.Op == "dial" {
		return e
	}
	for range 2 { // the address, and the driver's step
		if inner := errors.Unwrap(attempt); inner != nil {
			attempt = inner
		}
	}
	return attempt
}

// refusalOf explains why there is no connection, and returns the cure, or "".
func (a *Archive) refusalOf(err error) string {
	connect, connecting := errors.AsType[*pgconn.ConnectError](err)
	if !connecting {
		return ""
	}
	user, database := a.config.ConnConfig.User, a.config.ConnConfig.Database
	switch state := stateOf(err); state {
	case stateWrongPassword, stateNoAuthorization:
		cure := "check the name, the password in PGPASSWORD or ~/.pgpass, and pg_hba.conf"
		if a.config.ConnConfig.TLSConfig == nil {
			cure += "; if it requires TLS, remove sslmode=disable from the URL"
		}
		if state == stateWrongPassword && connect.Config.Password == "" {
			cure = "no password was given: set PGPASSWORD, or add a line to ~/.pgpass"
		}
		return fmt.Sprintf("the server does not let user %s in: %s", user, cure)
	case stateNoDatabase:
		return fmt.Sprintf("there is no such database: create it (CREATE DATABASE %s OWNER %s), or name another one", identifier(database), identifier(user))
	case stateUnknownSetting:
		return "the server does not have a parameter of the URL: remove it"
	case "":
	default:
		return ""
	}
	_, lookup := errors.AsType[*net.DNSError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, certificate := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case authority:
		return "its certificate comes from an unknown authority: name the authority's file with sslrootcert=FILE in the URL"
	case host:
		return "its certificate is for another host: give the host that is in it"
	case certificate:
		return "its certificate is not valid: renew it"
	case strings.Contains(err.Error(), noTLS):
		return "it has no TLS: turn ssl on in its configuration, or connect without, by sslmode=disable in the URL"
	case lookup:
		return "its host has no address: check the name"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: check the address, and whether the server runs"
	case errors.Is(err, syscall.ENOENT):
		return "there is no such socket: give the host of the server in the URL"
	}
	return "it cannot be reached: check the address, the network, and whether the server runs"
}

// identifier is a name in SQL, in quotes where it needs them.
func identifier(name string) string {
	if schemaForm.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}
