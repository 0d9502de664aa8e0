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

// changeover decides when a warm-up whose end the coordinator announces is over: when its condition is met, or its time
// is up. It belongs to the conductor's loop.
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
	verdict *result.Verdict // whether the warm-up was steady; nil where that is not required
}

// due returns the change that must be announced now, or nil.
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
	// The bound is announced early by the maximum delay of a tick, so that it is kept.
	if bound := begun + phase.Duration; phase.Duration > 0 && soonest+2*tick >= bound {
		at := bound
		if at < soonest {
			at = begun + roundUp(soonest-begun, w.interval) // the coordinator was down when it should have been announced
		}
		because, verdict := w.outOfTime(phase)
		return &change{next, at, because, verdict}
	}
	return nil
}

// passed returns a change that an agent went through and that we do not know of, or nil: we announced it while the
// archive could not be written, and then the coordinator was restarted. after is the time from the start of phase to the
// change.
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
		verdict = record.SteadyVerdict(false, "not known: the coordinator was restarted before it could archive the test", c.warmup.interval)
	}
	return &change{next, at, "the agents have already changed over", verdict}
}

// fix writes a change to the run's state.
func (c *changeover) fix(ch *change) {
	rec := &c.run.State
	rec.Begun[rec.Life.Phases[ch.next].Name] = ch.at
	if ch.verdict != nil {
		rec.Steady = ch.verdict
	}
}

// delivered reports whether, after a restart, an agent is known to have received the change. It is also true where there is
// no change, or the change is still ahead.
func (c *changeover) delivered(safe *windows) bool {
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

// shownBy reports whether a returning agent has changed over.
func (c *changeover) shownBy(held *benchdv1.HeldShard) bool {
	life := c.run.State.Life
	return held.GetPhase() == string(life.Phases[life.Joined].Name) ||
		slices.ContainsFunc(held.GetEnded(), func(e *benchdv1.PhaseEnded) bool {
			return e.GetPhase() == string(c.warmup.name) && !e.GetFinal()
		})
}

// postpone moves a change that no agent has received. Its instant has passed; announced now, it would cut the measurement
// short by a different time on each agent.
func (c *changeover) postpone() {
	rec := &c.run.State
	begun := rec.Begun[c.warmup.name]
	soonest := c.base.elapsed() + c.agents.lead()
	rec.Begun[rec.Life.Phases[rec.Life.Joined].Name] = begun + roundUp(soonest-begun, c.warmup.interval)
}

// progress describes how far a warm-up is from steady; empty in other phases.
func (c *changeover) progress() string {
	life := c.run.State.Life
	next, ok := life.Awaits()
	if !ok || life.Phases[next-1].Until != plan.Steady || c.warmup.whole == 0 {
		return ""
	}
	_, because := c.warmup.steady()
	return because
}

// Methods of the conductor's loop:

// followWarmup starts the measure phase when the warm-up is over.
func (cd *Conductor) followWarmup() {
	if cd.restart.settled && cd.base.anchored.Load() {
		cd.changeOver(cd.changeover.due())
	}
}

// changeOver sets the instant at which the next phase starts on all agents. The change is archived together with its
// reason before it is sent.
func (cd *Conductor) changeOver(ch *change) {
	if ch == nil {
		return
	}
	cd.changeover.fix(ch)
	cd.step(lifecycle.WarmedUp{Because: ch.because})
	cd.publisher.publish(cd.builder.Live())
}

// roundUp rounds d up to a multiple of step.
func roundUp(d, step time.Duration) time.Duration {
	if rest := d % step; rest > 0 {
		return d - rest + step
	}
	return d
}
