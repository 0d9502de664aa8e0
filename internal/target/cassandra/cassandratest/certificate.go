package cassandratest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// serverPEM is the file with the server's key and certificates.
const serverPEM = "server.pem"

// certificate writes a certificate for 127.0.0.1 with its key, and returns the file of the authority that issued it.
func certificate(dir string) (ca string, err error) {
	fail := func(err error) (string, error) { return "", fmt.Errorf("issue a certificate: %w", err) }
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	if err != nil {
		return fail(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, server, authority, key.Public(), caKey)
	if err != nil {
		return fail(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fail(err)
	}
	block := func(kind string, content []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	}
	chain := append(block("PRIVATE KEY", private), append(block("CERTIFICATE", der), block("CERTIFICATE", caDER)...)...)
	ca = filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(filepath.Join(dir, serverPEM), chain, 0o600); err != nil {
		return fail(err)
	}
	if err := os.WriteFile(ca, block("CERTIFICATE", caDER), 0o600); err != nil {
		return fail(err)
	}
	return ca, nil
}
