package certs

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"math/big"
	"strings"

	"github.com/benchd/benchd/internal/identity"
)

// revoked are the serial numbers of revoked certificates, each with the rest of its line.
type revoked map[string]string

// parseRevoked reads a list of revoked certificates: a serial number in hexadecimal in each line, and then who, when and why. Empty lines
// and those with # are comments.
func parseRevoked(path string, data []byte) (revoked, error) {
	list := make(revoked)
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		serial, rest, _ := strings.Cut(line, " ")
		number, ok := new(big.Int).SetString(strings.ReplaceAll(serial, ":", ""), 16)
		if !ok || number.Sign() < 0 {
			return nil, problem(path, "line %d: invalid serial number %q: want hexadecimal digits, as `benchd pki list` prints them", n, serial)
		}
		list[number.Text(16)] = strings.TrimSpace(rest)
	}
	if err := lines.Err(); err != nil {
		return nil, problem(path, "%w: write the list again with `benchd pki revoke`", err)
	}
	return list, nil
}

// find returns the first revoked certificate of a chain, without its CA.
func (r revoked) find(chain []*x509.Certificate) *x509.Certificate {
	for i, c := range chain {
		if i > 0 && i == len(chain)-1 {
			break
		}
		if _, ok := r[identity.Serial(c)]; ok {
			return c
		}
	}
	return nil
}
