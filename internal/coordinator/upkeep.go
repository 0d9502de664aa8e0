package coordinator

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

const (
	// upkeepEvery is how often the archive is looked after.
	upkeepEvery = time.Minute
	// upkeepShare is the part of the time that it may take while runs go on: one transaction, then so many times as
	// long nothing.
	upkeepShare = 4
	// rawWindows are left as they came at the end of a phase that goes on: those that are still on their way, and
	// those that a live view is made of after a restart.
	rawWindows = 120
)

// upkeep looks after the archive for as long as the coordinator lives: it rolls long runs up, lets go of what is not
// to be kept, and gives the disk back what was removed. It works in small transactions with pauses between them, so
// that windows hardly ever wait for it.
func (c *Coordinator) upkeep() {
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-c.life.Done():
			return
		case <-tick.C:
		}
		if err := guard(func() error { return c.lookAfter(c.life) }); err != nil && c.life.Err() == nil {
			c.log.Error("look after the archive", "error", err, "next_try", upkeepEvery)
		}
		tick.Reset(upkeepEvery)
	}
}

func (c *Coordinator) lookAfter(ctx context.Context) error {
	if err := c.archive.Purge(ctx); err != nil {
		return err
	}
	if err := c.letGo(ctx, c.settled.Wall()); err != nil {
		return err
	}
	extents, err := c.archive.Extents(ctx, "")
	if err != nil {
		return err
	}
	if err := c.rollUpEach(ctx, extents, c.rollUp); err != nil {
		return err
	}
	if slices.ContainsFunc(extents, func(e archive.PhaseExtent) bool { return !e.Ended }) {
		return nil // a run that goes on uses free pages again
	}
	return c.archive.Tidy(ctx)
}

// rollUpEach rolls phases up one after another; one that makes that panic sets its suite aside, not the others.
func (c *Coordinator) rollUpEach(ctx context.Context, extents []archive.PhaseExtent, roll func(context.Context, archive.PhaseExtent) error) error {
	for _, e := range extents {
		if err := c.forSuite(record.SuiteOf(e.Run), "roll up phase "+e.Phase+" of run "+e.Run, func() error { return roll(ctx, e) }); err != nil {
			return err
		}
	}
	return nil
}

// rollUp rolls a phase up.
func (c *Coordinator) rollUp(ctx context.Context, e archive.PhaseExtent) error {
	roll, due, err := c.rollOf(ctx, e)
	if err != nil || !due {
		return err
	}
	return c.archive.RollUp(ctx, roll, breathe())
}

// rollOf says how a phase is to be rolled up: by the length of the points that its result has, so that nobody sees a
// difference.
func (c *Coordinator) rollOf(ctx context.Context, e archive.PhaseExtent) (roll archive.RollUp, due bool, err error) {
	if !e.Ended && e.Phase == string(plan.Warmup) {
		return roll, false, nil // whether it is steady is found out anew after a restart, of all its windows
	}
	archived, err := c.archive.Run(ctx, e.Run)
	if errors.Is(err, archive.ErrNotFound) {
		return roll, false, nil // removed meanwhile
	}
	if err != nil {
		return roll, false, err
	}
	r, err := record.Open(c.config.Reader, archive.Suite{}, archived)
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
		timer := time.NewTimer((upkeepShare - 1) * began.Elapsed())
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
