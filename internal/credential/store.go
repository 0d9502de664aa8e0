package credential

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/benchd/benchd/internal/secret"
)

// certificate reads the certificate of the process with its key.
func (t TLS) certificate() (tls.Certificate, error) {
	read := readPublic
	if t.Key == "" {
		read = readPrivate
	}
	cert, err := read(t.Cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := supported(t.Cert, cert); err != nil {
		return tls.Certificate{}, err
	}
	if !isPEM(cert) {
		if t.Key != "" {
			return tls.Certificate{}, &FileError{t.Cert, errors.New("it is PKCS#12, which has its key inside: leave --target-tls-key out, or give a certificate in PEM")}
		}
		return t.unpack(cert)
	}
	key, from := cert, t.Cert
	if t.Key != "" {
		from = t.Key
		if key, err = readPrivate(t.Key); err != nil {
			return tls.Certificate{}, err
		}
	}
	if bytes.Contains(key, []byte("ENCRYPTED")) {
		return tls.Certificate{}, &FileError{from, fmt.Errorf("the key is encrypted, which is supported in PKCS#12 only: run openssl pkcs12 -export -inkey %s -in %s -out client.p12", from, t.Cert)}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, &FileError{from, fmt.Errorf("%w: want a certificate and its private key in PEM", err)}
	}
	return pair, nil
}

// unpack reads a certificate with its key from PKCS#12.
func (t TLS) unpack(content []byte) (tls.Certificate, error) {
	key, leaf, chain, err := pkcs12.DecodeChain(content, t.Password.Reveal())
	if err != nil {
		return tls.Certificate{}, &FileError{t.Cert, cure(err, t.Password, "--target-tls-password-file")}
	}
	private, ok := key.(crypto.PrivateKey)
	if !ok {
		return tls.Certificate{}, &FileError{t.Cert, errors.New("it has no private key")}
	}
	cert := tls.Certificate{PrivateKey: private, Leaf: leaf, Certificate: [][]byte{leaf.Raw}}
	for _, c := range chain {
		cert.Certificate = append(cert.Certificate, c.Raw)
	}
	return cert, nil
}

// cure explains why PKCS#12 cannot be read.
func cure(err error, password secret.Value, flag string) error {
	switch {
	case errors.Is(err, pkcs12.ErrIncorrectPassword) && password.Reveal() == "":
		return fmt.Errorf("it has a password: give the file with it, with %s", flag)
	case errors.Is(err, pkcs12.ErrIncorrectPassword):
		return fmt.Errorf("the password is wrong: check the file of %s", flag)
	}
	return fmt.Errorf("read PKCS#12: %w", err)
}

// roots reads the authorities.
func (t TLS) roots() (*x509.CertPool, error) {
	content, err := readPublic(t.CA)
	if err != nil {
		return nil, err
	}
	if err := supported(t.CA, content); err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if isPEM(content) {
		if !roots.AppendCertsFromPEM(content) {
			return nil, &FileError{t.CA, errors.New("it has no certificate: want the certificates of authorities in PEM or PKCS#12")}
		}
		return roots, nil
	}
	certs, err := pkcs12.DecodeTrustStore(content, t.CAPassword.Reveal())
	if err != nil {
		return nil, &FileError{t.CA, cure(err, t.CAPassword, "--target-tls-ca-password-file")}
	}
	for _, c := range certs {
		roots.AddCert(c)
	}
	return roots, nil
}

// isPEM reports whether a file is text in PEM.
func isPEM(content []byte) bool {
	block, _ := pem.Decode(content)
	return block != nil || bytes.Contains(content, []byte("-----BEGIN "))
}

// The first bytes of Java's own formats.
const (
	jks   = "\xfe\xed\xfe\xed"
	jceks = "\xce\xce\xce\xce"
)

// supported refuses the formats of key stores that only Java reads.
func supported(path string, content []byte) error {
	var kind string
	switch {
	case bytes.HasPrefix(content, []byte(jks)):
		kind = "JKS"
	case bytes.HasPrefix(content, []byte(jceks)):
		kind = "JCEKS"
	case strings.EqualFold(filepath.Ext(path), ".bcfks"):
		kind = "BCFKS"
	default:
		return nil
	}
	return &FileError{path, Unsupported(path, kind)}
}

// Unsupported returns the error of a key store in a format that only Java reads, with the command that converts it.
func Unsupported(path, kind string) error {
	converted := strings.TrimSuffix(path, filepath.Ext(path)) + ".p12"
	return fmt.Errorf("it is a key store in Java's format %[1]s: convert it with keytool -importkeystore -srckeystore %[2]s -srcstoretype %[1]s -destkeystore %[3]s -deststoretype PKCS12", kind, path, converted)
}
