package clock

import (
	"sync"
	"time"
)

// settledAfter is how long a wall clock must stay set forward until Settled trusts it.
const settledAfter = 24 * time.Hour

// Settled reads the date for deletion by age. It follows a wall clock that is set back at once, and one that is set forward
// only after a day, so that a wrong date for some hours deletes nothing. It trusts the initial wall clock.
type Settled struct {
	source *Source

	mu      sync.Mutex
	ahead   int64 // how far the trusted wall clock is ahead of source.Now
	least   int64 // the minimum since the wall clock was set forward
	since   int64 // when it was set forward, by source.Now
	pending bool
}

// NewSettled starts with the current wall clock.
func NewSettled(source *Source) *Settled {
	return &Settled{source: source, ahead: source.Wall().UnixNano() - source.Now()}
}

// Wall returns the date. It notices changes of the wall clock only when it is called.
func (s *Settled) Wall() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.source.Now()
	ahead := s.source.Wall().UnixNano() - now
	switch {
	case ahead <= s.ahead:
		s.ahead, s.pending = ahead, false
	case !s.pending:
		s.least, s.since, s.pending = ahead, now, true
	default:
		s.least = min(s.least, ahead)
		if now-s.since >= int64(settledAfter) {
			s.ahead, s.pending = s.least, false
		}
	}
	return time.Unix(0, now+s.ahead)
}
