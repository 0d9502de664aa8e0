package certs

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// Files are the paths of a process's certificates, all in PEM.
type Files struct {
	// Cert has the certificate of the process, followed by those of intermediate authorities. Without it, and without Key, the
	// process presents no certificate.
	Cert string
	// Key has the private key of Cert.
	Key string
	// CA has the certificates of the authorities whose certificates are accepted.
	CA string
	// Revoked has the serial numbers of certificates that are refused, as `benchd pki revoke` writes them. Optional.
	Revoked string
}

// FileError reports that a file cannot be used.
type FileError struct {
	File string
	Err  error // with the cure
}

// Error names the file, the problem and the cure.
func (e *FileError) Error() string { return fmt.Sprintf("TLS file %s: %v", e.File, e.Err) }

// Unwrap returns the problem.
func (e *FileError) Unwrap() error { return e.Err }

// ExitCode returns the exit code of a usage error.
func (*FileError) ExitCode() int { return 2 }

// problem returns a FileError.
func problem(file, format string, args ...any) error {
	return &FileError{File: file, Err: fmt.Errorf(format, args...)}
}

// check checks which files are given.
func (f Files) check(required bool) error {
	switch {
	case f.CA == "":
		return usage("--tls-ca is missing: give the file with the certificate of the authority (CA) that issued the certificates, such as ca.crt of `benchd pki init`")
	case f.Cert != "" && f.Key == "":
		return usage("--tls-key is missing: give the private key of --tls-cert " + f.Cert)
	case f.Cert == "" && f.Key != "":
		return usage("--tls-cert is missing: give the certificate of --tls-key " + f.Key)
	case f.Cert == "" && required:
		return usage("--tls-cert and --tls-key are missing: give the certificate of this process and its key, as `benchd pki issue` writes them")
	}
	return nil
}

// usageError reports flags that do not fit.
type usageError struct{ error }

// ExitCode returns the exit code of a usage error.
func (usageError) ExitCode() int { return 2 }

func usage(text string) error { return usageError{errors.New(text)} }

// content is what some files contain, in their order.
type content struct {
	data [][]byte
	err  error // of the first file that cannot be read
}

// read reads files; an empty path has no content.
func read(paths ...string) content {
	var c content
	for _, path := range paths {
		var data []byte
		if path != "" {
			var err error
			if data, err = os.ReadFile(path); err != nil {
				return content{err: unreadable(path, err)}
			}
		}
		c.data = append(c.data, data)
	}
	return c
}

// unreadable explains why a file cannot be read.
func unreadable(path string, err error) error {
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	cure := "check the path"
	if errors.Is(err, fs.ErrPermission) {
		cure = "let the user of this process read it, and nobody else"
	}
	return problem(path, "%w: %s", err, cure)
}

// digest identifies the content, or the error.
func (c content) digest() [sha256.Size]byte {
	h := sha256.New()
	for _, data := range c.data {
		_, _ = fmt.Fprintf(h, "%d ", len(data))
		_, _ = h.Write(data)
	}
	if c.err != nil {
		_, _ = fmt.Fprint(h, c.err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// certificates reads the certificates of a file.
func certificates(path string, data []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, problem(path, "read certificate %d of the file: %w; write the file again", len(all)+1, err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, problem(path, "it has no certificate: want PEM, that is, text with BEGIN CERTIFICATE")
	}
	return all, nil
}

// trust is what a process presents, and which authorities it accepts.
type trust struct {
	cert    *tls.Certificate // nil: none
	id      identity.Identity
	roots   *x509.CertPool
	expires time.Time     // of cert or of an authority between it and the CA, whichever is earlier; zero without cert
	life    time.Duration // of cert
	caUntil time.Time     // the first end of an authority
}

// parse reads the content of Cert, Key and CA.
func (f Files) parse(c content, roles []identity.Role, now time.Time) (*trust, error) {
	if c.err != nil {
		return nil, c.err
	}
	authorities, err := certificates(f.CA, c.data[2])
	if err != nil {
		return nil, err
	}
	t := &trust{roots: x509.NewCertPool(), id: identity.Identity{Role: identity.Anonymous}, caUntil: first(authorities)}
	for _, a := range authorities {
		if !a.IsCA {
			return nil, problem(f.CA, "the certificate of %s is not an authority's (CA): --tls-ca needs ca.crt of `benchd pki init`, or your own CA's certificate", subject(a))
		}
		t.roots.AddCert(a)
	}
	if f.Cert == "" {
		return t, nil
	}
	chain, err := certificates(f.Cert, c.data[0])
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(c.data[0], c.data[1])
	if err != nil {
		return nil, problem(f.Key, "%s: it must be the unencrypted PEM of the private key of %s", strings.TrimPrefix(err.Error(), "tls: "), f.Cert)
	}
	pair.Leaf = chain[0]
	if err := t.present(f, &pair, chain, roles, now); err != nil {
		return nil, err
	}
	return t, nil
}

// present sets the certificate of the process, if it can be used.
func (t *trust) present(f Files, pair *tls.Certificate, chain []*x509.Certificate, roles []identity.Role, now time.Time) error {
	leaf := chain[0]
	id, err := identity.FromCertificate(leaf)
	if err != nil {
		return &FileError{File: f.Cert, Err: err}
	}
	if len(roles) > 0 && !slices.Contains(roles, id.Role) {
		return problem(f.Cert, "its role is %s, but this program needs %s: issue one with `benchd pki issue %s NAME`", id.Role, anyOf(roles), roles[0])
	}
	if err := inTime(leaf, now); err != nil {
		return problem(f.Cert, "%w", err)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{
		Roots: t.roots, Intermediates: pool(chain[1:]), CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}); err != nil {
		if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
			err = errors.New("it was issued by another authority")
		}
		return problem(f.Cert, "%w: peers that have %s would refuse it; use the certificate and the CA of one installation", err, f.CA)
	}
	t.cert, t.id, t.expires, t.life = pair, id, first(chain), leaf.NotAfter.Sub(leaf.NotBefore)
	return nil
}

// inTime checks the period of a certificate.
func inTime(c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("the certificate of %s expired on %s, and it is %s: issue a new one (`benchd pki issue`), or set the clock", subject(c), stamp(c.NotAfter), stamp(now))
	case now.Before(c.NotBefore):
		return fmt.Errorf("the certificate of %s is valid only from %s, and it is %s: set the clock of this machine or of the one that issued it", subject(c), stamp(c.NotBefore), stamp(now))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// subject names the owner of a certificate.
func subject(c *x509.Certificate) string {
	if id, err := identity.FromCertificate(c); err == nil {
		return id.String()
	}
	return fmt.Sprintf("%q", c.Subject.CommonName)
}

// first returns the first end of some certificates.
func first(all []*x509.Certificate) time.Time {
	return slices.MinFunc(all, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }).NotAfter
}

func pool(all []*x509.Certificate) *x509.CertPool {
	p := x509.NewCertPool()
	for _, c := range all {
		p.AddCert(c)
	}
	return p
}

func anyOf(roles []identity.Role) string {
	texts := make([]string, len(roles))
	for i, r := range roles {
		texts[i] = string(r)
	}
	return strings.Join(texts, " or ")
}
