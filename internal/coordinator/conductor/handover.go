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

// handoverAfter is how long a load waits in all for a disconnected agent before an agent of the run that has finished its
// own shard takes over. An idle agent may take over as soon as the disconnected one counts as lost.
const handoverAfter = DefaultGrace + 10*time.Second

// DefaultGrace is how long an agent may be away from a run before it counts as lost.
const DefaultGrace = 30 * time.Second

// handover assigns a run's shards to agents, and reassigns those of a load whose agents were lost. It belongs to the
// conductor's loop.
type handover struct {
	run     *record.Run
	host    Host
	archive Archive
	grace   time.Duration // how long an agent may be away, unless the run's settings shorten it

	parts   []plan.Shard          // the shards as they are sent to agents; nil before they are computed
	orphans map[int]clock.Instant // shards without an agent, with the time of the loss
}

// maxAway returns how long an agent may be away from the run before it counts as lost. The run's settings can shorten it
// for a load.
func (h *handover) maxAway() time.Duration {
	if after := h.run.Settings.HandoverAfter; after > 0 && h.run.State.Life.CanHandOver() {
		return min(h.grace, after)
	}
	return h.grace
}

// spareAfter returns how long an orphaned shard waits for an idle agent before one of the run takes it over.
func (h *handover) spareAfter() time.Duration {
	return max(0, cmp.Or(h.run.Settings.HandoverAfter, handoverAfter)-DefaultGrace)
}

// part returns a shard as it is sent to its agent.
func (h *handover) part(shard int) (*plan.Shard, error) {
	if h.run.State.Life.Shards[shard].Attempt > 1 {
		h.parts = nil // the agents have changed
	}
	if h.parts == nil {
		var err error
		if h.parts, err = h.run.Shards(); err != nil {
			return nil, err
		}
	}
	return &h.parts[shard], nil
}

// resumeAt sets the position from which a reassigned shard continues the earlier attempts. Only the archive has it.
func (h *handover) resumeAt(ctx context.Context, part *plan.Shard) (err error) {
	part.Loaded, err = h.archive.HandOver(ctx, part.Run, part.Index, part.Attempt)
	return err
}

// orphaned marks a shard as waiting for another agent.
func (h *handover) orphaned(shard int, now clock.Instant) { h.orphans[shard] = now }

// adopt looks for agents that take over orphaned shards. The effects of take on one shard are visible to the search for
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

// grant records the assignment of a shard to another agent in the run's state, with its attempt, and returns it.
func (h *handover) grant(shard int, granted result.Agent) result.Agent {
	granted.Attempt = h.run.State.Life.Shards[shard].Attempt + 1
	h.run.State.Agents = append(h.run.State.Agents, granted)
	return granted
}

// workers returns the number of workers of a shard.
func (h *handover) workers(shard int) int {
	i := slices.IndexFunc(h.run.State.Agents, func(a result.Agent) bool { return a.Shard == shard })
	if i < 0 {
		return 0
	}
	return h.run.State.Agents[i].Workers
}

// Methods of the conductor's loop:

// prepare sends a shard to its agent.
func (cd *Conductor) prepare(shard int) {
	part, err := cd.handover.part(shard)
	if err != nil {
		cd.step(lifecycle.Prepared{Shard: shard, Error: err.Error()})
		return
	}
	again := part.Attempt > 1
	if again {
		if err := cd.handover.resumeAt(cd.c.Life, part); err != nil {
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
		Prepare: wire.FromPlan(*part, shard == lifecycle.Steward && !again), // the target is already set up
	}})
}

// takeOver assigns a shard to another agent, which continues where its predecessor stopped.
func (cd *Conductor) takeOver(shard int, m *roster.Agent) {
	delete(cd.agents.away, shard)
	granted := cd.handover.grant(shard, m.Provenance(shard, cd.handover.workers(shard)))
	cd.builder.Shard(record.ShardInfo(granted))
	cd.step(lifecycle.Handed{Shard: shard, Grant: lifecycle.Grant{Agent: m.Name, Boot: m.Boot()}})
	cd.publisher.publish(cd.builder.Live()) // from now on windows of the earlier attempt are refused
}
