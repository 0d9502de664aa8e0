package conductor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
)

// farAway returns a probe of an agent with the given one-way delay and a clock equal to ours.
func farAway(source *clock.Source, oneWay time.Duration) clock.Probe {
	now := source.Now()
	return clock.Probe{Sent: now - int64(oneWay), PeerReceived: now, PeerSent: now, Received: now + int64(oneWay)}
}

func TestAStartIsAnnouncedFurtherAheadToAgentsThatAreFarAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, all := clock.NewSource(clock.Skew{}), roster.New()
		agents := newShardAgents(underWay(2, plan.Phase{Name: plan.Measure}), all, source)
		require.Equal(t, startLead+2*leadOfEach, agents.lead(), "their clocks are unknown")
		a, _ := connect(t, all, "a", "1")
		b, _ := connect(t, all, "b", "1")
		a.AddProbe(farAway(source, time.Millisecond))
		require.Equal(t, startLead+2*leadOfEach, agents.lead())
		b.AddProbe(farAway(source, 100*time.Millisecond))
		require.Equal(t, time.Second, agents.lead())
		a.AddProbe(farAway(source, time.Minute))
		require.Equal(t, time.Second, agents.lead(), "the better of two probes counts")
		agents.run.State.Life.Shards[1].State = lifecycle.Lost
		require.Equal(t, startLead+leadOfEach, agents.lead())
	})
}

func TestALeadIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, all := clock.NewSource(clock.Skew{}), roster.New()
		agents := newShardAgents(underWay(1, plan.Phase{Name: plan.Measure}), all, source)
		a, _ := connect(t, all, "a", "1")
		a.AddProbe(farAway(source, time.Minute))
		require.Equal(t, maxLead, agents.lead())
	})
}

// A run goes on without knowing the clock of an agent only when the agent is lost.
func TestClocksAreKnownWhenThoseOfAllAgentsAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, all := clock.NewSource(clock.Skew{}), roster.New()
		agents := newShardAgents(underWay(2, plan.Phase{Name: plan.Measure}), all, source)
		a, _ := connect(t, all, "a", "1")
		a.AddProbe(farAway(source, time.Millisecond))
		require.False(t, agents.clocksKnown(), "b never came")
		b, _ := connect(t, all, "b", "1")
		require.False(t, agents.clocksKnown(), "b has not answered")
		require.Len(t, agents.sessions(), 2)
		b.AddProbe(farAway(source, time.Millisecond))
		require.True(t, agents.clocksKnown())
		agents.away[1] = clock.Mono()
		require.False(t, agents.clocksKnown(), "b is away")
		delete(agents.away, 1)
		agents.run.State.Life.Shards[1].State = lifecycle.Orphan
		require.Len(t, agents.sessions(), 1)
		require.True(t, agents.clocksKnown(), "b is lost")
	})
}

func TestAShardIsOwnedByOneProcessInOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := roster.New()
		agents := newShardAgents(underWay(2, plan.Phase{Name: plan.Measure}), all, clock.NewSource(clock.Skew{}))
		session := func(name, boot string) *roster.Session {
			m, _ := connect(t, all, name, boot)
			s, _ := m.Connected()
			return s
		}
		a, restarted := session("a", "1"), session("b", "2")
		require.True(t, agents.owns(a, 0, 1))
		require.False(t, agents.owns(a, 0, 2), "it is of another attempt")
		require.False(t, agents.owns(a, 1, 1), "it is that of b")
		require.False(t, agents.owns(a, 2, 1))
		require.False(t, agents.owns(a, -1, 1))
		require.False(t, agents.owns(restarted, 1, 1), "it was assigned to the previous process")
	})
}

// A message to a shard reaches only the process that holds the shard.
func TestOrdersReachTheProcessThatHoldsTheShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := roster.New()
		agents := newShardAgents(underWay(3, plan.Phase{Name: plan.Measure}), all, clock.NewSource(clock.Skew{}))
		_, toA := connect(t, all, "a", "1")
		_, toB := connect(t, all, "b", "2")
		for shard := range 3 {
			agents.stop(shard, "enough")
			agents.release(shard)
		}
		synctest.Wait()
		require.Len(t, toA, 2)
		stop := (<-toA).GetStop()
		require.Equal(t, "enough", stop.GetReason())
		require.Equal(t, "S.1", stop.GetId().GetRun())
		require.EqualValues(t, 1, stop.GetId().GetAttempt())
		require.Zero(t, (<-toA).GetRelease().GetId().GetShard())
		require.Empty(t, toB, "its process does not hold the shard")
	})
}
