package certs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

const (
	// lookEvery is how often the files are read: a certificate is refused at most twice this time after it was revoked.
	lookEvery = 2 * time.Second
	// ExpiryNotice is how long before its end an expiring certificate is reported, or a third of its life if that is less: agents renew
	// certificates of a month by themselves before.
	ExpiryNotice = 30 * 24 * time.Hour
	// remindEvery is the pause between two warnings of an expiring certificate.
	remindEvery = 24 * time.Hour
)

// Watch reads the files again when they change, and warns of a certificate that expires, until ctx ends. It compares what the files
// contain, so it notices files that are overwritten, renamed, or behind a symbolic link that changes.
func (s *Store) Watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		s.remind()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if s.files.CA != "" {
			s.look()
		}
	}
}

// Reload reads the files at once. On an error the former ones stay in use.
func (s *Store) Reload() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return errors.Join(s.reloadPair(true), s.reloadList(true))
}

// look reads the files. A content that is wrong is reported when it is seen twice: a certificate and its key are two files, which are
// seldom replaced at one instant.
func (s *Store) look() {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	_ = s.reloadPair(false) // the log and the metrics have its error
	_ = s.reloadList(false)
}

func (s *Store) reloadPair(now bool) error {
	c := read(s.files.Cert, s.files.Key, s.files.CA)
	return s.renew(&s.pair, c, now, func() error {
		t, err := s.files.parse(c, s.options.Roles, s.now())
		if err != nil {
			return err
		}
		before := s.trust.Swap(t)
		s.metrics.show(s.files, t)
		if before != nil {
			s.warned = time.Time{}
			s.log.Info("TLS certificates were read again", "file", s.files.Cert, "identity", t.id.String(), "serial", t.id.Serial, "expires", t.expires)
		}
		return nil
	})
}

func (s *Store) reloadList(now bool) error {
	if s.files.Revoked == "" {
		return nil
	}
	c := read(s.files.Revoked)
	return s.renew(&s.list, c, now, func() error {
		if c.err != nil {
			return c.err
		}
		list, err := parseRevoked(s.files.Revoked, c.data[0])
		if err != nil {
			return err
		}
		before := s.revoked.Swap(&list)
		if s.list.used == (part{}).used {
			return nil // the list is read for the first time
		}
		for _, entry := range slices.Sorted(maps.Keys(list)) {
			if _, known := (*before)[entry]; !known {
				s.revoke(entry, list[entry])
			}
		}
		return nil
	})
}

// revoke reports an entry of the list of revoked certificates.
func (s *Store) revoke(entry, rest string) {
	s.mu.Lock()
	notify := slices.Clone(s.onRevoked)
	s.mu.Unlock()
	s.log.Info("certificate is revoked", "serial", entry, "entry", rest)
	for _, f := range notify {
		f(entry)
	}
}

// renew uses the content of a part, unless it is in use already.
func (s *Store) renew(p *part, c content, now bool, use func() error) error {
	digest := c.digest()
	seen := p.seen
	p.seen = digest
	if digest == p.used {
		s.settle(p, nil)
		return nil
	}
	err := use()
	if err == nil {
		p.used = digest
		s.settle(p, nil)
		return nil
	}
	known := p.broken && p.failed == digest
	if now || seen == digest && !known {
		p.failed = digest
		s.settle(p, err)
	}
	return err
}

// settle records whether a part is in use as its files are. The error of a first reading is its caller's: there are no former files.
func (s *Store) settle(p *part, err error) {
	p.broken = err != nil
	s.metrics.outcome(!s.pair.broken && !s.list.broken)
	if err != nil && p.used != (part{}).used {
		s.metrics.failures.Inc()
		s.log.Error("read TLS files again: the former ones stay in use", "error", err)
	}
}

// remind logs that the certificate expires soon.
func (s *Store) remind() {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	t, now := s.trust.Load(), s.now()
	if t.cert == nil || t.expires.Sub(now) > min(ExpiryNotice, t.life/3) || now.Sub(s.warned) < remindEvery {
		return
	}
	s.warned = now
	s.log.Warn("TLS certificate expires: replace it; connections fail afterwards", "file", s.files.Cert, "identity", t.id.String(),
		"serial", identity.Serial(t.cert.Leaf), "expires", t.expires)
}
