package conductor

import (
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/record"
)

// timebase maps the coordinator's clock to the run's time and to dates.
//
// A run takes one date from the wall clock of the coordinator, at its start, and derives all others by its own clock:
// setting the wall clock during the run moves nothing in its timeline. After a restart its dates come from the wall clock
// and are provisional, until an agent returns that has kept the run's time; events noted meanwhile are dated again then,
// and not archived before.
//
// It belongs to the conductor's loop, except for epoch and anchored, which sessions read, too.
type timebase struct {
	clock *clock.Source
	run   *record.Run

	epoch    atomic.Int64 // the coordinator's clock at the run's time zero; 0 before the first start
	anchored atomic.Bool  // the epoch refers to this coordinator's clock
	ahead    int64        // offset of the run's dates from the coordinator's clock
}

// begin reads the date from the wall clock.
func (b *timebase) begin(source *clock.Source, r *record.Run) {
	b.clock, b.run = source, r
	b.epoch.Store(r.State.Epoch)
	if r.State.Epoch != 0 {
		r.State.Zero = r.Zero()
	}
	b.ahead = later(source.Wall(), r.State.Noted).UnixNano() - source.Now()
}

// elapsed returns the run's time.
func (b *timebase) elapsed() time.Duration { return time.Duration(b.clock.Now() - b.epoch.Load()) }

// provisional reports whether dates may still change.
func (b *timebase) provisional() bool { return b.run.State.Epoch != 0 && !b.anchored.Load() }

// dateAt returns the date at an instant of the coordinator's clock.
func (b *timebase) dateAt(instant int64) time.Time {
	state := &b.run.State
	if state.Epoch == 0 || b.provisional() {
		return time.Unix(0, instant+b.ahead)
	}
	return state.Zero.Add(time.Duration(instant - state.Epoch))
}

// date returns the date now.
func (b *timebase) date() time.Time { return b.dateAt(b.clock.Now()) }

// stamp returns the date of a new event in the timeline: never before that of the last event.
func (b *timebase) stamp() time.Time {
	at := later(b.date(), b.run.State.Noted)
	if !b.provisional() {
		b.run.State.Noted = at
	}
	return at
}

// set makes an instant of the coordinator's clock the run's time zero.
func (b *timebase) set(epoch int64) {
	b.run.State.Epoch = epoch
	b.epoch.Store(epoch)
	b.anchored.Store(true)
}

// reckoned computes the run's time zero where no agent is left that has kept it, or all have ended before one could
// report it: from the ends of the shards, or else from the provisional date.
func (b *timebase) reckoned() int64 {
	now := b.clock.Now()
	at, ended := b.run.EndedAt()
	if !ended {
		at = b.dateAt(now).Sub(b.run.State.Zero)
	}
	return now - int64(at)
}

// line returns the mapping from an agent's clock to the run's time; ok is false while it is unknown.
func (b *timebase) line(m *roster.Agent) (clock.Line, bool) {
	epoch := b.epoch.Load()
	est, ok := m.Estimate(b.clock.Now())
	if epoch == 0 || !ok || !b.anchored.Load() {
		return clock.Line{}, false
	}
	// est.Line maps our clock to the agent's; the run's time is ours, counted from the epoch.
	return clock.Line{X: est.Line.Y, Y: est.Line.X - epoch, Rate: 1/(1+est.Line.Rate) - 1}, true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
