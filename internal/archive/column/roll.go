package column

import (
	"cmp"
	"context"
	"time"

	"github.com/benchd/benchd/internal/archive"
)

const (
	// RollRows is about how many measurements one transaction of a roll-up merges: some 30 ms, for which an arriving
	// window has to wait.
	RollRows = 1500
	// rollWindows is about how many windows are read together.
	rollWindows = 3000
)

// Rolling has the statements of a roll-up. P is how an archive names a phase, and H a window.
type Rolling[P, H any] struct {
	// Phase finds a phase, and returns how many of its windows are rolled into one, and below which number; 0 windows if there is no such phase.
	Phase func(ctx context.Context, run, name string) (phase P, windows, rolled int, err error)
	// Begin stores that a phase is rolled up by that many windows, and that none is yet.
	Begin func(ctx context.Context, phase P, windows int) error
	// Windows calls add for each window of a phase from one number to below another one, in their order.
	Windows func(ctx context.Context, phase P, from, below int, add func(Placed, H)) error
	// Merge merges the first of some rolls in one transaction, about as many as have RollRows measurements, and returns how many. If these are
	// all, the same transaction stores that the stretch is done, unless a window has arrived meanwhile.
	Merge func(ctx context.Context, phase P, rolls []Roll[H], done Done) (n int, err error)

	Together int // about how many windows are read together; 0 for the default
}

// Done is a stretch that is done if the phase is rolled up by Windows, below From, and has Count windows from there to below To.
type Done struct{ Windows, From, To, Count int }

// RollUp rolls windows up, one stretch of numbers after another, and returns when there is nothing left to do. Each transaction is small and
// keeps the archive exact: a roll-up may be interrupted anywhere, and continued by the same call. Between transactions it calls pause, which
// may wait, and returns its error.
//
// A phase that was rolled up by steps of fewer windows is rolled up further; one rolled up by more is left alone. The next call merges windows
// that arrive late.
func RollUp[P, H any](ctx context.Context, r archive.RollUp, in Rolling[P, H], pause func(context.Context) error) error {
	if r.Windows < 2 {
		return nil
	}
	stretches := 1
	for {
		phase, windows, from, err := in.Phase(ctx, r.Run, r.Phase)
		switch {
		case err != nil:
			return err
		case windows < 1 || windows > r.Windows || r.Windows%windows != 0:
			return nil
		case windows < r.Windows:
			if err := in.Begin(ctx, phase, r.Windows); err != nil {
				return err
			}
			from = 0
		}
		if from+r.Windows > r.Before {
			return nil
		}
		span := min(stretches, (r.Before-from)/r.Windows) * r.Windows
		groups := Stretch[H]{Step: r.Step}
		if err := in.Windows(ctx, phase, from, from+span, groups.Add); err != nil {
			return err
		}
		// With few agents, several stretches together have that many windows.
		stretches = max(1, cmp.Or(in.Together, rollWindows)/max(groups.Count*r.Windows/span, 1))
		rolls, done := groups.Rolls(), Done{r.Windows, from, from + span, groups.Count}
		for again := true; again; {
			n, err := in.Merge(ctx, phase, rolls, done)
			if err != nil {
				return err
			}
			rolls, again = rolls[n:], n < len(rolls)
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
}

// Placed is a window of a stretch, which is rolled up.
type Placed struct {
	Start, End     time.Duration
	Shard, Attempt int
	Tail           bool
	Holds          bool // it has measurements, its own and possibly those of others
}

// Roll is a set of windows of one shard to merge into the first of them.
type Roll[H any] struct {
	Holders []H           // the windows with measurements
	Ends    time.Duration // the end of the last window, including those rolled up into one of them before
}

// Stretch groups windows that begin within the same step, shard by shard. H is how an archive names a window.
type Stretch[H any] struct {
	Step  time.Duration
	Count int // windows so far

	groups map[group]*Roll[H]
	order  []*Roll[H]
}

type group struct {
	slot           int64
	shard, attempt int
}

// Add adds a window. Windows come in the order of their numbers.
func (s *Stretch[H]) Add(w Placed, h H) {
	s.Count++
	if w.Tail {
		return // it does not count for throughput
	}
	g := group{int64(w.Start / s.Step), w.Shard, w.Attempt}
	r := s.groups[g]
	if r == nil {
		r = new(Roll[H])
		if s.groups == nil {
			s.groups = make(map[group]*Roll[H])
		}
		s.groups[g] = r
		s.order = append(s.order, r)
	}
	r.Ends = max(r.Ends, w.End)
	if w.Holds {
		r.Holders = append(r.Holders, h)
	}
}

// Rolls returns the sets of more than one window, in the order of their first windows.
func (s *Stretch[H]) Rolls() []Roll[H] {
	var list []Roll[H]
	for _, r := range s.order {
		if len(r.Holders) > 1 {
			list = append(list, *r)
		}
	}
	return list
}
