package coordinator

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
)

// arrived takes up what an agent holds, and gives it work.
func (c *Coordinator) arrived(m *roster.Agent, s *roster.Session, restarted bool) {
	held := make(map[string]bool)
	for _, h := range s.Hello().GetHeld() {
		held[h.GetId().GetRun()] = true
		if cd := c.conductor(h.GetId().GetRun()); cd != nil {
			// The clock must be known before the run's time can be anchored by it.
			c.task(func() { cd.ofRun(func() { cd.welcome(m, s, h) }) })
		} else {
			m.Forget(h.GetId())
		}
	}
	if run := m.Serving(); run != "" && !held[run] {
		if cd := c.conductor(run); cd != nil {
			cd.post(func() { cd.returnedWithout(m, restarted) })
		}
	}
	c.schedule()
}

// welcome waits until the clock of an agent that is back is known, anchors the run's time if need be, and takes
// its shard up again.
func (cd *conductor) welcome(m *roster.Agent, s *roster.Session, held *benchdv1.HeldShard) {
	for known := false; !known; _, known = m.Estimate(cd.c.clock.Now()) {
		if !s.Burst(cd.c.life) {
			return
		}
	}
	cd.post(func() {
		if now, ok := m.Connected(); !ok || now != s {
			return // away again; its next stream is welcomed
		}
		shard := int(held.GetId().GetShard())
		if held.GetRecovered() {
			cd.inherit(m, shard, int(held.GetId().GetAttempt()))
		}
		if !cd.owns(m, shard, int(held.GetId().GetAttempt())) {
			m.Forget(held.GetId())
			return
		}
		m.Serve(cd.id)
		cd.anchor(m, held)
		cd.back(shard, m, held)
	})
}

// inherit lets an agent that was started anew answer for the shard of the process before it: it has no more of it than
// windows, and says so.
func (cd *conductor) inherit(m *roster.Agent, shard, attempt int) {
	life := cd.run.State.Life
	if shard < 0 || shard >= len(life.Shards) {
		return
	}
	sh := &life.Shards[shard]
	if sh.Agent != m.Name || sh.Attempt != attempt || life.Status.Ended() {
		return
	}
	sh.Boot = m.Boot()
	cd.log.Info("an agent that was started anew has windows of before", "agent", m.Name)
	cd.deedLost(m.Name) // what it was about to do, the process before it may have done
	cd.persist(cd.c.life)
}

// anchor sets the run's time by the first agent that is back after a restart of the coordinator: the agents
// have kept it, each in its own clock, and our clock may have been set in between.
func (cd *conductor) anchor(m *roster.Agent, held *benchdv1.HeldShard) {
	line := held.GetTimebase()
	if cd.anchored.Load() || line == nil || cd.epoch.Load() == 0 {
		return
	}
	now := cd.c.clock.Now()
	est, ok := m.Estimate(now)
	if !ok {
		return
	}
	before := cd.run.State.Epoch
	cd.anchorAt(est.Line.Inverse(line.GetAgentNs()) - line.GetRunNs())
	cd.log.Info("run's time is anchored anew", "agent", m.Name, "moved", time.Duration(cd.run.State.Epoch-before))
}

// returnedWithout handles an agent that serves this run and is connected again, but does not hold its shard:
// it was started anew, or never got the order.
func (cd *conductor) returnedWithout(m *roster.Agent, restarted bool) {
	for i, sh := range cd.run.State.Life.Shards {
		if sh.Agent != m.Name || !sh.Held() {
			continue
		}
		delete(cd.away, i)
		why := ""
		switch {
		case restarted || sh.Boot != m.Boot():
			why = "was lost: it has been started anew"
		case sh.State == lifecycle.Ready || sh.State == lifecycle.Busy:
			why = "was lost: it does not have its part any more"
		}
		if why != "" {
			cd.lost(i, why)
			m.Serve("")
			cd.c.schedule()
			return
		}
		cd.execute(cd.run.State.Life.Return(i))
		cd.settle()
	}
}

// departed starts the time that an agent has to come back to its run.
func (c *Coordinator) departed(m *roster.Agent) {
	if c.life.Err() != nil {
		return // it is we who go
	}
	c.withShard(m, func(cd *conductor, shard int) { cd.gone(shard) })
	c.mu.Lock()
	c.wake()
	c.mu.Unlock()
}

// left handles an agent's farewell: its run need not wait for it.
func (c *Coordinator) left(m *roster.Agent, reason string) {
	c.withShard(m, func(cd *conductor, shard int) { cd.lost(shard, "left: "+reason) })
}

// withShard calls do in the loop of the run that an agent serves.
func (c *Coordinator) withShard(m *roster.Agent, do func(*conductor, int)) {
	cd := c.conductor(m.Serving())
	if cd == nil {
		return
	}
	cd.post(func() {
		for i, sh := range cd.run.State.Life.Shards {
			if sh.Agent == m.Name && sh.Held() {
				do(cd, i)
			}
		}
	})
}

// probed takes a round trip, and tells the agent how its clock now maps to the time of the run that it serves.
func (c *Coordinator) probed(m *roster.Agent, s *roster.Session, p clock.Probe) {
	m.AddProbe(p)
	cd := c.conductor(m.Serving())
	if cd == nil {
		return
	}
	if line, ok := cd.line(m); ok {
		s.SendLine(cd.id, line)
	}
}
