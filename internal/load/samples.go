package load

import (
	"sync"
	"sync/atomic"

	"github.com/benchd/benchd/internal/latency"
)

// samples keeps the first message of each kind of error in a window.
type samples struct {
	keys []latency.Key
	seen []atomic.Bool // by series: this window has one

	mu    sync.Mutex
	found []latency.ErrorSample
}

func (s *samples) init(keys []latency.Key) {
	s.keys = keys
	s.seen = make([]atomic.Bool, len(keys))
}

// add records an error of a series. Only the first one of a window is stored.
func (s *samples) add(series int, err error) {
	if s.seen[series].Load() || !s.seen[series].CompareAndSwap(false, true) {
		return
	}
	key := s.keys[series]
	sample := latency.ErrorSample{Op: key.Op, Outcome: key.Outcome}
	if err != nil {
		sample.Message = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, sample)
}

// take returns the errors of the window, and starts the next.
func (s *samples) take() []latency.ErrorSample {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.found
	s.found = nil
	for i := range s.seen {
		s.seen[i].Store(false)
	}
	return found
}
