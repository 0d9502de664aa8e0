package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
)

// schedule assigns agents to queued runs. Suites are served in the order of submission; a later suite can overtake an
// earlier one only with agents that the earlier one cannot use. Each suite decides which of its runs is next.
func (c *Coordinator) schedule() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return
	}
	reserved := make(map[*roster.Agent]bool)
	next := make(map[string]string) // by suite
	var left []*record.Run
	for _, r := range c.queue {
		if _, known := next[r.Suite.ID]; !known {
			next[r.Suite.ID] = c.suites[r.Suite.ID].Next()
		}
		if next[r.Suite.ID] != r.Archived.ID {
			left = append(left, r)
			continue
		}
		agents := c.free(r, reserved)
		if agents == nil {
			left = append(left, r)
			continue
		}
		c.grant(r, agents)
	}
	c.queue = left
	c.wake()
}

// free picks the agents of a run, or reserves all that it could use and returns none.
func (c *Coordinator) free(r *record.Run, reserved map[*roster.Agent]bool) []*roster.Agent {
	var free []*roster.Agent
	matching := c.roster.Matching(r.State.Select)
	for _, m := range matching {
		if m.Serving() == "" && !reserved[m] {
			free = append(free, m)
		}
	}
	if len(free) >= r.State.Want {
		return free[:r.State.Want]
	}
	for _, m := range matching {
		reserved[m] = true
	}
	return nil
}

// grant gives a run its agents and a conductor. The caller holds c.mu.
func (c *Coordinator) grant(r *record.Run, agents []*roster.Agent) {
	var granted lifecycle.Granted
	workers, err := plan.Workers(r.Settings, len(agents)) // Submit has validated it
	if err != nil {
		c.log.Error("spread workers", "run", r.Archived.ID, "error", err)
		workers = make([]int, len(agents))
	}
	r.State.Build = c.config.Version
	for i, m := range agents {
		m.Serve(r.Archived.ID)
		granted.Agents = append(granted.Agents, lifecycle.Grant{Agent: m.Name, Boot: m.Boot()})
		r.State.Agents = append(r.State.Agents, m.Provenance(i, workers[i]))
	}
	cd := c.conduct(r)
	cd.Grant(granted)
}

// conduct starts the conductor of a run. The caller holds c.mu.
func (c *Coordinator) conduct(r *record.Run) *conductor.Conductor {
	for _, l := range c.config.Listeners {
		if !slices.Contains(r.State.Listeners, l) { // after a restart they may be others
			r.State.Listeners = append(r.State.Listeners, l)
		}
	}
	cd := conductor.New(c.conductorConfig(), r)
	c.take(cd)
	return cd
}

// take registers a conductor for its run. The caller holds c.mu.
func (c *Coordinator) take(cd *conductor.Conductor) {
	c.conductors[cd.ID()] = cd
	c.stepSuite(record.SuiteOf(cd.ID()), lifecycle.RunTaken{Run: cd.ID()})
	c.perform(cd)
}

// perform executes a run, and frees its agents when it is sealed.
func (c *Coordinator) perform(cd *conductor.Conductor) {
	c.tasks.Go(func() {
		if cd.Perform() {
			c.runEnded(cd)
		}
	})
}

// runEnded frees the agents of an ended run.
func (c *Coordinator) runEnded(cd *conductor.Conductor) {
	suite := record.SuiteOf(cd.ID())
	for _, m := range c.roster.All() {
		if m.Serving() == cd.ID() {
			m.Serve("")
		}
	}
	c.metrics.runs.End(cd.ID())
	c.mu.Lock()
	delete(c.conductors, cd.ID())
	commands := c.stepSuite(suite, lifecycle.RunReleased{Run: cd.ID()})
	c.mu.Unlock()
	if err := c.carryOut(c.life, suite, commands); err != nil {
		c.log.Error("continue suite", "suite", suite, "error", err)
	}
	c.schedule()
}

// waitingFor describes why a queued run has not started.
func (c *Coordinator) waitingFor(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.queue, func(r *record.Run) bool { return r.Archived.ID == id })
	if i < 0 {
		return ""
	}
	r := c.queue[i]
	if other := c.suites[r.Suite.ID].Serving(); other != "" {
		return "run " + other + " of the same suite"
	}
	matching := c.roster.Matching(r.State.Select)
	if len(matching) < r.State.Want {
		return fmt.Sprintf("%d of %d agents to connect", r.State.Want-len(matching), r.State.Want)
	}
	var busy []string
	for _, m := range matching {
		if run := m.Serving(); run != "" && !slices.Contains(busy, run) {
			busy = append(busy, run)
		}
	}
	if len(busy) > 0 {
		return "agents of run " + strings.Join(busy, ", ")
	}
	return "an earlier run in the queue"
}

// dequeue removes a run from the queue. The caller holds c.mu.
func (c *Coordinator) dequeue(id string) *record.Run {
	i := slices.IndexFunc(c.queue, func(r *record.Run) bool { return r.Archived.ID == id })
	if i < 0 {
		return nil
	}
	r := c.queue[i]
	c.queue = slices.Delete(c.queue, i, i+1)
	c.wake()
	return r
}

// toCancel returns the conductor of a run that is to be cancelled, or nil where the run has ended or the coordinator is
// detaching. A queued run gets a conductor for its last step, which archives its end like that of any other run.
func (c *Coordinator) toCancel(id string) *conductor.Conductor {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return nil
	}
	if r := c.dequeue(id); r != nil {
		return c.conduct(r)
	}
	return c.conductors[id]
}

// awaitAgents waits until n agents match (any, if n is 0), at most for the time given, and returns how many do.
func (c *Coordinator) awaitAgents(ctx context.Context, labels map[string]string, n int, within time.Duration) (int, error) {
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	for {
		changed := c.change()
		have := len(c.roster.Matching(labels))
		if have >= max(n, 1) || within <= 0 {
			return have, nil
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-timeout.C:
			return have, nil
		case <-changed:
		}
	}
}
