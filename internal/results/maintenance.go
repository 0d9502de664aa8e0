package results

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

const (
	// maintainEvery is the period of maintenance.
	maintainEvery = time.Minute
	// maintainShare bounds the share of time that maintenance may take during runs: after each transaction it pauses
	// this many times as long.
	maintainShare = 4
	// missingAfter is how long after its start a coordinator begins to make missing documents: agents return, and runs continue before.
	missingAfter = 5 * time.Minute
	// missingFor bounds the time in which one look at the archive makes them: suites are removed and rolled up between.
	missingFor = time.Minute
	// rawWindows are kept unmerged at the end of a phase in progress: windows may still arrive, and after a restart a
	// live view is made from them.
	rawWindows = 120
)

// Maintain maintains the archive until ctx ends: it rolls up long runs, removes suites by the retention policy, and returns
// their space to the disk. It works in small transactions with pauses between them, so that windows rarely wait for it.
func (s *Store) Maintain(ctx context.Context) {
	tick := time.NewTimer(0)
	defer tick.Stop()
	for began := clock.Mono(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		next := maintainEvery
		if err := quarantine.Guard(func() error {
			more, err := s.lookAfter(ctx, began.Elapsed() >= missingAfter)
			if more {
				next = 0
			}
			return err
		}); err != nil && ctx.Err() == nil {
			s.log.Error("maintain the archive", "error", err, "next_try", maintainEvery)
		}
		tick.Reset(next)
	}
}

// LookAfter maintains the archive once. Several callers take turns.
func (s *Store) LookAfter(ctx context.Context) error {
	_, err := s.lookAfter(ctx, true)
	return err
}

// lookAfter maintains the archive once; if missing is true, it also makes missing documents. It reports whether there is more of these to do.
func (s *Store) lookAfter(ctx context.Context, missing bool) (more bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	extents, idle, err := s.tidy(ctx)
	if err != nil || !idle {
		return false, err
	}
	return s.sealEach(ctx, extents, missing)
}

// tidy removes suites, rolls up phases, and returns space. It reports whether no run is in progress.
func (s *Store) tidy(ctx context.Context) (extents []archive.PhaseExtent, idle bool, err error) {
	if err := s.archive.Purge(ctx); err != nil {
		return nil, false, err
	}
	if err := s.letGo(ctx, s.date.Wall()); err != nil {
		return nil, false, err
	}
	if extents, err = s.archive.Extents(ctx, ""); err != nil {
		return nil, false, err
	}
	if err := s.rollUpEach(ctx, extents, s.rollUp); err != nil {
		return nil, false, err
	}
	if s.busy() || slices.ContainsFunc(extents, func(e archive.PhaseExtent) bool { return !e.Ended }) {
		return nil, false, nil // a run in progress reuses free pages, and needs the processor
	}
	return extents, true, s.archive.Tidy(ctx)
}

// rollUpEach rolls up phases one after another; a panic sets aside only the phase's suite.
func (s *Store) rollUpEach(ctx context.Context, extents []archive.PhaseExtent, roll func(context.Context, archive.PhaseExtent) error) error {
	there := make(map[phaseID]bool, len(extents))
	for _, e := range extents {
		there[phaseID{e.Run, e.Phase}] = true
	}
	maps.DeleteFunc(s.settled, func(id phaseID, _ bool) bool { return !there[id] })
	for _, e := range extents {
		if err := s.quarantine.Do(record.SuiteOf(e.Run), "roll up phase "+e.Phase+" of run "+e.Run, func() error { return roll(ctx, e) }); err != nil {
			return err
		}
	}
	return nil
}

// phaseID names a phase of a run.
type phaseID struct{ run, phase string }

// rollUp rolls a phase up.
func (s *Store) rollUp(ctx context.Context, e archive.PhaseExtent) error {
	id := phaseID{e.Run, e.Phase}
	if s.settled[id] {
		return nil
	}
	roll, due, err := s.rollOf(ctx, e)
	if err == nil && !due && e.Ended {
		s.settled[id] = true // no window comes any more
	}
	if err != nil || !due {
		return err
	}
	return s.archive.RollUp(ctx, roll, breathe())
}

// rollOf determines how to roll up a phase: by the length of its result's points, so that the result does not change.
func (s *Store) rollOf(ctx context.Context, e archive.PhaseExtent) (roll archive.RollUp, due bool, err error) {
	if !e.Ended && e.Phase == string(plan.Warmup) {
		return roll, false, nil // after a restart, steadiness is computed again from all its windows
	}
	archived, err := s.archive.Run(ctx, e.Run)
	if errors.Is(err, archive.ErrNotFound) {
		return roll, false, nil // removed meanwhile
	}
	if err != nil {
		return roll, false, err
	}
	r, err := record.Open(s.reader, archive.Suite{}, archived)
	if err != nil {
		return roll, false, nil //nolint:nilerr // a run that cannot be shown is left unchanged
	}
	interval := r.Settings.Interval
	step := result.PointLength(interval, e.Length)
	roll = archive.RollUp{Run: e.Run, Phase: e.Phase, Step: step, Windows: int(step / max(interval, 1)), Before: e.Windows - rawWindows}
	if e.Ended {
		roll.Before = e.Windows + roll.Windows // the last stretch may be short
	}
	return roll, roll.Windows > 1 && (e.Rolled != roll.Windows || e.RolledTo+roll.Windows <= roll.Before), nil
}

// breathe pauses long enough to leave the archive to others most of the time.
func breathe() func(context.Context) error {
	began := clock.Mono()
	return func(ctx context.Context) error {
		timer := time.NewTimer((maintainShare - 1) * began.Elapsed())
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			began = clock.Mono()
			return nil
		}
	}
}
