package websession

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

// Bounds of codes and sessions.
const (
	CodeLife = 2 * time.Minute
	IdleLife = 12 * time.Hour     // of a session without use
	MaxLife  = 7 * 24 * time.Hour // of a session

	maxOfPeer = 32   // codes, and sessions, of one peer; the one that has not been used for the longest time ends
	maxAll    = 1024 // of all peers
)

var (
	// ErrCode reports that a code cannot log in.
	ErrCode = errors.New("the link was used before, or is older than 2 minutes: run `benchctl console` for another one")
	// ErrEnded is the cause of the end of requests and streams whose session has ended.
	ErrEnded = errors.New("the session has ended: run `benchctl console`, and open the link that it prints")
)

// Session is the session of a request.
type Session struct {
	Who   identity.Identity
	Until time.Time // when the certificate of the peer expires; zero without one
	Ends  time.Time // at the latest
}

// Store has the codes and the sessions.
type Store struct {
	mu       sync.Mutex
	codes    table[*code]
	sessions table[*session]

	place  Place // of the sessions; nil for none
	logger *slog.Logger
	saved  time.Time // when the sessions were written
}

// New returns a store without sessions.
func New() *Store { return &Store{codes: make(table[*code]), sessions: make(table[*session])} }

// code is what a link is for.
type code struct {
	who         identity.Identity
	until, made time.Time
}

func (c *code) peer() string              { return c.who.Peer() }
func (c *code) last() time.Time           { return c.made }
func (c *code) ended(now time.Time) bool  { return now.Sub(c.made) >= CodeLife || past(c.until, now) }
func (c *code) revoked(entry string) bool { return revokes(entry, c.who) }
func (*code) end()                        {}

// session is a session with the requests that use it.
type session struct {
	Session

	used   time.Time // when the last use ended
	uses   int
	life   context.Context //nolint:containedctx // ends with the session
	cancel context.CancelFunc
}

// newSession returns a session that was used last at an instant.
func newSession(of Session, used time.Time) *session {
	one := &session{Session: of, used: used}
	one.life, one.cancel = context.WithDeadline(context.Background(), of.Ends)
	return one
}

func (s *session) peer() string              { return s.Who.Peer() }
func (s *session) revoked(entry string) bool { return revokes(entry, s.Who) }
func (s *session) end()                      { s.cancel() }

func (s *session) last() time.Time {
	if s.uses > 0 {
		return s.Ends // it is in use, and ends behind all that are not
	}
	return s.used
}

func (s *session) ended(now time.Time) bool {
	return !now.Before(s.Ends) || s.uses == 0 && now.Sub(s.used) >= IdleLife
}

func past(until, now time.Time) bool { return !until.IsZero() && now.After(until) }

// revokes reports whether an entry of a list of revoked certificates is for a peer. A peer without a certificate has none.
func revokes(entry string, who identity.Identity) bool {
	return who.Serial != "" && slices.Contains(who.Entries(), entry)
}

// Invite makes a code for a peer, whose certificate expires at an instant; zero without one.
func (s *Store) Invite(who identity.Identity, until time.Time) string {
	text, now := rand.Text(), time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes.add(text, &code{who: who, until: until, made: now}, now)
	return text
}

// Invited returns whom a code logs in, and does not use it up.
func (s *Store) Invited(text string) (identity.Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, is := s.codes.find(text, time.Now())
	if !is {
		return identity.Identity{}, ErrCode
	}
	return c.who, nil
}

// Redeem uses a code up, and starts a session. The token is for the cookie.
func (s *Store) Redeem(text string) (token string, started Session, err error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, is := s.codes.find(text, now)
	if !is {
		return "", Session{}, ErrCode
	}
	s.codes.remove(hashOf(text))
	ends := now.Add(MaxLife)
	if !c.until.IsZero() && c.until.Before(ends) {
		ends = c.until
	}
	one := newSession(Session{Who: c.who, Until: c.until, Ends: ends}, now)
	token = rand.Text()
	s.sessions.add(token, one, now)
	s.save(now)
	return token, one.Session, nil
}

// Enter returns a context that ends with the session of a token, which is in use until leave is called. It is false if there is no such session.
func (s *Store) Enter(ctx context.Context, token string) (in context.Context, of Session, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, is := s.sessions.find(token, time.Now())
	if !is {
		return ctx, Session{}, func() {}, false
	}
	one.uses++
	in, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(one.life, func() { cancel(ErrEnded) })
	return in, one.Session, sync.OnceFunc(func() {
		stop()
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		one.uses--
		one.used = time.Now()
		if one.used.Sub(s.saved) >= keepEvery {
			s.save(one.used)
		}
	}), true
}

// End ends the session of a token. It returns whose it was, and is false if there is no such session.
func (s *Store) End(token string) (who identity.Identity, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, is := s.sessions.find(token, time.Now())
	if !is {
		return identity.Identity{}, false
	}
	s.sessions.remove(hashOf(token))
	s.save(time.Now())
	return one.Who, true
}

// Revoke ends the sessions and the codes that an entry of a list of revoked certificates is for.
func (s *Store) Revoke(entry string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes.revoke(entry)
	s.sessions.revoke(entry)
	s.save(time.Now())
}
