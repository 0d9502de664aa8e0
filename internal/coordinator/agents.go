package coordinator

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/conductor/actions"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// arrived recovers the shards that an agent holds, and schedules waiting runs on it.
func (c *Coordinator) arrived(m *roster.Agent, s *roster.Session, restarted bool) {
	held := make(map[string]bool)
	for _, h := range s.Hello().GetHeld() {
		held[h.GetId().GetRun()] = true
		if cd := c.conductor(h.GetId().GetRun()); cd != nil {
			cd.Welcome(m, s, h)
		} else {
			m.Forget(h.GetId())
		}
	}
	if run := m.Serving(); run != "" && !held[run] {
		if cd := c.conductor(run); cd != nil {
			cd.Returned(m, restarted)
		}
	}
	c.schedule()
}

// departed starts the grace period of an agent that has disconnected.
func (c *Coordinator) departed(m *roster.Agent, s *roster.Session) {
	if c.life.Err() != nil {
		return // the coordinator is stopping
	}
	if cd := c.conductor(m.Serving()); cd != nil {
		cd.Disconnected(s)
	}
	c.mu.Lock()
	c.wake()
	c.mu.Unlock()
}

// left handles the sign-off of an agent: its run does not wait for it.
func (c *Coordinator) left(m *roster.Agent, s *roster.Session, reason string) {
	if cd := c.conductor(m.Serving()); cd != nil {
		cd.SignedOff(s, reason)
	}
}

// probed records a round trip, sends the agent the current mapping from its clock to the time of its run, and returns when its clock is to be
// probed again.
func (c *Coordinator) probed(m *roster.Agent, s *roster.Session, p clock.Probe) (next time.Duration) {
	next = m.AddProbe(p)
	cd := c.conductor(m.Serving())
	if cd == nil {
		return next
	}
	if line, ok := cd.Line(m); ok {
		s.SendLine(cd.ID(), line)
	}
	return next
}

// toConductor passes a message of an agent to the conductor of its run. Where the run has ended, the agent is ordered to
// drop the shard.
func (c *Coordinator) toConductor(m *roster.Agent, id *benchdv1.ShardId, do func(*conductor.Conductor)) {
	if cd := c.conductor(id.GetRun()); cd != nil {
		do(cd)
		return
	}
	m.Forget(id)
}

// answered passes an answer to the run or the user that waits for it.
func (c *Coordinator) answered(s *roster.Session, answer *benchdv1.ActionAnswer) {
	if run, ok := actions.RunOf(answer.GetId()); ok {
		if cd := c.conductor(run); cd != nil {
			cd.Answered(s, answer)
		}
		return
	}
	s.Answered(answer)
}
