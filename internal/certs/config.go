package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// protocols are those of gRPC and of HTTP.
func protocols() []string { return []string{"h2", "http/1.1"} }

// errNothingToPresent is the error of handshakes of a server without a certificate.
var errNothingToPresent = errors.New("a server needs --tls-cert and --tls-key")

// ServerConfig returns the configuration of a server. Each handshake uses the current certificate and CA. A peer without a
// certificate is accepted, and anonymous; one with a certificate that is not valid, revoked or without an identity is refused. No
// session is resumed, so that each connection is checked.
func (s *Store) ServerConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: protocols(), Time: s.now, SessionTicketsDisabled: true,
		ClientAuth: tls.VerifyClientCertIfGiven,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			t := s.trust.Load()
			if t.cert == nil {
				return nil, errNothingToPresent
			}
			return &tls.Config{
				MinVersion: tls.VersionTLS13, NextProtos: protocols(), Time: s.now, SessionTicketsDisabled: true,
				Certificates: []tls.Certificate{*t.cert}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: t.roots,
				VerifyConnection: s.verifyClient,
			}, nil
		},
	}
}

// verifyClient checks a client beyond its chain, which crypto/tls has verified.
func (s *Store) verifyClient(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return nil
	}
	if _, err := identity.FromCertificate(state.PeerCertificates[0]); err != nil {
		return err
	}
	return s.acceptable(state.VerifiedChains)
}

// acceptable checks that nothing in at least one of the chains of a peer is revoked.
func (s *Store) acceptable(chains [][]*x509.Certificate) error {
	list := *s.revoked.Load()
	var found *x509.Certificate
	for _, chain := range chains {
		if found = list.find(chain); found == nil {
			return nil
		}
	}
	if found == nil {
		return errors.New("the certificate was not verified")
	}
	return fmt.Errorf("the certificate of %s with the serial number %s is revoked", subject(found), identity.Serial(found))
}

// ClientConfig returns the configuration of a client that connects to a server with that role at a host. Each handshake uses the
// current certificate and CA. The protocols are left to the client: gRPC and net/http add their own.
func (s *Store) ClientConfig(role identity.Role, host string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Time: s.now, ServerName: host,
		// The CA may change after this configuration was made, so VerifyConnection verifies instead of crypto/tls.
		InsecureSkipVerify:   true, //nolint:gosec // see above
		VerifyConnection:     func(state tls.ConnectionState) error { return s.verifyServer(state, role, host) },
		GetClientCertificate: s.present,
	}
}

// present returns the certificate for a server, whichever authorities it announces: a server that does not accept it refuses the
// connection, and does not take the client for an anonymous one.
func (s *Store) present(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if t := s.trust.Load(); t.cert != nil {
		return t.cert, nil
	}
	return new(tls.Certificate), nil
}

// verifyServer checks all of a server's certificate.
func (s *Store) verifyServer(state tls.ConnectionState, role identity.Role, host string) error {
	if len(state.PeerCertificates) == 0 {
		return fmt.Errorf("the server at %s has no certificate", host)
	}
	leaf := state.PeerCertificates[0]
	if err := inTime(leaf, s.now()); err != nil {
		return fmt.Errorf("refuse the server at %s: %w", host, err)
	}
	chains, err := leaf.Verify(x509.VerifyOptions{
		Roots: s.trust.Load().roots, Intermediates: pool(state.PeerCertificates[1:]), CurrentTime: s.now(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		return fmt.Errorf("refuse the server at %s: the authority of --tls-ca%s has not issued its certificate: use the CA of the server's installation", host, s.caFile())
	}
	if err != nil {
		return fmt.Errorf("refuse the server at %s: %w", host, err)
	}
	id, err := identity.FromCertificate(leaf)
	if err != nil {
		return fmt.Errorf("refuse the server at %s: %w", host, err)
	}
	if id.Role != role {
		return fmt.Errorf("refuse the server at %s: its certificate is that of %s, and the role %s is required: connect to the %s, or issue its certificate with `benchd pki issue %s NAME`",
			host, id, role, role, role)
	}
	if leaf.VerifyHostname(host) != nil {
		return fmt.Errorf("refuse the server at %s: its certificate is for %s only: connect to one of these, or issue one for that host, too", host, hosts(leaf))
	}
	if err := s.acceptable(chains); err != nil {
		return fmt.Errorf("refuse the server at %s: %w", host, err)
	}
	return nil
}

// caFile returns the name of the CA's file for a message.
func (s *Store) caFile() string {
	if s.files.CA == "" {
		return ""
	}
	return " " + s.files.CA
}

// hosts lists the hosts of a certificate.
func hosts(c *x509.Certificate) string {
	all := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return "clients"
	}
	return strings.Join(all, ", ")
}

// PeerIdentity returns who the peer of a server's connection is: anonymous without a certificate that was verified.
func PeerIdentity(state tls.ConnectionState) identity.Identity {
	anonymous := identity.Identity{Role: identity.Anonymous}
	if len(state.VerifiedChains) == 0 || len(state.VerifiedChains[0]) == 0 {
		return anonymous
	}
	id, err := identity.FromCertificate(state.VerifiedChains[0][0])
	if err != nil {
		return anonymous
	}
	id.Issuers = issuers(state.VerifiedChains)
	return id
}

// PeerUntil returns when the certificate of the peer of a connection expires; zero without one, and without TLS. A connection may last
// longer.
func PeerUntil(state *tls.ConnectionState) time.Time {
	if state == nil || len(state.PeerCertificates) == 0 {
		return time.Time{}
	}
	return state.PeerCertificates[0].NotAfter
}

// issuers returns the serial numbers of the authorities between a peer and the CA that all of its chains have.
func issuers(chains [][]*x509.Certificate) []string {
	var common []string
	for i, chain := range chains {
		var of []string
		for _, c := range chain[1:max(len(chain)-1, 1)] {
			of = append(of, identity.Serial(c))
		}
		if i == 0 {
			common = of
		}
		common = slices.DeleteFunc(common, func(serial string) bool { return !slices.Contains(of, serial) })
	}
	return common
}
