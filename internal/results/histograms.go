package results

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// Interval is the measurements of all agents in an interval of a phase.
type Interval struct {
	Phase      string
	PhaseStart time.Time     // a date
	Start, End time.Duration // since the phase's start
	Tail       bool          // after its planned end
	Series     []latency.Series
}

// Histograms merges a run's windows over its agents, interval by interval, and passes each on. If atMost is not 0, neighbouring
// intervals are merged, so that a phase has at most so many, without its tail. The histograms of an interval are valid until take returns.
func (s *Store) Histograms(ctx context.Context, r *record.Run, atMost int, take func(Interval) error) error {
	if err := hasWindows(r); err != nil {
		return err
	}
	if atMost == result.Columns && r.Archived.Status.Ended() {
		return s.columns(ctx, r, take)
	}
	_, err := s.intervals(ctx, r, atMost, take)
	return err
}

// intervals computes the intervals of a run from all its windows, and returns how many these are.
func (s *Store) intervals(ctx context.Context, r *record.Run, atMost int, take func(Interval) error) (windows int, err error) {
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return 0, err
	}
	m := newMerger(r, lengthsOf(r, extents), atMost, take)
	if windows, err = s.read(ctx, r.Archived.ID, m.add); err != nil {
		return windows, err
	}
	return windows, m.flush()
}

// read passes on all windows of a run, and returns how many these are.
func (s *Store) read(ctx context.Context, run string, take func(*latency.Window) error) (windows int, err error) {
	for w, err := range s.archive.Windows(ctx, run) {
		if err != nil {
			return windows, err
		}
		if err := take(w); err != nil {
			return windows, err
		}
		windows++
	}
	return windows, nil
}

// newMerger returns a merger for the intervals of a run's result, or for at most so many of each phase.
func newMerger(r *record.Run, lengths map[plan.PhaseName]time.Duration, atMost int, take func(Interval) error) *merger {
	return &merger{step: func(phase string) time.Duration {
		length := lengths[plan.PhaseName(phase)]
		return result.ColumnLength(result.PointLength(r.Settings.Interval, length), length, atMost)
	}, send: func(phase string, tail bool, iv *interval) error {
		began, _ := r.Began(plan.PhaseName(phase))
		return take(Interval{
			Phase: phase, PhaseStart: r.Zero().Add(began), Start: iv.Start, End: iv.End, Tail: tail, Series: slices.Collect(iv.merged.All),
		})
	}}
}

// merger merges windows in the order of the archive: by phase, and then by their start. Its intervals are those of the
// series of a result: in a long phase they have several windows each, which can be rolled up.
type merger struct {
	step func(phase string) time.Duration
	send func(phase string, tail bool, iv *interval) error

	phase string
	every time.Duration // the phase's step
	index int64         // of the intervals that are open
	open  map[result.Slot]*interval
	spare []*interval // empty ones, with memory
}

// interval is the measurements of all agents in an interval.
type interval struct {
	result.Extent
	merged latency.Merged
}

func (m *merger) add(w *latency.Window) error {
	if w.ID.Phase != m.phase {
		if err := m.flush(); err != nil {
			return err
		}
		m.phase, m.every, m.index = w.ID.Phase, max(m.step(w.ID.Phase), 1), -1
	}
	at := result.SlotOf(w, m.every)
	if at.Index != m.index {
		if err := m.flush(); err != nil {
			return err
		}
		m.index = at.Index
	}
	iv := m.open[at]
	if iv == nil {
		iv = m.empty()
		iv.Extent = result.ExtentOf(w)
		if m.open == nil {
			m.open = make(map[result.Slot]*interval)
		}
		m.open[at] = iv
	}
	iv.Cover(w)
	return iv.merged.Add(w.Series)
}

// empty returns an interval for new measurements.
func (m *merger) empty() *interval {
	last := len(m.spare) - 1
	if last < 0 {
		return new(interval)
	}
	iv := m.spare[last]
	m.spare = m.spare[:last]
	return iv
}

// flush sends the complete intervals.
func (m *merger) flush() error {
	for _, at := range slices.SortedFunc(maps.Keys(m.open), result.Slot.Compare) {
		iv := m.open[at]
		if err := m.send(m.phase, at.Tail, iv); err != nil {
			return err
		}
		iv.merged.Reset()
		m.spare = append(m.spare, iv)
	}
	clear(m.open)
	return nil
}
