package credential

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/benchd/benchd/internal/secret"
)

// Credential is what a process has. A nil Credential has nothing. Its methods may be called from several goroutines.
type Credential struct{ config Config }

// FileError reports that a file cannot be used.
type FileError struct {
	File string
	Err  error // with the cure
}

// Error names the file, the problem and the cure. It has nothing of the file's content.
func (e *FileError) Error() string { return fmt.Sprintf("credential %s: %v", e.File, e.Err) }

// Unwrap returns the problem.
func (e *FileError) Unwrap() error { return e.Err }

// New checks a config and its files. It returns nil for a config that has nothing.
func New(c Config) (*Credential, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !c.Given() {
		return nil, nil //nolint:nilnil // a nil Credential has nothing
	}
	var err error
	if c.Kerberos.Cache, err = cacheFile(c.Kerberos.Cache); err != nil {
		return nil, err
	}
	if c.Kerberos, err = c.Kerberos.withHost(); err != nil {
		return nil, err
	}
	for _, path := range []string{c.Kerberos.Keytab, c.Kerberos.Cache} {
		if path == "" {
			continue
		}
		if _, err := readPrivate(path); err != nil {
			return nil, err
		}
	}
	one := &Credential{c}
	if _, err := one.TLS(); err != nil {
		return nil, err
	}
	return one, nil
}

// Kerberos returns who the process is for Kerberos. Ok is false if it has neither a keytab nor tickets.
func (c *Credential) Kerberos() (k Kerberos, ok bool) {
	if c == nil {
		return Kerberos{}, false
	}
	return c.config.Kerberos, c.config.Kerberos.given()
}

// TLS reads the files of TLS. Without a certificate of its own the process presents none; without authorities those of the system
// count.
func (c *Credential) TLS() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c == nil {
		return config, nil
	}
	t := c.config.TLS
	if t.Cert != "" {
		cert, err := t.certificate()
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{cert}
	}
	if t.CA != "" {
		roots, err := t.roots()
		if err != nil {
			return nil, err
		}
		config.RootCAs = roots
	}
	return config, nil
}

// Private reports whether the process holds keys or tickets.
func (c *Credential) Private() bool {
	return c != nil && (c.config.Kerberos.given() || c.config.TLS.Cert != "")
}

// Kinds lists what kinds of keys the process has, for logs.
func (c *Credential) Kinds() []string {
	if c == nil {
		return nil
	}
	var kinds []string
	switch {
	case c.config.Kerberos.Keytab != "":
		kinds = append(kinds, "Kerberos keytab")
	case c.config.Kerberos.Cache != "":
		kinds = append(kinds, "Kerberos credential cache")
	}
	if c.config.TLS.Cert != "" {
		kinds = append(kinds, "TLS certificate")
	}
	if c.config.TLS.CA != "" {
		kinds = append(kinds, "TLS authorities")
	}
	return kinds
}

const hidden = "(credential)"

// String returns "(credential)".
func (*Credential) String() string { return hidden }

// GoString returns "(credential)".
func (*Credential) GoString() string { return hidden }

// Format prints "(credential)" for every verb.
func (*Credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue returns "(credential)".
func (*Credential) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText returns "(credential)".
func (*Credential) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const (
	// othersAll are the permissions of users who are neither the owner of a file nor in its group.
	othersAll fs.FileMode = 0o007
	// maxFile is the maximum size of a file in bytes.
	maxFile = 4 << 20
)

// readPrivate reads a file with keys, which only its owner and its group may use.
func readPrivate(path string) ([]byte, error) {
	return readFile(path, func(info fs.FileInfo) error {
		if mode := info.Mode().Perm(); mode&othersAll != 0 {
			return fmt.Errorf("every user of this machine has access to its keys (mode %04o): run chmod o= %s", mode, path)
		}
		return nil
	})
}

// readPublic reads a file without keys.
func readPublic(path string) ([]byte, error) {
	return readFile(path, func(fs.FileInfo) error { return nil })
}

// readFile reads a regular file that passes a check.
func readFile(path string, check func(fs.FileInfo) error) (content []byte, err error) {
	defer func() {
		if err != nil {
			err = &FileError{path, plain(err)}
		}
	}()
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer would block
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	}
	if err := check(info); err != nil {
		return nil, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxFile:
		return nil, fmt.Errorf("is longer than %d MiB", maxFile>>20)
	case len(content) == 0:
		return nil, errors.New("is empty")
	}
	return content, nil
}

// plain returns the cause of an error about a file, which its reader names, with the cure.
func plain(err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: let the user of this process read it, and nobody else", path.Err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: check the path", path.Err)
	}
	return path.Err
}

// cacheFile returns the path of a credential cache without its type, as in FILE:/tmp/krb5cc_1000. Other types are refused.
func cacheFile(cache string) (string, error) {
	kind, path, ok := strings.Cut(cache, ":")
	switch {
	case !ok || strings.HasPrefix(cache, "/"):
		return cache, nil
	case kind == "FILE":
		return path, nil
	}
	return "", fmt.Errorf("invalid credential cache %s: only files are read; run kinit -c FILE:/path and give that", cache)
}

// ReadPassword reads the file of a password. The line feed at its end does not count.
func ReadPassword(path string) (secret.Value, error) {
	content, err := readPrivate(path)
	if err != nil {
		return secret.Value{}, err
	}
	return secret.NewValue(strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")), nil
}
