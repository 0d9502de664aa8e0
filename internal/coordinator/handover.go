package coordinator

import (
	"cmp"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// handoverAfter is how long a load waits for an agent that is not connected, in all, before one of the run's own that has
// ended its part takes its shard up. One that serves no run may do so as soon as the agent counts as lost.
const handoverAfter = DefaultAgentGrace + 10*time.Second

// grace is how long an agent may be away from the run before it counts as lost: shorter where the run's settings let a
// load be handed over before.
func (cd *conductor) grace() time.Duration {
	grace := cd.c.config.AgentGrace
	if after := cd.run.Settings.HandoverAfter; after > 0 && cd.run.State.Life.Resumable() {
		return min(grace, after)
	}
	return grace
}

// spareAfter is how long an orphaned shard waits for an agent that has nothing else to do.
func (cd *conductor) spareAfter() time.Duration {
	return max(0, cmp.Or(cd.run.Settings.HandoverAfter, handoverAfter)-DefaultAgentGrace)
}

// handOver looks for agents that take up the shards which have lost theirs. It runs in the loop, at every tick.
func (cd *conductor) handOver(now clock.Instant) {
	for shard, since := range cd.orphans {
		if cd.run.State.Life.Shards[shard].State != lifecycle.Orphan {
			delete(cd.orphans, shard)
			continue
		}
		m := cd.c.adopt(cd, shard, now.Sub(since) >= cd.spareAfter())
		if m == nil {
			continue
		}
		delete(cd.orphans, shard)
		delete(cd.away, shard)
		cd.takeUp(shard, m)
	}
}

// takeUp hands a shard to another agent, which goes on where the one before it was.
func (cd *conductor) takeUp(shard int, m *roster.Agent) {
	before := cd.run.State.Life.Shards[shard].Attempt
	info := m.Info(cd.c.clock)
	granted := provenance(info, shard, cd.workers(shard))
	granted.Attempt = before + 1
	cd.run.State.Agents = append(cd.run.State.Agents, granted)
	cd.builder.Shard(record.ShardInfo(granted))
	cd.step(lifecycle.Handed{Shard: shard, Grant: lifecycle.Grant{Agent: m.Name, Boot: info.GetBootId()}})
	cd.publish(cd.builder.Live()) // from now on windows of the attempt before are refused
}

// workers is how many workers a shard has.
func (cd *conductor) workers(shard int) int {
	i := slices.IndexFunc(cd.run.State.Agents, func(a result.Agent) bool { return a.Shard == shard })
	if i < 0 {
		return 0
	}
	return cd.run.State.Agents[i].Workers
}

// adopt marks an agent as serving a run that has a shard without one: the shard's own, started anew, or one that has
// nothing else to do, or, where spare ones of the run may be taken, one that has ended its part of it.
func (c *Coordinator) adopt(cd *conductor, shard int, spare bool) *roster.Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	shards := cd.run.State.Life.Shards
	busy := func(name string) bool {
		return slices.ContainsFunc(shards, func(sh lifecycle.Shard) bool {
			return sh.Agent == name && sh.Held() && sh.State != lifecycle.Over
		})
	}
	var best *roster.Agent
	for _, m := range c.roster.Matching(cd.run.State.Select) {
		switch serving := m.Serving(); {
		case serving != "" && serving != cd.id, busy(m.Name):
		case m.Name == shards[shard].Agent:
			best = m
		case serving == "" && (best == nil || best.Serving() != "" && best.Name != shards[shard].Agent):
			best = m
		case serving == cd.id && spare && best == nil:
			best = m
		}
	}
	if best != nil {
		best.Serve(cd.id)
	}
	return best
}
