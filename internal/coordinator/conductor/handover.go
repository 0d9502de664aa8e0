package conductor

import (
	"cmp"
	"context"
	"slices"
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

// handoverAfter is how long a load waits for an agent that is not connected, in all, before one of the run's own that has
// ended its part takes its shard up. One that serves no run may do so as soon as the agent counts as lost.
const handoverAfter = DefaultGrace + 10*time.Second

// DefaultGrace is how long an agent may be away from a run before it counts as lost.
const DefaultGrace = 30 * time.Second

// handover hands a run's shards out, and those of a load again that have lost their agents. It belongs to the conductor's
// loop.
type handover struct {
	run     *record.Run
	host    Host
	archive Archive
	grace   time.Duration // that an agent may be away, where the run's settings do not say less

	parts   []plan.Shard          // the shards as they are handed out; nil where they have to be cut
	orphans map[int]clock.Instant // shards that wait for another agent, since when
}

// maxAway is how long an agent may be away from the run before it counts as lost: shorter where the run's settings let a
// load be handed over before.
func (h *handover) maxAway() time.Duration {
	if after := h.run.Settings.HandoverAfter; after > 0 && h.run.State.Life.CanHandOver() {
		return min(h.grace, after)
	}
	return h.grace
}

// spareAfter is how long an orphaned shard waits for an agent that has nothing else to do.
func (h *handover) spareAfter() time.Duration {
	return max(0, cmp.Or(h.run.Settings.HandoverAfter, handoverAfter)-DefaultGrace)
}

// part is a shard as its agent is to have it.
func (h *handover) part(shard int) (*plan.Shard, error) {
	if h.run.State.Life.Shards[shard].Attempt > 1 {
		h.parts = nil // they are of other agents now
	}
	if h.parts == nil {
		var err error
		if h.parts, err = h.run.Shards(); err != nil {
			return nil, err
		}
	}
	return &h.parts[shard], nil
}

// goOn lets a part that is handed out again go on where the attempts before it were: only the archive knows that.
func (h *handover) goOn(ctx context.Context, part *plan.Shard) (err error) {
	part.Loaded, err = h.archive.HandOver(ctx, part.Run, part.Index, part.Attempt)
	return err
}

// orphaned lets a shard wait for another agent.
func (h *handover) orphaned(shard int, now clock.Instant) { h.orphans[shard] = now }

// adopt looks for agents that take up the shards which have lost theirs. What take does with one is seen by the search for
// the next.
func (h *handover) adopt(now clock.Instant, take func(shard int, m *roster.Agent)) {
	for shard, since := range h.orphans {
		if h.run.State.Life.Shards[shard].State != lifecycle.Orphan {
			delete(h.orphans, shard)
			continue
		}
		if m := h.host.Adopt(h.run, shard, now.Sub(since) >= h.spareAfter()); m != nil {
			delete(h.orphans, shard)
			take(shard, m)
		}
	}
}

// grant describes the handing out of a shard to another agent. It adds that to the run's state.
func (h *handover) grant(shard int, info *benchdv1.AgentInfo) result.Agent {
	granted := roster.Provenance(info, shard, h.workers(shard))
	granted.Attempt = h.run.State.Life.Shards[shard].Attempt + 1
	h.run.State.Agents = append(h.run.State.Agents, granted)
	return granted
}

// workers is how many workers a shard has.
func (h *handover) workers(shard int) int {
	i := slices.IndexFunc(h.run.State.Agents, func(a result.Agent) bool { return a.Shard == shard })
	if i < 0 {
		return 0
	}
	return h.run.State.Agents[i].Workers
}

// Of the conductor's loop:

// prepare hands a shard out.
func (cd *Conductor) prepare(shard int) {
	part, err := cd.handover.part(shard)
	if err != nil {
		cd.step(lifecycle.Prepared{Shard: shard, Error: err.Error()})
		return
	}
	again := part.Attempt > 1
	if again {
		if err := cd.handover.goOn(cd.c.Life, part); err != nil {
			cd.c.Logger.Error("hand over a load", "shard", shard, "error", err, "next_try", retryArchive)
			time.AfterFunc(retryArchive, func() {
				cd.mail.post(func() {
					if cd.run.State.Life.Shards[shard].State == lifecycle.Assigned {
						cd.prepare(shard)
					}
				})
			})
			return
		}
	}
	cd.agents.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Prepare{
		Prepare: wire.FromPlan(*part, shard == lifecycle.Steward && !again), // what was set up is there
	}})
}

// takeUp hands a shard to another agent, which goes on where the one before it was.
func (cd *Conductor) takeUp(shard int, m *roster.Agent) {
	delete(cd.agents.away, shard)
	info := m.Info(cd.c.Clock)
	cd.builder.Shard(record.ShardInfo(cd.handover.grant(shard, info)))
	cd.step(lifecycle.Handed{Shard: shard, Grant: lifecycle.Grant{Agent: m.Name, Boot: info.GetBootId()}})
	cd.publisher.publish(cd.builder.Live()) // from now on windows of the attempt before are refused
}
