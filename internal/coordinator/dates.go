package coordinator

import (
	"slices"
	"time"
)

// A run has one date from the wall clock, that of its beginning here, and counts on from it by the coordinator's clock: a
// wall clock that is set while it goes on moves nothing in its timeline. After a restart its dates are provisional, by the
// wall clock, until an agent is back that has kept the run's time; what is noted meanwhile is dated again then, and not
// archived before.

// beginDates takes the date from the wall clock.
func (cd *conductor) beginDates() {
	rec := &cd.run.State
	if rec.Epoch != 0 {
		rec.Zero = cd.run.Zero()
	}
	cd.ahead = later(cd.c.clock.Wall(), rec.Noted).UnixNano() - cd.c.clock.Now()
}

// provisional reports whether dates may still turn out to be wrong.
func (cd *conductor) provisional() bool { return cd.run.State.Epoch != 0 && !cd.anchored.Load() }

// dateAt is the date at an instant of the coordinator's clock.
func (cd *conductor) dateAt(instant int64) time.Time {
	rec := &cd.run.State
	if rec.Epoch == 0 || cd.provisional() {
		return time.Unix(0, instant+cd.ahead)
	}
	return rec.Zero.Add(time.Duration(instant - rec.Epoch))
}

// date is the date now.
func (cd *conductor) date() time.Time { return cd.dateAt(cd.c.clock.Now()) }

// stamp dates what is written into the timeline now: never before what was written last.
func (cd *conductor) stamp() time.Time {
	rec := &cd.run.State
	at := later(cd.date(), rec.Noted)
	if !cd.provisional() {
		rec.Noted = at
	}
	return at
}

// reckon sets the run's time where no agent is left that has kept it, or all have ended before one could be asked: by
// their ends, or else by the provisional date.
func (cd *conductor) reckon() {
	now, rec := cd.c.clock.Now(), &cd.run.State
	at, ended := cd.run.EndedAt()
	if !ended {
		at = cd.dateAt(now).Sub(rec.Zero)
	}
	cd.anchorAt(now - int64(at))
}

// anchorAt makes an instant of the coordinator's clock the run's time zero, and dates again what was noted before that was
// known.
func (cd *conductor) anchorAt(epoch int64) {
	rec := &cd.run.State
	rec.Epoch = epoch
	cd.epoch.Store(epoch)
	cd.anchored.Store(true)
	cd.dirty = true
	cd.view.Lock()
	defer cd.view.Unlock()
	cd.live.events = slices.Clone(cd.live.events) // watchers may still read the old ones
	for _, i := range cd.undated {
		e := &cd.events[i]
		shown := slices.Index(cd.live.events, *e)
		since := time.Duration(e.At.UnixNano() - cd.ahead - epoch)
		e.At = later(rec.Zero.Add(since), rec.Noted)
		phase, offset := cd.run.PhaseAt(since)
		e.Phase, e.Offset = string(phase), offset
		rec.Noted = e.At
		if shown >= 0 {
			cd.live.events[shown] = *e
		}
	}
	cd.undated = nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
