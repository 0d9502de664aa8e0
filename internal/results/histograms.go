package results

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// Interval is what all agents measured in a part of a phase.
type Interval struct {
	Phase      string
	PhaseStart time.Time     // a date
	Start, End time.Duration // since the phase's start
	Tail       bool          // after its planned end
	Series     []latency.Series
}

// Histograms merges a run's windows over its agents, interval by interval, and passes each on.
func (s *Store) Histograms(ctx context.Context, r *record.Run, take func(Interval) error) error {
	lengths, err := s.lengths(ctx, r)
	if err != nil {
		return err
	}
	m := merger{interval: r.Settings.Interval, step: func(phase string) time.Duration {
		return result.PointLength(r.Settings.Interval, lengths[plan.PhaseName(phase)])
	}, send: func(phase string, iv *interval) error {
		began, _ := r.Began(plan.PhaseName(phase))
		return take(Interval{
			Phase: phase, PhaseStart: r.Zero().Add(began), Start: iv.start, End: iv.end, Tail: iv.tail, Series: iv.merged.Series(),
		})
	}}
	for w, err := range s.archive.Windows(ctx, r.Archived.ID) {
		if err != nil {
			return err
		}
		if err := m.add(w); err != nil {
			return err
		}
	}
	return m.flush()
}

// merger merges windows that come in the order of the archive: by phase, and then by the instant at which they begin. Long phases
// have intervals of several windows each, as in the series of their results: those can be rolled up.
type merger struct {
	interval time.Duration // of windows
	step     func(phase string) time.Duration
	send     func(phase string, iv *interval) error

	phase string
	every time.Duration // the phase's step
	index int64         // of the step that the newest windows begin in
	open  map[intervalKey]*interval
}

type intervalKey struct {
	start time.Duration
	tail  bool
}

// interval is what all agents measured from start to end.
type interval struct {
	start, end time.Duration
	tail       bool
	merged     latency.Merged
}

func (m *merger) add(w *latency.Window) error {
	if w.ID.Phase != m.phase {
		if err := m.flush(); err != nil {
			return err
		}
		m.phase, m.every, m.index = w.ID.Phase, max(m.step(w.ID.Phase), 1), -1
	}
	key, index := intervalKey{w.Start, w.Tail}, int64(w.Start/m.every)
	if m.every > m.interval && !w.Tail {
		key.start = time.Duration(index) * m.every
	}
	if index != m.index {
		if err := m.flush(); err != nil {
			return err
		}
		m.index = index
	}
	iv := m.open[key]
	if iv == nil {
		iv = &interval{start: w.Start, tail: w.Tail}
		if m.open == nil {
			m.open = make(map[intervalKey]*interval)
		}
		m.open[key] = iv
	}
	iv.start, iv.end = min(iv.start, w.Start), max(iv.end, w.End)
	return iv.merged.Add(w.Series)
}

// flush sends what is complete.
func (m *merger) flush() error {
	keys := slices.SortedFunc(maps.Keys(m.open), func(a, b intervalKey) int { return cmp.Compare(a.start, b.start) })
	for _, key := range keys {
		if err := m.send(m.phase, m.open[key]); err != nil {
			return err
		}
	}
	clear(m.open)
	return nil
}
