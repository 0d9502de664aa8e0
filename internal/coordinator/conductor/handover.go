package conductor

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
const handoverAfter = DefaultGrace + 10*time.Second

// DefaultGrace is how long an agent may be away from a run before it counts as lost.
const DefaultGrace = 30 * time.Second

// grace is how long an agent may be away from the run before it counts as lost: shorter where the run's settings let a
// load be handed over before.
func (cd *Conductor) grace() time.Duration {
	grace := cd.c.Grace
	if after := cd.run.Settings.HandoverAfter; after > 0 && cd.run.State.Life.Resumable() {
		return min(grace, after)
	}
	return grace
}

// spareAfter is how long an orphaned shard waits for an agent that has nothing else to do.
func (cd *Conductor) spareAfter() time.Duration {
	return max(0, cmp.Or(cd.run.Settings.HandoverAfter, handoverAfter)-DefaultGrace)
}

// handOver looks for agents that take up the shards which have lost theirs. It runs in the loop, at every tick.
func (cd *Conductor) handOver(now clock.Instant) {
	for shard, since := range cd.orphans {
		if cd.run.State.Life.Shards[shard].State != lifecycle.Orphan {
			delete(cd.orphans, shard)
			continue
		}
		m := cd.c.Host.Adopt(cd.run, shard, now.Sub(since) >= cd.spareAfter())
		if m == nil {
			continue
		}
		delete(cd.orphans, shard)
		delete(cd.agents.away, shard)
		cd.takeUp(shard, m)
	}
}

// takeUp hands a shard to another agent, which goes on where the one before it was.
func (cd *Conductor) takeUp(shard int, m *roster.Agent) {
	before := cd.run.State.Life.Shards[shard].Attempt
	info := m.Info(cd.c.Clock)
	granted := roster.Provenance(info, shard, cd.workers(shard))
	granted.Attempt = before + 1
	cd.run.State.Agents = append(cd.run.State.Agents, granted)
	cd.builder.Shard(record.ShardInfo(granted))
	cd.step(lifecycle.Handed{Shard: shard, Grant: lifecycle.Grant{Agent: m.Name, Boot: info.GetBootId()}})
	cd.publish(cd.builder.Live()) // from now on windows of the attempt before are refused
}

// workers is how many workers a shard has.
func (cd *Conductor) workers(shard int) int {
	i := slices.IndexFunc(cd.run.State.Agents, func(a result.Agent) bool { return a.Shard == shard })
	if i < 0 {
		return 0
	}
	return cd.run.State.Agents[i].Workers
}
