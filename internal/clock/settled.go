package clock

import (
	"sync"
	"time"
)

// settledAfter is how long a wall clock that was set forward must stay there until Settled takes it for right.
const settledAfter = 24 * time.Hour

// Settled reads the date for what deletes by age. A wall clock that is set back is followed at once; one that is set
// forward only when it has stayed there for a day, so that a wrong date of some hours deletes nothing. At its
// beginning it takes the wall clock for right.
type Settled struct {
	source *Source

	mu      sync.Mutex
	ahead   int64 // how far the wall clock that is believed is ahead of source.Now
	least   int64 // of those that it has been ahead since it was set forward
	since   int64 // when it was, by source.Now
	pending bool
}

// NewSettled begins with what the wall clock says.
func NewSettled(source *Source) *Settled {
	return &Settled{source: source, ahead: source.Wall().UnixNano() - source.Now()}
}

// Wall is the date. It learns that the wall clock was set, and that it was set back, only when it is called.
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
