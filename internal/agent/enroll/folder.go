package enroll

import (
	"crypto/ecdsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

const (
	private fs.FileMode = 0o600
	public  fs.FileMode = 0o644

	othersWrite fs.FileMode = 0o022
	othersAll   fs.FileMode = 0o007
)

// Folder is the directory with the identity of an agent.
type Folder string

// Files returns the paths of the files.
func (f Folder) Files() certs.Files {
	return certs.Files{Cert: f.path(pki.CertFile), Key: f.path(pki.KeyFile), CA: f.path(pki.RootFile)}
}

func (f Folder) path(file string) string { return filepath.Join(string(f), file) }

// prepare creates the folder. It refuses one to which other users may write.
func (f Folder) prepare() error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("create the directory of --identity: %w", err)
	}
	info, err := os.Stat(string(f))
	if err != nil {
		return fmt.Errorf("open the directory of --identity: %w", err)
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return mistake("--identity %s: other users may write to the directory (mode %04o): run chmod go-w on it, or give one inside of it", f, mode)
	}
	return nil
}

// key returns the key of the agent. It makes one if there is none.
func (f Folder) key() (key *ecdsa.PrivateKey, err error) {
	err = pki.Locked(string(f), func() error {
		key, err = f.readKey()
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if key, err = pki.NewKey(); err != nil {
			return err
		}
		text, err := pki.EncodeKey(key)
		if err != nil {
			return err
		}
		return pki.WriteFile(f.path(pki.KeyFile), text, private)
	})
	return key, err
}

func (f Folder) readKey() (*ecdsa.PrivateKey, error) {
	path := f.path(pki.KeyFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the key of the agent: %w", err)
	}
	if mode := info.Mode().Perm(); mode&othersAll != 0 {
		return nil, mistake("every user of this machine has access to the key %s (mode %04o): run chmod 600 on it; if somebody may have read it, delete %s and join by a new token", path, mode, f)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key of the agent: %w", err)
	}
	key, err := pki.ParseKey(text)
	if err != nil {
		return nil, mistake("read the key %s: %w: delete %s and join by a new token", path, err, f)
	}
	return key, nil
}

// held is the certificate in a folder.
type held struct {
	leaf *x509.Certificate
	id   identity.Identity
	root *x509.Certificate
}

// held reads the certificate; it returns nil if there is none.
func (f Folder) held() (*held, error) {
	path := f.path(pki.CertFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none yet
	}
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the agent: %w", err)
	}
	h := new(held)
	chain, err := pki.ParseChain(text)
	if err == nil {
		h.leaf = chain[0]
		h.id, err = identity.FromCertificate(h.leaf)
	}
	if err == nil && h.id.Role != identity.Agent {
		err = fmt.Errorf("it is the certificate of %s, not of an agent", h.id)
	}
	if err != nil {
		return nil, mistake("read %s: %w: give another directory with --identity, or delete the file and join by a new token", path, err)
	}
	h.root, err = f.root()
	return h, err
}

// root reads the certificate of the authority.
func (f Folder) root() (*x509.Certificate, error) {
	path := f.path(pki.RootFile)
	text, err := os.ReadFile(path)
	var chain []*x509.Certificate
	if err == nil {
		chain, err = pki.ParseChain(text)
	}
	if err != nil {
		return nil, mistake("read the authority %s: %w: copy %s of the installation there, or delete %s and join by a new token", path, err, pki.RootFile, f)
	}
	return chain[0], nil
}

// save writes a certificate. The one before is in use until all of the new one is on disk.
func (f Folder) save(chain []byte) error { return pki.WriteFile(f.path(pki.CertFile), chain, public) }

// saveRoot writes the certificate of the authority.
func (f Folder) saveRoot(root *x509.Certificate) error {
	return pki.WriteFile(f.path(pki.RootFile), pki.EncodeChain(root), public)
}

// verify checks the certificate that a coordinator has issued.
func verify(text []byte, root *x509.Certificate, name string, key *ecdsa.PrivateKey, now time.Time) error {
	chain, err := pki.ParseChain(text)
	if err != nil {
		return fmt.Errorf("read the certificate that the coordinator has issued: %w", err)
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(root)
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	usages := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: now, KeyUsages: usages}); err != nil {
		return fmt.Errorf("verify the certificate that the coordinator has issued: %w: compare the clocks of both machines, and --enroll of the coordinator with its --tls-ca", err)
	}
	id, err := identity.FromCertificate(chain[0])
	if err != nil {
		return fmt.Errorf("verify the certificate that the coordinator has issued: %w", err)
	}
	if id.Role != identity.Agent || id.Name != name || !key.PublicKey.Equal(chain[0].PublicKey) {
		return fmt.Errorf("the coordinator has issued a certificate for %s with another key, or for another peer than agent %s: compare --coordinator with the machine that the token is for", id, name)
	}
	return nil
}
