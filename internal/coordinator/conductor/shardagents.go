package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// startLead is the minimum time between the announcement of a start and the start; it grows with the round trips of
	// agents, and by leadOfEach for each of them, as they are sent their starts one after another.
	startLead  = 300 * time.Millisecond
	leadOfEach = 100 * time.Microsecond
	maxLead    = 5 * time.Second
)

// shardAgents are the agents that hold a run's shards. They belong to the conductor's loop.
type shardAgents struct {
	run    *record.Run
	roster *roster.Roster
	clock  *clock.Source
	away   map[int]clock.Instant // shards whose agents are not connected, with the time of the disconnect
}

func newShardAgents(r *record.Run, all *roster.Roster, source *clock.Source) *shardAgents {
	return &shardAgents{run: r, roster: all, clock: source, away: make(map[int]clock.Instant)}
}

// of returns the agent of a shard, or nil if it is not in the roster.
func (a *shardAgents) of(shard int) *roster.Agent {
	return a.roster.Get(a.run.State.Life.Shards[shard].Agent)
}

// held returns the agents of the held shards; nil for one that is not in the roster.
func (a *shardAgents) held() []*roster.Agent {
	var agents []*roster.Agent
	for i, sh := range a.run.State.Life.Shards {
		if sh.Held() {
			agents = append(agents, a.of(i))
		}
	}
	return agents
}

// owns reports whether the process behind a stream holds an attempt of a shard.
func (a *shardAgents) owns(s *roster.Session, shard, attempt int) bool {
	shards := a.run.State.Life.Shards
	if shard < 0 || shard >= len(shards) {
		return false
	}
	sh := shards[shard]
	return sh.Agent == s.Name() && sh.Attempt == attempt && roster.Same(sh.Boot, s.Boot())
}

// sessions returns the streams of the connected agents.
func (a *shardAgents) sessions() []*roster.Session {
	var sessions []*roster.Session
	for _, m := range a.held() {
		if m == nil {
			continue
		}
		if s, ok := m.Connected(); ok {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// clocksKnown reports whether all agents are connected and their clocks are known.
func (a *shardAgents) clocksKnown() bool {
	if len(a.away) > 0 {
		return false
	}
	now := a.clock.Now()
	for _, m := range a.held() {
		if m == nil {
			return false
		}
		if _, known := m.Estimate(now); !known {
			return false
		}
	}
	return true
}

// lead returns how far ahead an instant must be announced.
func (a *shardAgents) lead() time.Duration {
	agents, now := a.held(), a.clock.Now()
	lead := startLead + time.Duration(len(agents))*leadOfEach
	for _, m := range agents {
		if m == nil {
			continue
		}
		if est, ok := m.Estimate(now); ok {
			lead = min(max(lead, 10*time.Duration(est.Bound)), maxLead)
		}
	}
	return lead
}

// shardID identifies a shard in its current attempt, in messages.
func (a *shardAgents) shardID(shard int) *benchdv1.ShardId {
	life := a.run.State.Life
	return wire.FromShard(a.run.Archived.ID, shard, life.Shards[shard].Attempt)
}

// send sends to a shard's agent, if it is connected. A missed message is sent again when the agent returns.
func (a *shardAgents) send(shard int, msg *benchdv1.SessionResponse) {
	if m := a.of(shard); m != nil && m.Boot() == a.run.State.Life.Shards[shard].Boot {
		if s, ok := m.Connected(); ok {
			s.Send(msg)
		}
	}
}

// stop orders a shard's agent to end its work.
func (a *shardAgents) stop(shard int, reason string) {
	a.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{
		Stop: &benchdv1.Stop{Id: a.shardID(shard), Reason: reason},
	}})
}

// release orders a shard's agent to drop it.
func (a *shardAgents) release(shard int) {
	a.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Release{
		Release: &benchdv1.Release{Id: a.shardID(shard)},
	}})
}
