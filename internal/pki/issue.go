package pki

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net"
	"net/url"
	"regexp"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// IssueOptions configures Issue.
type IssueOptions struct {
	Hosts []string      // host names and addresses of a coordinator or agent
	Life  time.Duration // default: DefaultLife
}

// Issued is a certificate with its key, in PEM.
type Issued struct {
	Cert   []byte // with the root, so that an agent that joins can compare the root with its token
	Key    []byte
	Record Record
}

// Issue makes a key and signs its certificate by the root. The certificate is in the list before Issue returns.
func (a *Authority) Issue(id identity.Identity, o IssueOptions) (Issued, error) {
	o.Life = cmp.Or(o.Life, DefaultLife)
	template, err := a.leaf(id, o)
	if err != nil {
		return Issued{}, err
	}
	key, err := NewKey()
	if err != nil {
		return Issued{}, err
	}
	text, err := EncodeKey(key)
	if err != nil {
		return Issued{}, err
	}
	cert, err := sign(template, &a.root, &key.PublicKey)
	if err != nil {
		return Issued{}, err
	}
	r := recordOf(id, cert)
	if err := a.record(id, r); err != nil {
		return Issued{}, err
	}
	return Issued{Cert: EncodeChain(cert, a.root.cert), Key: text, Record: r}, nil
}

// Check checks whether a certificate can be issued, and changes nothing.
func (a *Authority) Check(id identity.Identity, o IssueOptions) error {
	o.Life = cmp.Or(o.Life, DefaultLife)
	_, err := a.leaf(id, o)
	return err
}

// leaf checks what is asked for, and returns the template of the certificate.
func (a *Authority) leaf(id identity.Identity, o IssueOptions) (*x509.Certificate, error) {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, errorf(ErrInput, format, args...)) }
	if err := errors.Join(identity.CheckRole(id.Role), identity.CheckName(id.Name)); err != nil {
		return nil, errorf(ErrInput, "%w", err)
	}
	if len(id.Grants) > 0 && id.Role != identity.Operator {
		problem("a certificate of role %s has no grants: only an operator needs them; an admin has every privilege", id.Role)
	}
	server := id.Role == identity.Coordinator || id.Role == identity.Agent
	switch {
	case len(o.Hosts) > 0 && !server:
		problem("a certificate of role %s has no hosts: only a coordinator or an agent has them", id.Role)
	case len(o.Hosts) == 0 && id.Role == identity.Coordinator:
		problem("the certificate of a coordinator needs the names and addresses by which agents and clients reach it, such as --host bench.example.org --host 10.0.0.1")
	}
	t, err := template(id, a.now(), o.Life, a.root.cert)
	if err != nil {
		problems = append(problems, err)
		return nil, errors.Join(problems...)
	}
	for _, host := range o.Hosts {
		if err := addHost(t, host); err != nil {
			problems = append(problems, err)
		}
	}
	return t, errors.Join(problems...)
}

// template returns the template of a peer's certificate below an authority.
func template(id identity.Identity, now time.Time, life time.Duration, issuer *x509.Certificate) (*x509.Certificate, error) {
	t := &x509.Certificate{
		Subject: pkix.Name{Organization: []string{"benchd"}, OrganizationalUnit: []string{string(id.Role)}},
		URIs:    []*url.URL{id.URI()}, NotBefore: now.Add(-early), NotAfter: now.Add(life),
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
	}
	if len(id.Name) <= 64 { // the limit of a common name
		t.Subject.CommonName = id.Name
	}
	switch id.Role {
	case identity.Coordinator:
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	case identity.Agent: // also a server, of its metrics
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	default:
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	switch {
	case life < time.Minute:
		return nil, errorf(ErrInput, "life of a certificate %s: want 1m or more", life)
	case t.NotAfter.After(issuer.NotAfter):
		return nil, errorf(ErrInput, "life of a certificate: it would end on %s, after its authority on %s: give a shorter life, or make another authority with `benchd pki init`",
			date(t.NotAfter), date(issuer.NotAfter))
	}
	return t, nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

func addHost(t *x509.Certificate, host string) error {
	if ip := net.ParseIP(host); ip != nil {
		t.IPAddresses = append(t.IPAddresses, ip)
		return nil
	}
	if len(host) > 253 || !hostName.MatchString(host) {
		return errorf(ErrInput, "invalid host %q: want a host name or an IP address without a port, such as bench.example.org or 10.0.0.1", host)
	}
	t.DNSNames = append(t.DNSNames, host)
	return nil
}

// Request makes the request of an agent for a certificate, in DER.
func Request(name string, key *ecdsa.PrivateKey) ([]byte, error) {
	if err := identity.CheckName(name); err != nil {
		return nil, errorf(ErrInput, "%w", err)
	}
	id := identity.Identity{Role: identity.Agent, Name: name}
	return createRequest(id, key)
}

func date(t time.Time) string { return t.UTC().Format(time.RFC3339) }
