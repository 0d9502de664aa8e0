package certs

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/x509"
	"math/big"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/identity"
)

// revoked are the revoked certificates, each with the rest of its line: by serial number, or all of a peer by ROLE/NAME.
type revoked map[string]string

// everySerial stands for the serial number of each certificate of a peer, past and future.
const everySerial = "*"

// parseRevoked reads a list of revoked certificates: a serial number in hexadecimal in each line, and then who, when and why. The serial
// number * revokes every certificate of the peer, who is necessary then. Empty lines and those with # are comments.
func parseRevoked(path string, data []byte) (revoked, error) {
	list := make(revoked)
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		serial, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if serial == everySerial {
			who, rest, _ := strings.Cut(rest, " ")
			role, name, _ := strings.Cut(who, "/")
			if err := cmp.Or(identity.CheckRole(identity.Role(role)), identity.CheckName(name)); err != nil {
				return nil, problem(path, "line %d: %w: want ROLE/NAME after *, as `benchd pki revoke` writes it", n, err)
			}
			list[who] = strings.TrimSpace(rest)
			continue
		}
		number, ok := new(big.Int).SetString(strings.ReplaceAll(serial, ":", ""), 16)
		if !ok || number.Sign() < 0 {
			return nil, problem(path, "line %d: invalid serial number %q: want hexadecimal digits, as `benchd pki list` prints them, or *", n, serial)
		}
		list[number.Text(16)] = rest
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
		if id, err := identity.FromCertificate(c); err == nil && r.has(id) {
			return c
		}
	}
	return nil
}

// has reports whether the certificate of a peer, or that of an authority that issued it, is revoked.
func (r revoked) has(id identity.Identity) bool {
	return slices.ContainsFunc(id.Entries(), func(entry string) bool {
		_, is := r[entry]
		return is
	})
}
