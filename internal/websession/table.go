package websession

import (
	"crypto/sha256"
	"time"
)

// hash is all that is kept of a code or a token.
type hash [sha256.Size]byte

func hashOf(text string) hash { return sha256.Sum256([]byte(text)) }

// entry is a code or a session.
type entry interface {
	peer() string
	last() time.Time // of its use
	ended(now time.Time) bool
	revoked(entry string) bool
	end() // ends what uses it
}

// table has the codes or the sessions. Those that have ended are removed when it is used, so that it stays within its bounds.
type table[E entry] map[hash]E

// find returns the entry of a text.
func (t table[E]) find(text string, now time.Time) (e E, is bool) {
	e, is = t[hashOf(text)]
	if is && e.ended(now) {
		t.remove(hashOf(text))
		return e, false
	}
	return e, is
}

// add adds an entry, in place of the ones that have ended, and of the oldest one if there are too many.
func (t table[E]) add(text string, e E, now time.Time) {
	ofPeer := 0
	for h, other := range t {
		if other.ended(now) {
			t.remove(h)
		} else if other.peer() == e.peer() {
			ofPeer++
		}
	}
	switch {
	case ofPeer >= maxOfPeer:
		t.removeOldest(func(other E) bool { return other.peer() == e.peer() })
	case len(t) >= maxAll:
		t.removeOldest(func(E) bool { return true })
	}
	t[hashOf(text)] = e
}

func (t table[E]) removeOldest(of func(E) bool) {
	var oldest hash
	var since time.Time
	for h, e := range t {
		if of(e) && (since.IsZero() || e.last().Before(since)) {
			oldest, since = h, e.last()
		}
	}
	t.remove(oldest)
}

func (t table[E]) remove(h hash) {
	if e, is := t[h]; is {
		delete(t, h)
		e.end()
	}
}

func (t table[E]) revoke(name string) {
	for h, e := range t {
		if e.revoked(name) {
			t.remove(h)
		}
	}
}
