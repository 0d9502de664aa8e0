package conductor

import (
	"slices"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// changeover decides when a warm-up is over whose end the coordinator announces: when it has done what it was to do, or
// has had all its time. It belongs to the conductor's loop.
type changeover struct {
	run    *record.Run
	base   *timebase
	agents *shardAgents
	warmup *warmup
}

// change is the end of a warm-up.
type change struct {
	next    int             // the phase that begins
	at      time.Duration   // in the run's time
	because string          // for the timeline
	verdict *result.Verdict // whether the warm-up was steady; nil where that was not asked for
}

// due returns the change that is to be announced now; nil as long as there is none.
func (c *changeover) due() *change {
	life := c.run.State.Life
	next, ok := life.Awaits()
	if !ok {
		return nil
	}
	w, phase := c.warmup, life.Phases[next-1]
	begun, known := c.run.State.Begun[phase.Name]
	if !known || phase.Name != w.name {
		return nil
	}
	news := w.advance(life.Shards)
	now := c.base.elapsed()
	soonest := now + c.agents.lead()
	if news {
		because, verdict := w.finished(phase)
		if because != "" {
			at := begun + roundUp(soonest-begun, w.interval)
			if bound := begun + phase.Duration; phase.Duration > 0 && bound >= soonest {
				at = min(at, bound)
			}
			return &change{next, at, because, verdict}
		}
	}
	// The bound is announced ahead of itself by what a look may come late, so that it is kept.
	if bound := begun + phase.Duration; phase.Duration > 0 && soonest+2*tick >= bound {
		at := bound
		if at < soonest {
			at = begun + roundUp(soonest-begun, w.interval) // nobody was there to announce it
		}
		because, verdict := w.outOfTime(phase)
		return &change{next, at, because, verdict}
	}
	return nil
}

// passed returns a change that an agent went through so long after the phase began, and that we know nothing of: the
// archive could not be written when we announced it, and then we were started again. It is nil where there was none.
func (c *changeover) passed(phase plan.PhaseName, after time.Duration) *change {
	rec := &c.run.State
	next, ok := rec.Life.Awaits()
	if !ok || rec.Life.Phases[next-1].Name != phase || after <= 0 {
		return nil
	}
	at := rec.Begun[phase] + after
	if now := c.base.elapsed(); at > now {
		return nil
	}
	var verdict *result.Verdict
	if rec.Life.Phases[next-1].Until == plan.Steady {
		verdict = record.SteadyVerdict(false, "not known: the coordinator was started again before it could archive what it saw", c.warmup.interval)
	}
	return &change{next, at, "the agents have gone over already", verdict}
}

// fix writes a change into the run's state.
func (c *changeover) fix(ch *change) {
	rec := &c.run.State
	rec.Begun[rec.Life.Phases[ch.next].Name] = ch.at
	if ch.verdict != nil {
		rec.Steady = ch.verdict
	}
}

// heardOf reports whether, after a restart, an agent has given a sign of having heard of the change, or there is none,
// or it is still to come.
func (c *changeover) heardOf(safe *windows) bool {
	rec := &c.run.State
	life := rec.Life
	if life.Joined <= life.Phase || life.Status != result.Running {
		return true
	}
	next := life.Phases[life.Joined].Name
	if rec.Begun[next] > c.base.elapsed() {
		return true
	}
	if safe.anyOf(func(name plan.PhaseName) bool { return name == next }) {
		return true
	}
	return slices.ContainsFunc(life.Shards, func(sh lifecycle.Shard) bool {
		return slices.ContainsFunc(sh.Ended, func(e lifecycle.Ended) bool { return e.Phase == c.warmup.name && !e.Final })
	})
}

// shownBy reports whether an agent that is back has gone over.
func (c *changeover) shownBy(held *benchdv1.HeldShard) bool {
	life := c.run.State.Life
	return held.GetPhase() == string(life.Phases[life.Joined].Name) ||
		slices.ContainsFunc(held.GetEnded(), func(e *benchdv1.PhaseEnded) bool {
			return e.GetPhase() == string(c.warmup.name) && !e.GetFinal()
		})
}

// postpone moves a change of which nobody has heard: its instant has passed, and would cut the measurement short, by
// another time on each agent.
func (c *changeover) postpone() {
	rec := &c.run.State
	begun := rec.Begun[c.warmup.name]
	soonest := c.base.elapsed() + c.agents.lead()
	rec.Begun[rec.Life.Phases[rec.Life.Joined].Name] = begun + roundUp(soonest-begun, c.warmup.interval)
}

// progress says how far a warm-up is that lasts until it is steady; empty in all other phases.
func (c *changeover) progress() string {
	life := c.run.State.Life
	next, ok := life.Awaits()
	if !ok || life.Phases[next-1].Until != plan.Steady || c.warmup.whole == 0 {
		return ""
	}
	_, because := c.warmup.steady()
	return because
}

// Of the conductor's loop:

// followWarmup lets the measure phase begin when the warm-up is over.
func (cd *Conductor) followWarmup() {
	if cd.restart.settled && cd.base.anchored.Load() {
		cd.changeOver(cd.changeover.due())
	}
}

// changeOver fixes the instant at which the next phase begins on all agents, where the warm-up is over. It is archived in
// one with the reason, before it is sent to anybody.
func (cd *Conductor) changeOver(ch *change) {
	if ch == nil {
		return
	}
	cd.changeover.fix(ch)
	cd.step(lifecycle.WarmedUp{Because: ch.because})
	cd.publisher.publish(cd.builder.Live())
}

// roundUp rounds a time up to a multiple of a step.
func roundUp(d, step time.Duration) time.Duration {
	if rest := d % step; rest > 0 {
		return d - rest + step
	}
	return d
}
