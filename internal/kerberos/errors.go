package kerberos

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
)

// Error is a failure of Kerberos. Its text has the cure.
type Error struct {
	// Passing reports that another try may succeed without a change of configuration.
	Passing bool

	text string
	err  error
}

// Error implements error.
func (e *Error) Error() string { return e.text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// problem makes an Error of a cause.
func problem(err error, format string, args ...any) *Error {
	return &Error{text: fmt.Sprintf(format, args...), err: err}
}

// code is how the library writes the number of an error of the realm's servers.
var code = regexp.MustCompile(`\((\d+)\) K[A-Z_]+`)

// explain says what an error of the library means for a client that asks for a ticket of a service.
func (c *Client) explain(err error, service string) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	text := err.Error()
	number := int64(-1)
	if m := code.FindStringSubmatch(text); m != nil {
		number, _ = strconv.ParseInt(m[1], 10, 32)
	}
	switch {
	case number == int64(errorcode.KDC_ERR_C_PRINCIPAL_UNKNOWN):
		return problem(err, "the KDC does not know the principal %s: correct --kerberos-principal, or create it (%s)", c.principal(), code.FindString(text))
	case number == int64(errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN):
		return problem(err, "the KDC does not know the principal %s of the service: correct the server's principal in the settings, or the host's name (%s)", service, code.FindString(text))
	case number == int64(errorcode.KDC_ERR_PREAUTH_FAILED), strings.Contains(text, "keytab incorrect") && !strings.Contains(text, "skew"), strings.Contains(text, "matching key not found"):
		return problem(err, "the keytab %s has no valid key of %s: get a new keytab; klist -kte shows its keys (%s)", c.config.Keytab, c.principal(), last(text))
	case number == int64(errorcode.KRB_AP_ERR_SKEW), strings.Contains(text, "clock skew"):
		return problem(err, "the clocks of this machine and of the KDC differ by more than Kerberos permits (5 min): set them by NTP%s (%s)", c.clocks(), last(text))
	case number == int64(errorcode.KDC_ERR_CLIENT_REVOKED), number == int64(errorcode.KDC_ERR_KEY_EXPIRED), number == int64(errorcode.KDC_ERR_NAME_EXP):
		return problem(err, "the principal %s is locked or has expired: ask the realm's administrator (%s)", c.principal(), code.FindString(text))
	case number == int64(errorcode.KDC_ERR_ETYPE_NOSUPP):
		return problem(err, "the KDC has no AES key of %s or %s: create one; RC4 and DES are not supported (%s)", c.principal(), service, code.FindString(text))
	case number == int64(errorcode.KRB_AP_ERR_TKT_EXPIRED), strings.Contains(text, "no valid existing session"):
		return c.expired(err)
	case number >= 0:
		return problem(err, "the KDC refuses a ticket of %s for %s: %s", service, c.principal(), last(text))
	case strings.Contains(text, "Networking_Error"), strings.Contains(text, "KDC"):
		e := problem(err, "no KDC of the realm %s answers: correct its address in krb5.conf or --kerberos-kdc, or start it (%s)", c.realm, last(text))
		e.Passing = true
		return e
	}
	return problem(err, "get a ticket of %s for %s: %s", service, c.principal(), text)
}

// expired is the error of tickets that have expired.
func (c *Client) expired(err error) *Error {
	if c.config.Cache != "" {
		return problem(err, "the ticket in the credential cache %s has expired: run kinit for %s, or give a keytab with --kerberos-keytab", c.config.Cache, c.principal())
	}
	return problem(err, "the ticket of %s has expired, and the KDC gives no new one: %v", c.principal(), err)
}

// last returns the last part of the library's chain of texts, which is the reason.
func last(text string) string {
	if m := code.FindString(text); m != "" {
		return m
	}
	if i := strings.LastIndex(text, "dial "); i >= 0 {
		return text[i:]
	}
	if i := strings.LastIndex(text, " < "); i >= 0 {
		return text[i+3:]
	}
	return text
}
