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

// keepEvery is how old the uses of sessions in the file may be.
const keepEvery = 10 * time.Minute

// kept is a session in the file. Nobody can make a cookie of it.
type kept struct {
	Hash  string            `json:"hash"` // of the token, in hexadecimal
	Who   identity.Identity `json:"who"`
	Until time.Time         `json:"until"`
	Ends  time.Time         `json:"ends"`
	Used  time.Time         `json:"used"`
}

// Keep keeps the sessions in a file from now on, and continues those in it, so that browsers need no login after a restart. A file that cannot
// be read or written costs logins alone: the logger gets the error.
func (s *Store) Keep(path string, logger *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.path, s.logger = path, logger
	if err := s.load(); err != nil {
		logger.Warn("sessions of browsers are lost: users log in again", "error", err)
	}
}

// load reads the file.
func (s *Store) load() error {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	var list []kept
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("read sessions of %s: %w", s.path, err)
	}
	now := time.Now()
	for _, k := range list {
		var h hash
		if n, err := hex.Decode(h[:], []byte(k.Hash)); err != nil || n != len(h) || len(s.sessions) >= maxAll {
			return fmt.Errorf("read sessions of %s: invalid entry", s.path)
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

// save writes the file, if sessions are kept.
func (s *Store) save(now time.Time) {
	if s.path == "" {
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
		err = pki.WriteFile(s.path, text, 0o600)
	}
	if err != nil {
		s.logger.Warn("sessions of browsers are not kept: users log in again after a restart", "error", err)
	}
	s.saved = now
}
