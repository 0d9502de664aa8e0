package conductor

import (
	"context"
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

// Grant assigns the run its agents.
func (cd *Conductor) Grant(granted lifecycle.Granted) {
	cd.mail.post(func() { cd.granted(granted) })
}

// Event applies an event to the run.
func (cd *Conductor) Event(e lifecycle.Event) {
	cd.mail.post(func() { cd.step(e) })
}

// Cancel cancels the run and waits until that is archived; done is false where the run had already ended.
func (cd *Conductor) Cancel(ctx context.Context, cancel lifecycle.Cancel) (done bool, err error) {
	stepped := make(chan struct{})
	cd.mail.post(func() {
		defer close(stepped)
		cd.step(cancel)
	})
	select {
	case <-stepped:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-cd.mail.done:
		return false, nil
	}
}

// Prepared handles an agent's report that its shard is ready, or has failed to prepare.
func (cd *Conductor) Prepared(m *roster.Agent, s *roster.Session, msg *benchdv1.Prepared) {
	cd.toShard(m, s, msg.GetId(), func(shard int) { cd.prepared(shard, msg) })
}

// Started handles an agent's report of the first operation of a segment.
func (cd *Conductor) Started(m *roster.Agent, s *roster.Session, msg *benchdv1.Started) {
	cd.toShard(m, s, msg.GetId(), func(int) { cd.started(m, msg) })
}

// PhaseEnded handles an agent's report of the end of a phase.
func (cd *Conductor) PhaseEnded(m *roster.Agent, s *roster.Session, msg *benchdv1.PhaseEnded) {
	cd.toShard(m, s, msg.GetId(), func(shard int) { cd.phaseEnded(shard, msg) })
}

// maxObserving bounds the points of observations in the mailbox.
const maxObserving = 1 << 18

// Observed handles the observations of an agent. Those that come faster than the loop handles them are a gap in the figures.
func (cd *Conductor) Observed(s *roster.Session, id *benchdv1.ShardId, observed result.Observations) {
	points := int64(0)
	for _, f := range observed.Figures {
		points += max(int64(len(f.At)), 1)
	}
	if cd.observing.Add(points) > maxObserving {
		cd.observing.Add(-points)
		return
	}
	cd.mail.post(func() {
		cd.observing.Add(-points)
		if cd.agents.owns(s, int(id.GetShard()), int(id.GetAttempt())) && !cd.archiver.sealed {
			cd.telemetry.observed(observed)
		}
	})
}

// Answered handles the answer of an agent to an order of the run.
func (cd *Conductor) Answered(s *roster.Session, answer *benchdv1.ActionAnswer) {
	cd.mail.post(func() { cd.actions.Answered(s.Name(), s.Boot(), answer) })
}

// Line returns the mapping from an agent's clock to the run's time; ok is false while it is unknown.
func (cd *Conductor) Line(m *roster.Agent) (clock.Line, bool) { return cd.base.line(m) }

// toShard passes a message of an agent about a shard to the loop, if the process that sent it holds that attempt of the
// shard. Otherwise the agent is ordered to drop it.
func (cd *Conductor) toShard(m *roster.Agent, s *roster.Session, id *benchdv1.ShardId, do func(shard int)) {
	cd.mail.post(func() {
		shard := int(id.GetShard())
		if !cd.agents.owns(s, shard, int(id.GetAttempt())) {
			m.Forget(id)
			return
		}
		do(shard)
	})
}

// The methods below run in the conductor's loop.

func (cd *Conductor) granted(e lifecycle.Granted) {
	if cd.run.State.Life.Status != result.Queued {
		return // it was cancelled meanwhile
	}
	if why, err := cd.fitRows(); err != nil {
		cd.c.Logger.Error("find existing rows", "error", err, "next_try", retryArchive)
		time.AfterFunc(retryArchive, func() { cd.mail.post(func() { cd.granted(e) }) })
		return
	} else if why != "" {
		cd.step(lifecycle.Refused{Why: why})
		return
	}
	cd.step(e)
	cd.build() // the shards are known now
}

func (cd *Conductor) prepared(shard int, msg *benchdv1.Prepared) {
	if shard == lifecycle.Steward && len(msg.GetTargetFacts()) > 0 {
		cd.run.State.Target = wire.ToFacts(msg.GetTargetFacts())
	}
	cd.step(lifecycle.Prepared{Shard: shard, Error: wire.Text(msg.GetError())})
}

// started records when an agent sent its first operation, in our clock. An agent that has taken over a shard could not
// keep the planned start: it does not count for the skew.
func (cd *Conductor) started(m *roster.Agent, msg *benchdv1.Started) {
	if msg.GetId().GetAttempt() > 1 {
		return
	}
	if phase := cd.run.SkewPhase(); phase == "" || plan.PhaseName(msg.GetPhase()) != phase {
		return
	}
	if cd.sends == nil { // a restart has some already
		cd.sends = make(map[string]bool)
		for _, s := range cd.run.State.Sends {
			cd.sends[s.Name] = true
		}
	}
	if cd.sends[m.Name] {
		return
	}
	now := cd.c.Clock.Now()
	est, ok := m.Estimate(now)
	if !ok {
		return
	}
	at := est.Line.Inverse(msg.GetFirstSentAgentNs())
	est, _ = m.Estimate(at) // a late report is converted with the probes of its time
	at = est.Line.Inverse(msg.GetFirstSentAgentNs())
	cd.sends[m.Name] = true
	cd.run.State.Sends = append(cd.run.State.Sends, result.FirstSend{
		Name: m.Name, At: cd.base.dateAt(at),
		Uncertainty: time.Duration(est.BoundAt(at)), Offset: time.Duration(est.Offset(now)),
	})
	cd.archiver.dirty = true
}

func (cd *Conductor) phaseEnded(shard int, msg *benchdv1.PhaseEnded) {
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
		cd.changeOver(cd.changeover.passed(plan.PhaseName(msg.GetPhase()), time.Duration(msg.GetEndedNs())))
	}
	cd.step(lifecycle.PhaseEnded{Shard: shard, Ended: lifecycle.Ended{
		Phase: plan.PhaseName(msg.GetPhase()), At: time.Duration(msg.GetEndedNs()), Windows: int(msg.GetWindows()),
		Issued: msg.GetIssued(), Recorded: msg.GetRecorded(),
		Final: msg.GetFinal(), Error: wire.Text(msg.GetError()), Left: left, Client: client,
		InsertedBelow: max(msg.GetInsertedBelow(), 0), InsertedRows: msg.InsertedRows,
	}})
	cd.checkMerged(shard, plan.PhaseName(msg.GetPhase()))
}

// limitsFrom is the number of operations that a phase must have before its limits can end the run. An ended run is
// checked however short it was.
const limitsFrom = 1000

// checkLimits stops the run when a limit is violated.
func (cd *Conductor) checkLimits(live result.Snapshot) {
	if cd.run.State.Life.Status == result.Running && live.Ops >= limitsFrom {
		if text := record.Violation(cd.run.Settings, live.Phase, live.Totals); text != "" {
			cd.step(lifecycle.LimitViolated{Text: text})
		}
	}
}
