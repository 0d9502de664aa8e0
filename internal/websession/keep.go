package websession

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

// keepEvery is how old the uses of sessions in their place may be.
const keepEvery = 10 * time.Minute

// kept is a session in its place. Nobody can make a cookie of it.
type kept struct {
	Hash  string            `json:"hash"` // of the token, in hexadecimal
	Who   identity.Identity `json:"who"`
	Until time.Time         `json:"until"`
	Ends  time.Time         `json:"ends"`
	Used  time.Time         `json:"used"`
}

// Place is where sessions are kept beyond the process.
type Place interface {
	Load() ([]byte, error) // nil if nothing was saved
	Save(sessions []byte) error
}

// File returns a file as a Place.
func File(path string) Place { return file(path) }

type file string

// Load implements Place.
func (f file) Load() ([]byte, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	return text, nil
}

// Save implements Place.
func (f file) Save(sessions []byte) error { return pki.WriteFile(string(f), sessions, 0o600) }

// Keep keeps the sessions in a place from now on, and continues those in it, so that browsers need no login after a restart. A place that cannot
// be read or written costs logins alone: the logger gets the error.
func (s *Store) Keep(place Place, logger *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place, s.logger = place, logger
	if err := s.load(); err != nil {
		logger.Warn("sessions of browsers are lost: users log in again", "error", err)
	}
}

// load reads the sessions.
func (s *Store) load() error {
	text, err := s.place.Load()
	if err != nil || text == nil {
		return err
	}
	var list []kept
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	now := time.Now()
	for _, k := range list {
		var h hash
		if n, err := hex.Decode(h[:], []byte(k.Hash)); err != nil || n != len(h) || len(s.sessions) >= maxAll {
			return errors.New("read sessions: invalid entry")
		}
		one := newSession(Session{Who: k.Who, Until: k.Until, Ends: k.Ends}, k.Used)
		if one.ended(now) {
			one.end()
			continue
		}
		s.sessions[h] = one
	}
	s.saved = now
	return nil
}

// save writes the sessions, if they are kept.
func (s *Store) save(now time.Time) {
	if s.place == nil {
		return
	}
	list := make([]kept, 0, len(s.sessions))
	for h, one := range s.sessions {
		k := kept{Hash: hex.EncodeToString(h[:]), Who: one.Who, Until: one.Until, Ends: one.Ends, Used: one.used}
		if one.uses > 0 {
			k.Used = now
		}
		list = append(list, k)
	}
	text, err := json.Marshal(list)
	if err == nil {
		err = s.place.Save(text)
	}
	if err != nil {
		s.logger.Warn("sessions of browsers are not kept: users log in again after a restart", "error", err)
	}
	s.saved = now
}
