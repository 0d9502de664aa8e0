package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
)

// NewKey makes a key, ECDSA with the curve P-256.
func NewKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return key, nil
}

// EncodeKey writes a key in PEM (PKCS #8).
func EncodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// ParseKey reads a key in PEM (PKCS #8).
func ParseKey(text []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("want a key in PEM, with the line -----BEGIN PRIVATE KEY-----")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse key: %w", err)
	}
	key, is := parsed.(*ecdsa.PrivateKey)
	if !is {
		return nil, fmt.Errorf("want an ECDSA key, not %T", parsed)
	}
	return key, nil
}

// EncodeChain writes certificates in PEM, which ParseChain reads.
func EncodeChain(certs ...*x509.Certificate) []byte {
	var text []byte
	for _, c := range certs {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return text
}

// ParseChain reads certificates in PEM, the one of the peer first.
func ParseChain(text []byte) ([]*x509.Certificate, error) {
	var chain []*x509.Certificate
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		text = rest
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parse certificate: %w", err)
		}
		chain = append(chain, c)
	}
	if len(chain) == 0 {
		return nil, errors.New("want a certificate in PEM, with the line -----BEGIN CERTIFICATE-----")
	}
	return chain, nil
}

// pair is a certificate of an authority with its key.
type pair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func readPair(dir, certFile, keyFile string) (pair, error) {
	cert, err := readCert(dir, certFile)
	if err != nil {
		return pair{}, err
	}
	path := filepath.Join(dir, keyFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return pair{}, fmt.Errorf("read key: %w", err)
	}
	key, err := ParseKey(text)
	if err != nil {
		return pair{}, fmt.Errorf("read %s: %w", path, err)
	}
	if !key.PublicKey.Equal(cert.PublicKey) {
		return pair{}, fmt.Errorf("read %s: it is not the key of %s: restore both from the same backup", path, certFile)
	}
	return pair{cert, key}, nil
}

func readCert(dir, file string) (*x509.Certificate, error) {
	path := filepath.Join(dir, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	chain, err := ParseChain(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(chain) != 1 {
		return nil, fmt.Errorf("read %s: want one certificate, found %d", path, len(chain))
	}
	return chain[0], nil
}

// newSerial returns a random serial number of 127 bits, positive and of the same length for all.
func newSerial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, fmt.Errorf("make serial number: %w", err)
	}
	return n.SetBit(n, 126, 1), nil
}

// hash is a SHA-256 in hexadecimal.
func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// keyHash identifies a public key.
func keyHash(public any) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", fmt.Errorf("encode public key: %w", err)
	}
	return hash(der), nil
}
