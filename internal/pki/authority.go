package pki

import (
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

const (
	// DefaultRootLife is the life of an authority.
	DefaultRootLife = 10 * 365 * day
	// DefaultLife is the life of a certificate that Issue signs.
	DefaultLife = 365 * day
	// DefaultAgentLife is the life of a certificate that an agent gets from a coordinator and renews by itself.
	DefaultAgentLife = 30 * day

	day = 24 * time.Hour
	// early is how long before its issue a certificate is valid, for peers whose clocks are behind.
	early = 5 * time.Minute
)

// AgentHost is a host name in the certificate of each agent that joined by a token: the server name by which a client such as
// Prometheus verifies any agent, at any address. The agents' authority can sign no host name outside of it, and no address.
const AgentHost = "agent.benchd.internal"

// InitOptions configures Init.
type InitOptions struct {
	Name string        // of the authority, in its certificates; default: benchd
	Life time.Duration // default: DefaultRootLife
	Now  time.Time     // default: the time of the call
}

// Authority is an opened authority.
type Authority struct {
	// Now is the clock; default: time.Now.
	Now func() time.Time

	dir          string
	root, agents pair
}

// Init makes an authority in a directory that is missing or empty.
func Init(dir string, o InitOptions) (*Authority, error) {
	o.Name, o.Life = cmp.Or(o.Name, "benchd"), cmp.Or(o.Life, DefaultRootLife)
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Life < day {
		return nil, errorf(ErrInput, "life of an authority %s: want 1d or more", o.Life)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the authority's directory: %w", err)
	}
	content, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("create authority: %w", err)
	}
	if len(content) > 0 {
		return nil, errorf(ErrNotEmpty, "create authority in %s: the directory is not empty (it has %s): give an empty or a new one", dir, content[0].Name())
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder
		return nil, fmt.Errorf("create authority: %w", err)
	}
	a := &Authority{dir: dir}
	if a.root, err = newAuthority(rootTemplate(o), nil); err != nil {
		return nil, err
	}
	if a.agents, err = newAuthority(agentsTemplate(o), &a.root); err != nil {
		return nil, err
	}
	if err := a.write(); err != nil {
		return nil, err
	}
	return a, nil
}

// write writes all files; the keys first and the root's certificate last, without which a directory is incomplete.
func (a *Authority) write() error {
	rootKey, err := EncodeKey(a.root.key)
	if err != nil {
		return err
	}
	agentsKey, err := EncodeKey(a.agents.key)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name    string
		content []byte
		mode    fs.FileMode
	}{
		{RootKeyFile, rootKey, private},
		{AgentsKeyFile, agentsKey, private},
		{AgentsFile, EncodeChain(a.agents.cert), public},
		{RevokedFile, []byte(denyHead), public},
		{IssuedFile, nil, private},
		{RootFile, EncodeChain(a.root.cert), public},
	} {
		if err := WriteFile(filepath.Join(a.dir, f.name), f.content, f.mode); err != nil {
			return err
		}
	}
	return nil
}

func rootTemplate(o InitOptions) *x509.Certificate {
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: o.Name + " root"},
		NotBefore: o.Now.Add(-early), NotAfter: o.Now.Add(o.Life),
		IsCA: true, BasicConstraintsValid: true, MaxPathLen: 1,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

// agentsTemplate limits what the agents' authority can issue: URIs of agents, host names below AgentHost, no addresses, and no
// authorities. The extension is critical: a verifier that does not know it refuses every certificate below.
func agentsTemplate(o InitOptions) *x509.Certificate {
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: o.Name + " agents"},
		NotBefore: o.Now.Add(-early), NotAfter: o.Now.Add(o.Life),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true, // of all constraints
		PermittedURIDomains:         []string{string(identity.Agent)},
		PermittedDNSDomains:         []string{AgentHost},
		ExcludedIPRanges: []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
		},
	}
}

// newAuthority makes a key and its certificate, signed by parent or by itself.
func newAuthority(template *x509.Certificate, parent *pair) (pair, error) {
	key, err := NewKey()
	if err != nil {
		return pair{}, err
	}
	if parent == nil {
		parent = &pair{template, key}
	}
	cert, err := sign(template, parent, &key.PublicKey)
	return pair{cert, key}, err
}

// sign signs a certificate for a public key.
func sign(template *x509.Certificate, parent *pair, public any) (*x509.Certificate, error) {
	var err error
	if template.SerialNumber, err = newSerial(); err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, public, parent.key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// Open opens an authority that Init made.
func Open(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	for _, part := range []struct {
		cert, key string
		to        *pair
	}{{RootFile, RootKeyFile, &a.root}, {AgentsFile, AgentsKeyFile, &a.agents}} {
		p, err := readPair(dir, part.cert, part.key)
		if err != nil {
			return nil, incomplete(dir, err)
		}
		*part.to = p
	}
	if err := checkAgents(a.root.cert, a.agents.cert); err != nil {
		return nil, fmt.Errorf("open authority %s: %w", dir, err)
	}
	return a, nil
}

// incomplete explains an error of opening an authority.
func incomplete(dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("open authority %s: %w", dir, err)
	}
	content, readErr := os.ReadDir(dir)
	switch {
	case errors.Is(readErr, fs.ErrNotExist):
		return errorf(ErrNoAuthority, "open authority %s: the directory does not exist: make an authority with `benchd pki init --dir %s`, or give the directory of one with --dir", dir, dir)
	case readErr != nil:
		return errorf(ErrNoAuthority, "open authority %s: %w", dir, readErr)
	case len(content) == 0:
		return errorf(ErrNoAuthority, "open authority %s: the directory is empty: make an authority with `benchd pki init --dir %s`", dir, dir)
	}
	return errorf(ErrNoAuthority, "open authority %s: %w: give the directory of an authority with --dir; if `benchd pki init` was interrupted there, delete the directory and start again", dir, err)
}

// Dir returns the directory.
func (a *Authority) Dir() string { return a.dir }

// Root returns the root's certificate in PEM.
func (a *Authority) Root() []byte { return EncodeChain(a.root.cert) }

// Enroller returns the agents' authority.
func (a *Authority) Enroller() *Enroller {
	return &Enroller{Life: DefaultAgentLife, Now: a.Now, root: a.root.cert, agents: a.agents}
}

func (a *Authority) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}
