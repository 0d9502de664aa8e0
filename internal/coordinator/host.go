package coordinator

import (
	"context"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
)

// host implements conductor.Host.
type host struct{ c *Coordinator }

func (c *Coordinator) conductorConfig() conductor.Config {
	return conductor.Config{
		Host: host{c}, Archive: c.archive, Roster: c.roster, Metrics: c.metrics.runs, Quarantine: c.quarantine,
		Clock: c.clock, Grace: c.config.AgentGrace, Version: c.config.Version, Logger: c.log, Life: c.life,
	}
}

// Apply archives the progress of a run.
func (h host) Apply(ctx context.Context, run archive.RunRecord, events []archive.Event, changed bool) error {
	return h.c.apply(ctx, run, events, changed)
}

// Schedule assigns free agents to waiting runs.
func (h host) Schedule() { h.c.schedule() }

// Task runs do in a goroutine, unless the coordinator is detaching.
func (h host) Task(do func()) { h.c.task(do) }

// Stuck reports whether the archive accepts no windows.
func (h host) Stuck() bool { return h.c.ingest.stuck.Load() }

// Adopt marks an agent as serving a run with an orphaned shard: the shard's own agent, restarted, or an idle one, or,
// where spare is set, one of the run that has finished its own shard.
func (h host) Adopt(run *record.Run, shard int, spare bool) *roster.Agent {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	shards := run.State.Life.Shards
	busy := func(name string) bool {
		return slices.ContainsFunc(shards, func(sh lifecycle.Shard) bool {
			return sh.Agent == name && sh.Held() && sh.State != lifecycle.Over
		})
	}
	var best *roster.Agent
	for _, m := range h.c.roster.Matching(run.State.Select) {
		switch serving := m.Serving(); {
		case serving != "" && serving != run.Archived.ID, busy(m.Name):
		case m.Name == shards[shard].Agent:
			best = m
		case serving == "" && (best == nil || best.Serving() != "" && best.Name != shards[shard].Agent):
			best = m
		case serving == run.Archived.ID && spare && best == nil:
			best = m
		}
	}
	if best != nil {
		best.Serve(run.Archived.ID)
	}
	return best
}
