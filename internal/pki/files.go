package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Names of the files of an authority.
const (
	RootFile      = "ca.crt"       // the root's certificate, which everybody has
	RootKeyFile   = "ca.key"       // the root's key, which stays on the machine of the authority
	AgentsFile    = "agents.crt"   // the certificate of the agents' authority
	AgentsKeyFile = "agents.key"   // its key, which a coordinator has
	IssuedFile    = "issued.jsonl" // a line for each certificate and each join token
	RevokedFile   = "revoked"      // the deny list
)

// Names of the files that a peer has.
const (
	CertFile = "tls.crt" // its certificate, and those of its issuers
	KeyFile  = "tls.key"
)

const (
	private fs.FileMode = 0o600
	public  fs.FileMode = 0o644
)

// WriteFile replaces a file: after a crash it has either its old content or the new one.
func WriteFile(path string, content []byte, mode fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDirectory(dir)
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems cannot
		return err
	}
	return nil
}

// Locked calls do while no other process does the same for the directory.
func Locked(dir string, do func() error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := flock(d, syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	return do()
}

// flock locks a file until it is closed.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
