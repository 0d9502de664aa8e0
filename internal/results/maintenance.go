package results

import (
	"context"
	"errors"
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
	// maintainEvery is how often the archive is looked after.
	maintainEvery = time.Minute
	// maintainShare is the part of the time that it may take while runs go on: one transaction, then so many times as
	// long nothing.
	maintainShare = 4
	// rawWindows are left as they came at the end of a phase that goes on: those that are still on their way, and
	// those that a live view is made of after a restart.
	rawWindows = 120
)

// Maintain looks after the archive until ctx ends: it rolls long runs up, lets go of what is not to be kept, and gives the
// disk back what was removed. It works in small transactions with pauses between them, so that windows hardly ever wait
// for it.
func (s *Store) Maintain(ctx context.Context) {
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := quarantine.Guard(func() error { return s.LookAfter(ctx) }); err != nil && ctx.Err() == nil {
			s.log.Error("look after the archive", "error", err, "next_try", maintainEvery)
		}
		tick.Reset(maintainEvery)
	}
}

// LookAfter looks after the archive once.
func (s *Store) LookAfter(ctx context.Context) error {
	if err := s.archive.Purge(ctx); err != nil {
		return err
	}
	if err := s.letGo(ctx, s.date.Wall()); err != nil {
		return err
	}
	extents, err := s.archive.Extents(ctx, "")
	if err != nil {
		return err
	}
	if err := s.rollUpEach(ctx, extents, s.rollUp); err != nil {
		return err
	}
	if slices.ContainsFunc(extents, func(e archive.PhaseExtent) bool { return !e.Ended }) {
		return nil // a run that goes on uses free pages again
	}
	return s.archive.Tidy(ctx)
}

// rollUpEach rolls phases up one after another; one that makes that panic sets its suite aside, not the others.
func (s *Store) rollUpEach(ctx context.Context, extents []archive.PhaseExtent, roll func(context.Context, archive.PhaseExtent) error) error {
	for _, e := range extents {
		if err := s.quarantine.Do(record.SuiteOf(e.Run), "roll up phase "+e.Phase+" of run "+e.Run, func() error { return roll(ctx, e) }); err != nil {
			return err
		}
	}
	return nil
}

// rollUp rolls a phase up.
func (s *Store) rollUp(ctx context.Context, e archive.PhaseExtent) error {
	roll, due, err := s.rollOf(ctx, e)
	if err != nil || !due {
		return err
	}
	return s.archive.RollUp(ctx, roll, breathe())
}

// rollOf says how a phase is to be rolled up: by the length of the points that its result has, so that nobody sees a
// difference.
func (s *Store) rollOf(ctx context.Context, e archive.PhaseExtent) (roll archive.RollUp, due bool, err error) {
	if !e.Ended && e.Phase == string(plan.Warmup) {
		return roll, false, nil // whether it is steady is computed again after a restart, of all its windows
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
		return roll, false, nil //nolint:nilerr // a run that nobody can show is left as it is
	}
	interval := r.Settings.Interval
	step := result.PointLength(interval, e.Length)
	roll = archive.RollUp{Run: e.Run, Phase: e.Phase, Step: step, Windows: int(step / max(interval, 1)), Before: e.Windows - rawWindows}
	if e.Ended {
		roll.Before = e.Windows + roll.Windows // the last stretch may be short
	}
	return roll, roll.Windows > 1 && (e.Rolled != roll.Windows || e.RolledTo+roll.Windows <= roll.Before), nil
}

// breathe makes a pause of a length that leaves the archive to others for most of the time.
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
