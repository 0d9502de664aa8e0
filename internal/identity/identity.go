// Package identity names the peers of benchd.
//
//  1. A certificate of benchd has exactly one URI, benchd://ROLE/NAME, with the grants of its owner as its query. URI writes it,
//     and FromCertificate reads it from a certificate that has been verified.
//  2. A peer that has not been asked for a certificate is trusted (New with the role Trusted); one that has none on a listener with
//     TLS is anonymous.
//  3. With and From carry the identity of the peer through the context of a call.
package identity

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Role is what a peer is. A certificate has one of the first five.
type Role string

// The roles.
const (
	Viewer      Role = "viewer"      // reads results and metrics
	Operator    Role = "operator"    // also submits, cancels and acts on targets, without destroying data
	Admin       Role = "admin"       // everything that a person may do
	Agent       Role = "agent"       // produces load under the name in its certificate
	Coordinator Role = "coordinator" // controls agents

	// Anonymous is the role of a peer without a certificate on a listener with TLS.
	Anonymous Role = "anonymous"
	// Trusted is the role of a peer on a listener without TLS, where nobody is asked for an identity.
	Trusted Role = "trusted"
)

// Roles returns the roles that a certificate can have.
func Roles() []Role { return []Role{Viewer, Operator, Admin, Agent, Coordinator} }

// Identity is a peer.
type Identity struct {
	Role   Role
	Name   string
	Grants []Grant
	// Serial is the serial number of the certificate, in hexadecimal; empty without one.
	Serial string
	// Issuers are the serial numbers of the authorities that issued the certificate, without the one that peers trust.
	Issuers []string
}

// String returns the name with the role, such as "anna (operator)".
func (id Identity) String() string {
	if id.Name == "" {
		return string(cmp.Or(id.Role, Anonymous))
	}
	return fmt.Sprintf("%s (%s)", id.Name, id.Role)
}

// Peer returns ROLE/NAME, which all certificates of a peer have.
func (id Identity) Peer() string { return string(id.Role) + "/" + id.Name }

// Entries returns the entries of a list of revoked certificates that revoke the identity: the serial numbers of its certificate and of
// the authorities that issued it, and Peer.
func (id Identity) Entries() []string { return append([]string{id.Serial, id.Peer()}, id.Issuers...) }

// Verified reports whether the identity comes from a certificate or from the operating system.
func (id Identity) Verified() bool {
	return id.Role != "" && id.Role != Anonymous && id.Role != Trusted
}

// Scheme is the scheme of the URIs in certificates.
const Scheme = "benchd"

// CheckName checks the name of a peer in a certificate.
func CheckName(name string) error {
	const most = 128
	if len(name) > most || !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`).MatchString(name) {
		return fmt.Errorf("invalid name %q: want 1 to %d letters, digits, dots, hyphens, underscores or @, the first a letter or digit", name, most)
	}
	return nil
}

// CheckRole checks the role of a peer in a certificate.
func CheckRole(role Role) error {
	if !slices.Contains(Roles(), role) {
		return fmt.Errorf("invalid role %q: want viewer, operator, admin, agent or coordinator", role)
	}
	return nil
}

// URI returns the URI for a certificate.
func (id Identity) URI() *url.URL {
	u := &url.URL{Scheme: Scheme, Host: string(id.Role), Path: "/" + id.Name}
	query := url.Values{}
	for _, g := range id.Grants {
		query.Add("grant", g.String())
	}
	u.RawQuery = query.Encode()
	return u
}

// errNoURI explains what a certificate needs.
var errNoURI = errors.New("the certificate has no identity of benchd: it needs exactly one URI (subject alternative name) benchd://ROLE/NAME, which `benchd pki issue` writes")

// FromCertificate reads the identity of a certificate. The caller has verified the certificate's chain.
func FromCertificate(c *x509.Certificate) (Identity, error) {
	uris := slices.DeleteFunc(slices.Clone(c.URIs), func(u *url.URL) bool { return u.Scheme != Scheme })
	if len(uris) != 1 {
		return Identity{}, errNoURI
	}
	u := uris[0]
	id := Identity{Role: Role(u.Host), Name: strings.TrimPrefix(u.Path, "/"), Serial: Serial(c)}
	if err := CheckRole(id.Role); err != nil {
		return Identity{}, fmt.Errorf("read the identity %s of a certificate: %w", u.Redacted(), err)
	}
	if err := CheckName(id.Name); err != nil {
		return Identity{}, fmt.Errorf("read the identity %s of a certificate: %w", u.Redacted(), err)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Identity{}, fmt.Errorf("read the identity %s of a certificate: %w", u.Redacted(), err)
	}
	for key, values := range query {
		if key != "grant" {
			return Identity{}, fmt.Errorf("read the identity %s of a certificate: unknown key %q", u.Redacted(), key)
		}
		for _, text := range values {
			g, err := ParseGrant(text)
			if err != nil {
				return Identity{}, fmt.Errorf("read the identity %s of a certificate: %w", u.Redacted(), err)
			}
			id.Grants = append(id.Grants, g)
		}
	}
	return id, nil
}

// Serial returns the serial number of a certificate in hexadecimal, as lists of certificates show it.
func Serial(c *x509.Certificate) string { return c.SerialNumber.Text(16) }

type key struct{}

// With returns a context with the identity of the peer.
func With(ctx context.Context, id Identity) context.Context { return context.WithValue(ctx, key{}, id) }

// From returns the identity of the peer. Without one the peer is anonymous, so that a call that has not been authenticated is
// refused.
func From(ctx context.Context) Identity {
	if id, ok := ctx.Value(key{}).(Identity); ok {
		return id
	}
	return Identity{Role: Anonymous}
}
