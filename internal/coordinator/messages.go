package coordinator

import (
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// toShard hands a message of an agent to the conductor of the run that it is about, if the agent has that
// shard in that attempt; anything else is news of a run that is over, or none of the agent's business.
func (c *Coordinator) toShard(m *roster.Agent, id *benchdv1.ShardId, do func(*conductor, int)) {
	cd := c.conductor(id.GetRun())
	if cd == nil {
		m.Forget(id)
		return
	}
	cd.post(func() {
		shard := int(id.GetShard())
		if !cd.owns(m, shard, int(id.GetAttempt())) {
			m.Forget(id)
			return
		}
		do(cd, shard)
	})
}

// owns reports whether an agent has a shard in hand. It runs in the loop.
func (cd *conductor) owns(m *roster.Agent, shard, attempt int) bool {
	life := cd.run.State.Life
	if shard < 0 || shard >= len(life.Shards) {
		return false
	}
	sh := life.Shards[shard]
	return sh.Agent == m.Name && sh.Attempt == attempt && sh.Boot == m.Boot()
}

// What follows runs in the conductor's loop.

func (cd *conductor) granted(e lifecycle.Granted) {
	if cd.run.State.Life.Status != result.Queued {
		return // it was cancelled meanwhile
	}
	if why, err := cd.fitRows(); err != nil {
		cd.log.Error("see which rows are there", "error", err, "next_try", retryArchive)
		time.AfterFunc(retryArchive, func() { cd.post(func() { cd.granted(e) }) })
		return
	} else if why != "" {
		cd.step(lifecycle.Refused{Why: why})
		return
	}
	cd.step(e)
	cd.builder = cd.run.LiveBuilder() // it knows the shards now
}

func (cd *conductor) prepared(shard int, msg *benchdv1.Prepared) {
	if shard == lifecycle.Steward && len(msg.GetTargetFacts()) > 0 {
		cd.run.State.Target = wire.ToFacts(msg.GetTargetFacts())
	}
	cd.step(lifecycle.Prepared{Shard: shard, Error: wire.Text(msg.GetError())})
}

// started keeps when an agent's first operation was really sent, in our clock. An agent that took a shard up from another
// was not there at the planned start: it has no part in the skew.
func (cd *conductor) started(m *roster.Agent, msg *benchdv1.Started) {
	if msg.GetId().GetAttempt() > 1 {
		return
	}
	if phase := cd.run.SkewPhase(); phase == "" || plan.PhaseName(msg.GetPhase()) != phase {
		return
	}
	for _, s := range cd.run.State.Sends {
		if s.Name == m.Name {
			return
		}
	}
	now := cd.c.clock.Now()
	est, ok := m.Estimate(now)
	if !ok {
		return
	}
	at := est.Line.Inverse(msg.GetFirstSentAgentNs())
	est, _ = m.Estimate(at) // news that comes late is judged by the probes of its time
	at = est.Line.Inverse(msg.GetFirstSentAgentNs())
	cd.run.State.Sends = append(cd.run.State.Sends, result.FirstSend{
		Name: m.Name, At: cd.dateAt(at),
		Uncertainty: time.Duration(est.BoundAt(at)), Offset: time.Duration(est.Offset(now)),
	})
	cd.dirty = true
}

func (cd *conductor) phaseEnded(shard int, msg *benchdv1.PhaseEnded) {
	if !cd.run.State.Life.Expects(shard, plan.PhaseName(msg.GetPhase())) {
		return
	}
	sh := cd.run.State.Life.Shards[shard]
	left, client := wire.Text(msg.GetLeft()), wire.ToCounts(msg.GetClient())
	cd.builder.Ended(result.PhaseEnd{
		Shard: shard, Attempt: sh.Attempt, Phase: msg.GetPhase(), Windows: int(msg.GetWindows()),
		Issued: msg.GetIssued(), Recorded: msg.GetRecorded(), Client: client,
	})
	if left != "" {
		cd.lose(shard, msg.GetPhase(), time.Duration(msg.GetEndedNs()), left)
	}
	if !msg.GetFinal() {
		cd.goneOver(plan.PhaseName(msg.GetPhase()), time.Duration(msg.GetEndedNs()))
	}
	cd.step(lifecycle.PhaseEnded{Shard: shard, Ended: lifecycle.Ended{
		Phase: plan.PhaseName(msg.GetPhase()), At: time.Duration(msg.GetEndedNs()), Windows: int(msg.GetWindows()),
		Issued: msg.GetIssued(), Recorded: msg.GetRecorded(),
		Final: msg.GetFinal(), Error: wire.Text(msg.GetError()), Left: left, Client: client,
		InsertedBelow: max(msg.GetInsertedBelow(), 0), InsertedRows: msg.InsertedRows,
	}})
	cd.checkMerged(shard, plan.PhaseName(msg.GetPhase()))
}

// lose notes for the result when a shard was lost.
func (cd *conductor) lose(shard int, phase string, at time.Duration, why string) {
	loss := result.Loss{Shard: shard, Attempt: cd.run.State.Life.Shards[shard].Attempt, Phase: phase, At: at, Why: why}
	cd.run.State.Losses = append(cd.run.State.Losses, loss)
	cd.builder.Lost(loss)
}

// lost gives a shard up.
func (cd *conductor) lost(shard int, why string) {
	sh := cd.run.State.Life.Shards[shard]
	if !sh.Held() {
		return
	}
	delete(cd.away, shard)
	if phase, at := cd.now(); phase != "" && sh.Lost == "" && sh.State == lifecycle.Busy {
		cd.lose(shard, string(phase), at, strings.TrimPrefix(why, "was lost: "))
	}
	cd.deedLost(sh.Agent)
	cd.step(lifecycle.Lost{Shard: shard, Why: why})
	cd.settle()
}

// back takes up again what an agent holds of a shard after its stream was broken.
func (cd *conductor) back(shard int, m *roster.Agent, held *benchdv1.HeldShard) {
	cd.log.Info("agent is back", "agent", m.Name, "phase", held.GetPhase())
	delete(cd.away, shard)
	if held.GetPrepared() && cd.run.State.Life.Shards[shard].State == lifecycle.Assigned {
		cd.step(lifecycle.Prepared{Shard: shard})
	}
	for _, st := range held.GetStarted() {
		cd.started(m, st)
	}
	for _, e := range held.GetEnded() {
		cd.phaseEnded(shard, e)
	}
	if cd.run.State.Life.InSegment(plan.PhaseName(held.GetPhase())) {
		cd.unsure = false
	}
	if cd.showsChange(held) {
		cd.unheard = false
	}
	cd.execute(cd.run.State.Life.Return(shard))
	cd.sendInserted(shard)
	cd.settle()
	cd.orderDeed()
}

// settle goes on after a restart as soon as it is clear where the run stands. The first agent that has the run's
// time has anchored it; where nobody is left who could have it, our own clock must do. Where nobody had heard of
// the start of the segment that should be running, it is started anew: an instant of before the restart would cut
// the measurement short.
func (cd *conductor) settle() {
	life := cd.run.State.Life
	if cd.settled || life.Status.Ended() || (cd.unsure || cd.unheard || !cd.anchored.Load()) && len(cd.away) > 0 {
		return
	}
	cd.settled = true
	if !cd.anchored.Load() {
		cd.reckon()
	}
	if cd.unsure && life.Status == result.Running {
		cd.fix(life.Phase)
		cd.persist(cd.c.life)
	}
	if cd.unheard && life.Status == result.Running {
		cd.announceAnew()
	}
	cd.start(life.Phase)
	if life.Joined > life.Phase {
		cd.start(life.Joined)
	}
}

// gone starts the time that an agent has to come back.
func (cd *conductor) gone(shard int) {
	if m := cd.member(shard); m != nil {
		if _, ok := m.Connected(); ok {
			return // it came back before we got to know
		}
	}
	since := clock.Mono()
	cd.away[shard] = since
	grace := cd.grace()
	cd.note("agent", fmt.Sprintf("agent %s is not connected; it has %s to come back", cd.run.State.Life.Shards[shard].Agent, grace))
	time.AfterFunc(grace, func() {
		cd.post(func() {
			if at, away := cd.away[shard]; away && at == since {
				cd.lost(shard, fmt.Sprintf("was lost: not heard of for %s", grace))
			}
		})
	})
}

// limitsFrom is how many operations a phase must have before its limits end the run; a run that has ended is checked
// however short it was.
const limitsFrom = 1000

// judgeLimits ends the run when its limits are violated.
func (cd *conductor) judgeLimits(live result.Snapshot) {
	if cd.run.State.Life.Status == result.Running && live.Ops >= limitsFrom {
		if text := record.Violation(cd.run.Settings.Limits, live.Phase, live.Totals); text != "" {
			cd.step(lifecycle.LimitViolated{Text: text})
		}
	}
}
