package profile

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

// None is the name that stands for no profile on command lines.
const None = "off"

// Profile is how a user connects to a coordinator.
type Profile struct {
	Name    string `json:"-"`
	Address string `json:"address"` // HOST:PORT, several of them separated by commas, or unix:PATH
	// The certificates, in PEM. All are empty for a coordinator without TLS.
	CA          string `json:"ca,omitempty"`
	Certificate string `json:"certificate,omitempty"`
	Key         string `json:"key,omitempty"`

	path string
}

// New returns a profile with copies of the files, which may be none.
func New(name, address string, files certs.Files) (Profile, error) {
	p := Profile{Name: name, Address: address}
	for _, f := range []struct {
		path string
		to   *string
	}{{files.CA, &p.CA}, {files.Cert, &p.Certificate}, {files.Key, &p.Key}} {
		if f.path == "" {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			return Profile{}, fmt.Errorf("copy a certificate into profile %s: %w", name, err)
		}
		*f.to = string(text)
	}
	return p, nil
}

// String names the profile, without its key.
func (p Profile) String() string { return p.Name + " (" + p.Address + ")" }

// Secured reports whether the profile has certificates.
func (p Profile) Secured() bool { return p.CA != "" }

// Certificates returns the certificates, or nil without some.
func (p Profile) Certificates(o certs.Options) (*certs.Store, error) {
	if !p.Secured() {
		return nil, nil //nolint:nilnil // no TLS is wanted
	}
	store, err := certs.Parse(
		certs.PEM{Cert: []byte(p.Certificate), Key: []byte(p.Key), CA: []byte(p.CA)},
		certs.Files{Cert: p.path, Key: p.path, CA: p.path}, o,
	)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return store, nil
}

// Owner returns who the user is in the certificate, and when it expires. It checks neither.
func (p Profile) Owner() (identity.Identity, time.Time, error) {
	chain, err := pki.ParseChain([]byte(p.Certificate))
	if err != nil {
		return identity.Identity{}, time.Time{}, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	id, err := identity.FromCertificate(chain[0])
	if err != nil {
		return identity.Identity{}, time.Time{}, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return id, chain[0].NotAfter, nil
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName checks the name of a profile.
func CheckName(name string) error {
	switch {
	case name == None:
		return errors.New(`invalid profile name "off": it stands for no profile`)
	case !validName.MatchString(name):
		return fmt.Errorf("invalid profile name %q: want up to 64 letters, digits, dots, dashes and underscores, the first a letter or digit", name)
	}
	return nil
}

// At reports whether the profile is for the coordinator at an address, or for one of several.
func (p Profile) At(address string) bool {
	own := split(p.Address)
	return slices.ContainsFunc(split(address), func(a string) bool { return slices.Contains(own, a) })
}

// split returns the addresses of a list, with 127.0.0.1 for localhost.
func split(list string) []string {
	if strings.HasPrefix(list, "unix:") {
		return []string{list}
	}
	addresses := strings.Split(list, ",")
	for i, a := range addresses {
		if port, is := strings.CutPrefix(a, "localhost:"); is {
			addresses[i] = "127.0.0.1:" + port
		}
	}
	return addresses
}

// NameOf returns the name that the profile of an address has by default: the host of HOST:PORT, the first one of several, and "local" for a unix
// socket.
func NameOf(address string) string {
	host := "local"
	if !strings.HasPrefix(address, "unix:") {
		address, _, _ = strings.Cut(address, ",")
		host = address[:max(0, strings.LastIndexByte(address, ':'))]
	}
	name := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(host, "-"), "-._")
	return name[:min(len(name), 64)]
}
