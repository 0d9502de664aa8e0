// Package certstest issues certificates for tests.
//
//  1. NewCA makes an authority in memory, and Intermediate one below it.
//  2. Issue makes a certificate, good or wrong in one of many ways.
//  3. Write puts it into files.
package certstest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
)

// CA is a certificate authority.
type CA struct {
	Cert  *x509.Certificate
	Key   *ecdsa.PrivateKey
	chain [][]byte // of an intermediate authority, in DER
}

// NewCA returns a root, valid from an hour ago for ten years.
func NewCA(tb testing.TB) *CA {
	tb.Helper()
	template := authority(tb, "benchd test CA")
	key := newKey(tb)
	return &CA{Cert: sign(tb, template, template, key, key), Key: key}
}

// Intermediate returns an authority that this one has signed. Its certificates may have only URIs of the given hosts, that is,
// roles, if there are some.
func (ca *CA) Intermediate(tb testing.TB, roles ...string) *CA {
	tb.Helper()
	template := authority(tb, "benchd test intermediate")
	template.PermittedURIDomains, template.PermittedDNSDomainsCritical = roles, len(roles) > 0
	template.MaxPathLenZero = true
	key := newKey(tb)
	cert := sign(tb, template, ca.Cert, key, ca.Key)
	return &CA{Cert: cert, Key: key, chain: append([][]byte{cert.Raw}, ca.chain...)}
}

// Pool returns the pool of this authority.
func (ca *CA) Pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(ca.Cert)
	return p
}

// PEM returns the authority's certificate.
func (ca *CA) PEM() []byte { return encode("CERTIFICATE", ca.Cert.Raw) }

// Leaf describes a certificate to issue.
type Leaf struct {
	Identity identity.Identity
	// URIs replace the one of Identity, if not nil.
	URIs []string
	// Hosts are names and addresses. Default: localhost, 127.0.0.1 and ::1.
	Hosts []string
	// From and Until are its period. Default: from an hour ago for 90 days.
	From, Until time.Time
	// Usages default to those of clients and servers.
	Usages []x509.ExtKeyUsage
}

// Pair is a certificate with its key.
type Pair struct {
	CertPEM, KeyPEM []byte // CertPEM has the intermediate authorities, too
	TLS             tls.Certificate
	Leaf            *x509.Certificate
}

// Serial returns the serial number in hexadecimal.
func (p Pair) Serial() string { return identity.Serial(p.Leaf) }

// Identify issues a certificate with the defaults of a Leaf.
func (ca *CA) Identify(tb testing.TB, role identity.Role, name string, grants ...identity.Grant) Pair {
	tb.Helper()
	return ca.Issue(tb, Leaf{Identity: identity.Identity{Role: role, Name: name, Grants: grants}})
}

// Issue issues a certificate.
func (ca *CA) Issue(tb testing.TB, l Leaf) Pair {
	tb.Helper()
	template := &x509.Certificate{
		SerialNumber: serial(tb), Subject: pkix.Name{CommonName: l.Identity.Name}, NotBefore: l.From, NotAfter: l.Until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: l.Usages,
	}
	if l.From.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if l.Until.IsZero() {
		template.NotAfter = time.Now().AddDate(0, 0, 90)
	}
	if l.Usages == nil {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	}
	if l.URIs == nil {
		l.URIs = []string{l.Identity.URI().String()}
	}
	for _, text := range l.URIs {
		u, err := url.Parse(text)
		require.NoError(tb, err)
		template.URIs = append(template.URIs, u)
	}
	if l.Hosts == nil {
		l.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	for _, host := range l.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	key := newKey(tb)
	leaf := sign(tb, template, ca.Cert, key, ca.Key)
	p := Pair{Leaf: leaf, TLS: tls.Certificate{Certificate: append([][]byte{leaf.Raw}, ca.chain...), PrivateKey: key, Leaf: leaf}}
	var chain bytes.Buffer
	for _, der := range p.TLS.Certificate {
		chain.Write(encode("CERTIFICATE", der))
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(tb, err)
	p.CertPEM, p.KeyPEM = chain.Bytes(), encode("PRIVATE KEY", der)
	return p
}

// Write writes the certificate, its key and the CA's certificate to tls.crt, tls.key and ca.crt of a folder, each in place.
func (p Pair) Write(tb testing.TB, dir string, ca *CA) certs.Files {
	tb.Helper()
	files := certs.Files{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), CA: filepath.Join(dir, "ca.crt")}
	require.NoError(tb, os.WriteFile(files.Cert, p.CertPEM, 0o600))
	require.NoError(tb, os.WriteFile(files.Key, p.KeyPEM, 0o600))
	require.NoError(tb, os.WriteFile(files.CA, ca.PEM(), 0o600))
	return files
}

// Store returns a store in memory with this certificate that accepts those of a CA.
func (p Pair) Store(tb testing.TB, ca *CA) *certs.Store {
	tb.Helper()
	s, err := certs.New(p.TLS, ca.Pool(), certs.Options{})
	require.NoError(tb, err)
	return s
}

// authority is the template of an authority.
func authority(tb testing.TB, name string) *x509.Certificate {
	tb.Helper()
	return &x509.Certificate{
		SerialNumber: serial(tb), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

// sign returns a certificate for the key, signed with by.
func sign(tb testing.TB, template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	tb.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	require.NoError(tb, err)
	c, err := x509.ParseCertificate(der)
	require.NoError(tb, err)
	return c
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	return key
}

func serial(tb testing.TB) *big.Int {
	tb.Helper()
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	require.NoError(tb, err)
	return n
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Client returns the configuration of a client with a certificate, or with none if it is empty, that accepts servers of that role at
// 127.0.0.1.
func Client(tb testing.TB, ca *CA, cert tls.Certificate, role identity.Role) *tls.Config {
	tb.Helper()
	s, err := certs.New(cert, ca.Pool(), certs.Options{})
	require.NoError(tb, err)
	return s.ClientConfig(role, "127.0.0.1")
}
