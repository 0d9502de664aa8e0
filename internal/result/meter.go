package result

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Meter merges windows from one reading to the next, in whatever order they come and whatever their phase: what
// YCSB's status lines tell. It merges each window that it is given: give it those that a Builder added.
type Meter struct {
	combine Combine
	scale   scale
	since   totals
	ops     uint64
	end     time.Duration
}

// NewMeter returns a Meter that combines operations as a result does.
func NewMeter(c Combine) *Meter {
	return &Meter{combine: c, scale: newScale(nil), since: make(totals)}
}

// Add merges a window.
func (m *Meter) Add(w *latency.Window) error {
	for i := range w.Series {
		if s := &w.Series[i]; s.Response == nil || s.Service == nil {
			return fmt.Errorf("read window %d of %s: series %s lacks a histogram", w.ID.Seq, w.ID.Phase, s.Key)
		}
	}
	if err := m.since.add("", w.Series); err != nil {
		return fmt.Errorf("read window %d of %s: %w", w.ID.Seq, w.ID.Phase, err)
	}
	m.ops += latency.Ops(w.Series)
	m.end = max(m.end, w.End)
	return nil
}

// Reading is what a Meter has read.
type Reading struct {
	Ops      uint64        // since the Meter was made
	Elapsed  time.Duration // the end of the newest window, from its phase's start
	Combined []Combined    // since the last reading
}

// Read returns what came since the last reading and begins anew.
func (m *Meter) Read() (Reading, error) {
	combined, err := m.since.combined(m.combine, m.scale)
	if err != nil {
		return Reading{}, fmt.Errorf("read meter: %w", err)
	}
	m.since = make(totals)
	return Reading{Ops: m.ops, Elapsed: m.end, Combined: combined}, nil
}
