package conductor

import (
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Welcome recovers what a returning agent holds of the run, in a goroutine: the agent's clock must be known before it can
// anchor the run's time.
func (cd *Conductor) Welcome(m *roster.Agent, s *roster.Session, held *benchdv1.HeldShard) {
	cd.c.Host.Task(func() { cd.mail.beside(func() { cd.welcome(m, s, held) }) })
}

// Returned handles an agent that serves this run and has reconnected without its shard.
func (cd *Conductor) Returned(m *roster.Agent, restarted bool) {
	cd.mail.post(func() { cd.returnedWithout(m, restarted) })
}

// Disconnected starts the grace period of an agent.
func (cd *Conductor) Disconnected(s *roster.Session) {
	cd.eachShard(s, func(shard int) { cd.disconnected(shard) })
}

// SignedOff handles the sign-off of an agent: the run does not wait for it.
func (cd *Conductor) SignedOff(s *roster.Session, reason string) {
	cd.eachShard(s, func(shard int) { cd.lost(shard, "left: "+reason) })
}

// eachShard calls do, in the loop, for each shard that the process behind a stream holds.
func (cd *Conductor) eachShard(s *roster.Session, do func(shard int)) {
	cd.mail.post(func() {
		for i, sh := range cd.run.State.Life.Shards {
			if sh.Held() && cd.agents.owns(s, i, sh.Attempt) {
				do(i)
			}
		}
	})
}

// welcome waits until the clock of a returning agent is known, anchors the run's time if necessary, and recovers the
// agent's shard.
func (cd *Conductor) welcome(m *roster.Agent, s *roster.Session, held *benchdv1.HeldShard) {
	for known := false; !known; _, known = m.Estimate(cd.c.Clock.Now()) {
		if !s.Burst(cd.c.Life) {
			return
		}
	}
	cd.mail.post(func() {
		if now, ok := m.Connected(); !ok || now != s {
			return // disconnected again; its next stream is welcomed
		}
		shard := int(held.GetId().GetShard())
		if held.GetRecovered() {
			cd.inherit(m, s, held)
		}
		if !cd.agents.owns(s, shard, int(held.GetId().GetAttempt())) {
			m.Forget(held.GetId())
			return
		}
		m.Serve(cd.ID())
		cd.anchor(m, held)
		cd.back(shard, m, held)
	})
}

// inherit assigns the shard of an agent's previous process to its new one, which must send the boot id of the process that
// measured: it is in the spool with the windows. The new process has the windows of that shard and nothing else.
func (cd *Conductor) inherit(m *roster.Agent, s *roster.Session, held *benchdv1.HeldShard) {
	life := cd.run.State.Life
	shard := int(held.GetId().GetShard())
	if shard < 0 || shard >= len(life.Shards) {
		return
	}
	sh := &life.Shards[shard]
	if sh.Agent != s.Name() || sh.Attempt != int(held.GetId().GetAttempt()) || life.Status.Ended() {
		return
	}
	if !sh.MayInherit(held.GetBootId(), roster.Same) {
		s.Log().Warn("the windows of an earlier process are refused: their boot id is not that of the process that held the shard",
			"shard", shard, "address", s.Address(), "proof", held.GetBootId() != "")
		if sh.Held() && !roster.Same(sh.Boot, s.Boot()) {
			cd.gone(m, shard, "was lost: it was restarted")
		}
		return
	}
	sh.Inherit(s.Boot())
	cd.c.Logger.Info("restarted agent has windows of its previous process", "agent", s.Name())
	cd.actions.AgentLost(s.Name()) // the previous process may have done its action
	cd.archiver.persist(cd.c.Life)
}

// back recovers what an agent holds of a shard after its stream was broken.
func (cd *Conductor) back(shard int, m *roster.Agent, held *benchdv1.HeldShard) {
	cd.c.Logger.Info("agent is back", "agent", m.Name, "phase", held.GetPhase())
	delete(cd.agents.away, shard)
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
		cd.restart.startUndelivered = false
	}
	if cd.changeover.shownBy(held) {
		cd.restart.changeUndelivered = false
	}
	cd.execute(cd.run.State.Life.Return(shard))
	cd.inserted.send(shard)
	cd.settle()
	cd.actions.Order()
}

// returnedWithout handles an agent that serves this run and has reconnected without its shard: it was restarted, or never
// received the order.
func (cd *Conductor) returnedWithout(m *roster.Agent, restarted bool) {
	for i, sh := range cd.run.State.Life.Shards {
		if sh.Agent != m.Name || !sh.Held() {
			continue
		}
		delete(cd.agents.away, i)
		why := ""
		switch {
		case restarted || sh.Boot != m.Boot():
			why = "was lost: it was restarted"
		case sh.State == lifecycle.Ready || sh.State == lifecycle.Busy:
			why = "was lost: it no longer has its shard"
		}
		if why != "" {
			cd.gone(m, i, why)
			return
		}
		cd.execute(cd.run.State.Life.Return(i))
		cd.settle()
	}
}

// gone handles the loss of a shard whose agent is connected: it is free for other runs.
func (cd *Conductor) gone(m *roster.Agent, shard int, why string) {
	cd.lost(shard, why)
	m.Serve("")
	cd.c.Host.Schedule()
}

// disconnected starts the grace period of the agent of a shard.
func (cd *Conductor) disconnected(shard int) {
	if m := cd.agents.of(shard); m != nil {
		if _, ok := m.Connected(); ok {
			return // it is back already
		}
	}
	since := clock.Mono()
	cd.agents.away[shard] = since
	grace := cd.handover.maxAway()
	cd.timeline.note(result.AgentEvent, fmt.Sprintf("agent %s is not connected; it has %s to come back", cd.run.State.Life.Shards[shard].Agent, grace))
	time.AfterFunc(grace, func() {
		cd.mail.post(func() {
			if at, away := cd.agents.away[shard]; away && at == since {
				cd.lost(shard, fmt.Sprintf("was lost: not connected for %s", grace))
			}
		})
	})
}

// lost handles the loss of a shard's agent.
func (cd *Conductor) lost(shard int, why string) {
	sh := cd.run.State.Life.Shards[shard]
	if !sh.Held() {
		return
	}
	delete(cd.agents.away, shard)
	if phase, at := cd.run.PhaseAt(cd.base.elapsed()); phase != "" && sh.Lost == "" && sh.State == lifecycle.Busy {
		cd.lose(shard, string(phase), at, strings.TrimPrefix(why, "was lost: "))
	}
	cd.actions.AgentLost(sh.Agent)
	cd.step(lifecycle.AgentLost{Shard: shard, Why: why})
	cd.settle()
}

// lose records the loss of a shard for the result.
func (cd *Conductor) lose(shard int, phase string, at time.Duration, why string) {
	loss := result.Loss{Shard: shard, Attempt: cd.run.State.Life.Shards[shard].Attempt, Phase: phase, At: at, Why: why}
	cd.run.State.Losses = append(cd.run.State.Losses, loss)
	cd.builder.Lost(loss)
}
