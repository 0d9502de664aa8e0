package certs

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/identity"
)

// Options configure a Store.
type Options struct {
	Logger     *slog.Logger          // default: none
	Registerer prometheus.Registerer // default: none
	Now        func() time.Time      // default: time.Now
	// Roles are those that the certificate of the process may have. Default: all.
	Roles []identity.Role
	// Required refuses Files without a certificate.
	Required bool
}

func (o *Options) ensureDefaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Store has the current certificates of a process.
type Store struct {
	files   Files
	options Options
	log     *slog.Logger
	now     func() time.Time
	metrics *metrics

	trust   atomic.Pointer[trust]
	revoked atomic.Pointer[revoked]

	reloading sync.Mutex // held while files are read
	pair      part       // Cert, Key and CA
	list      part       // Revoked
	warned    time.Time  // when the expiry was logged

	mu        sync.Mutex
	onRevoked []func(entry string)
}

// part are files that are used together. A part that is broken does not keep another from being used.
type part struct {
	used   [sha256.Size]byte // the content in use
	seen   [sha256.Size]byte // the content at the last look
	failed [sha256.Size]byte // the content whose error is in the log
	broken bool
}

// Load reads the files of a process.
func Load(files Files, o Options) (*Store, error) {
	if err := files.check(o.Required); err != nil {
		return nil, err
	}
	s := newStore(files, o)
	if err := s.Reload(); err != nil {
		return nil, err
	}
	if err := s.register(); err != nil {
		return nil, err
	}
	return s, nil
}

// PEM is the content of Files.
type PEM struct{ Cert, Key, CA []byte }

// Parse returns a store with certificates that their owner keeps otherwise than in separate files. Errors name the files of from. The
// store is not to be reloaded.
func Parse(text PEM, from Files, o Options) (*Store, error) {
	if err := from.check(o.Required); err != nil {
		return nil, err
	}
	s := newStore(from, o)
	t, err := from.parse(content{data: [][]byte{text.Cert, text.Key, text.CA}}, o.Roles, s.now())
	if err != nil {
		return nil, err
	}
	s.trust.Store(t)
	if err := s.register(); err != nil {
		return nil, err
	}
	return s, nil
}

// New returns a store with a certificate in memory. A certificate without content is none.
func New(cert tls.Certificate, roots *x509.CertPool, o Options) (*Store, error) {
	s := newStore(Files{Cert: "(in memory)", CA: "(in memory)"}, o)
	t := &trust{roots: roots, id: identity.Identity{Role: identity.Anonymous}}
	if len(cert.Certificate) > 0 {
		chain := make([]*x509.Certificate, len(cert.Certificate))
		for i, der := range cert.Certificate {
			var err error
			if chain[i], err = x509.ParseCertificate(der); err != nil {
				return nil, problem(s.files.Cert, "%w", err)
			}
		}
		if err := t.present(s.files, &cert, chain, o.Roles, s.now()); err != nil {
			return nil, err
		}
	}
	s.files = Files{}
	s.trust.Store(t)
	if err := s.register(); err != nil {
		return nil, err
	}
	return s, nil
}

func newStore(files Files, o Options) *Store {
	o.ensureDefaults()
	s := &Store{files: files, options: o, log: o.Logger, now: o.Now, metrics: newMetrics()}
	s.revoked.Store(new(revoked))
	return s
}

// register registers the metrics.
func (s *Store) register() error {
	s.metrics.show(s.files, s.trust.Load())
	if s.options.Registerer == nil {
		return nil
	}
	var errs []error
	for _, c := range s.metrics.all() {
		errs = append(errs, s.options.Registerer.Register(c))
	}
	return errors.Join(errs...)
}

// Identity returns who the process is: anonymous without a certificate.
func (s *Store) Identity() identity.Identity { return s.trust.Load().id }

// Expires returns when the certificate of the process, or of an authority in its file, expires; zero without one.
func (s *Store) Expires() time.Time { return s.trust.Load().expires }

// Revoked reports whether the certificate of a peer is revoked.
func (s *Store) Revoked(id identity.Identity) bool { return s.revoked.Load().has(id) }

// OnRevoked has a function called for each entry of the list of revoked certificates that is new from now on: a serial number in
// hexadecimal, or ROLE/NAME for all certificates of a peer. The function must not reload the store.
func (s *Store) OnRevoked(f func(entry string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRevoked = append(s.onRevoked, f)
}
