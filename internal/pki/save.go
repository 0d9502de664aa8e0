package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/benchd/benchd/internal/identity"
)

// Prepare creates the directory for the files of a peer. It refuses one with the certificate of another peer.
func Prepare(dir string, id identity.Identity) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the directory of a certificate: %w", err)
	}
	path := filepath.Join(dir, CertFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the certificate that would be replaced: %w", err)
	}
	owner := "another program"
	if chain, err := ParseChain(text); err == nil {
		if there, err := identity.FromCertificate(chain[0]); err == nil {
			if there.Role == id.Role && there.Name == id.Name {
				return nil
			}
			owner = there.String()
		}
	}
	return errorf(ErrInput, "%s is a certificate of %s, and the one of %s would replace it: give another directory with --out", path, owner, id)
}

// Save writes a certificate with its key, and the root, into a directory. A coordinator also gets the agents' authority and the deny
// list. It returns the paths.
func (a *Authority) Save(dir string, issued Issued) ([]string, error) {
	type file struct {
		name    string
		content []byte
		mode    fs.FileMode
	}
	files := []file{{RootFile, a.Root(), public}, {CertFile, issued.Cert, public}, {KeyFile, issued.Key, private}}
	if issued.Record.Role == identity.Coordinator {
		key, err := EncodeKey(a.agents.key)
		if err != nil {
			return nil, err
		}
		denied, err := os.ReadFile(filepath.Join(a.dir, RevokedFile))
		if err != nil {
			return nil, fmt.Errorf("copy the deny list: %w", err)
		}
		files = append(files, file{AgentsFile, EncodeChain(a.agents.cert), public}, file{AgentsKeyFile, key, private}, file{RevokedFile, denied, public})
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := WriteFile(path, f.content, f.mode); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
