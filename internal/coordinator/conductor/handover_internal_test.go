package conductor

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// loading returns the handover of a run in its load, with agents a, b and c. The run survives the loss of an agent.
func loading(host Host) *handover {
	r := underWay(3, plan.Phase{Name: plan.Load})
	r.State.Life.Policy = lifecycle.ContinueOnLoss
	return &handover{run: r, host: host, grace: DefaultGrace, orphans: make(map[int]clock.Instant)}
}

// adopter is a host that has agents for some shards.
type adopter struct {
	Host  // the handover uses nothing else of it
	adopt func(shard int, spare bool) *roster.Agent
}

func (a adopter) Adopt(_ *record.Run, shard int, spare bool) *roster.Agent {
	return a.adopt(shard, spare)
}

// The setting shortens how long a load waits for an agent that is away, but not how long a measurement does.
func TestHowLongAnAgentMayBeAway(t *testing.T) {
	for name, test := range map[string]struct {
		setting        time.Duration
		phase          plan.PhaseName
		away, orphaned time.Duration
	}{
		"by default":                {0, plan.Load, 30 * time.Second, 10 * time.Second},
		"at once":                   {time.Nanosecond, plan.Load, time.Nanosecond, 0},
		"sooner":                    {20 * time.Second, plan.Load, 20 * time.Second, 0},
		"later":                     {time.Minute, plan.Load, 30 * time.Second, 30 * time.Second},
		"sooner, while it measures": {20 * time.Second, plan.Measure, 30 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := loading(nil)
			h.run.State.Life.Phases = []plan.Phase{{Name: test.phase}}
			h.run.Settings.HandoverAfter = test.setting
			require.Equal(t, test.away, h.maxAway())
			require.Equal(t, test.orphaned, h.spareAfter())
		})
	}
}

// An idle agent takes a shard over at once; one of the run that has finished its own shard, only after a while.
func TestAShardWithoutAgentIsTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := roster.New()
		d, _ := connect(t, all, "d", "1")
		a, _ := connect(t, all, "a", "1")
		type taken struct {
			shard int
			agent string
		}
		var adopted []taken
		free := []*roster.Agent{d}
		h := loading(adopter{adopt: func(_ int, spare bool) *roster.Agent {
			if len(free) > 0 {
				m := free[0]
				free = free[1:]
				return m
			}
			if spare {
				return a
			}
			return nil
		}})
		shards := h.run.State.Life.Shards
		shards[1].State, shards[2].State = lifecycle.Orphan, lifecycle.Orphan
		take := func(shard int, m *roster.Agent) {
			adopted = append(adopted, taken{shard, m.Name})
			shards[shard].State = lifecycle.Assigned
		}
		h.orphaned(1, clock.Mono())
		h.adopt(clock.Mono(), take)
		require.Equal(t, []taken{{1, "d"}}, adopted)
		h.orphaned(2, clock.Mono())
		<-time.After(9 * time.Second)
		h.adopt(clock.Mono(), take)
		require.Len(t, adopted, 1, "an idle agent may still take a's")
		<-time.After(time.Second)
		h.adopt(clock.Mono(), take)
		require.Equal(t, []taken{{1, "d"}, {2, "a"}}, adopted)
		h.adopt(clock.Mono(), take)
		require.Len(t, adopted, 2, "each is handed out once")
	})
}

// A shard that the run has abandoned is not handed out.
func TestAShardThatIsGivenUpIsNotTakenUp(t *testing.T) {
	h := loading(adopter{adopt: func(int, bool) *roster.Agent { panic("no agent is needed") }})
	h.orphaned(1, clock.Mono())
	h.run.State.Life.Shards[1].State = lifecycle.Lost
	h.adopt(clock.Mono(), nil)
	require.Empty(t, h.orphans)
}

// The order of two searches does not matter, but the second sees the shard of the first taken over.
func TestOrphansAreTakenUpOneByOne(t *testing.T) {
	var h *handover
	h = loading(adopter{adopt: func(int, bool) *roster.Agent {
		if slices.ContainsFunc(h.run.State.Life.Shards, func(sh lifecycle.Shard) bool { return sh.Agent == "d" }) {
			return nil // it is busy
		}
		return &roster.Agent{Name: "d"}
	}})
	for shard := 1; shard < 3; shard++ {
		h.run.State.Life.Shards[shard].State = lifecycle.Orphan
		h.orphaned(shard, clock.Mono())
	}
	h.adopt(clock.Mono(), func(shard int, m *roster.Agent) { h.run.State.Life.Shards[shard].Agent = m.Name })
	require.Len(t, h.orphans, 1)
}

func TestASuccessorIsGrantedTheWorkersOfTheAgentBeforeIt(t *testing.T) {
	h := loading(nil)
	h.run.State.Agents = []result.Agent{{Name: "a", Shard: 0, Workers: 3}, {Name: "b", Shard: 1, Workers: 2}}
	h.run.State.Life.Shards[1].Attempt = 2
	granted := h.grant(1, result.Agent{Name: "d", Shard: 1, Attempt: 1, Workers: h.workers(1), Connection: "TLS"})
	require.Equal(t, result.Agent{Name: "d", Shard: 1, Attempt: 3, Workers: 2, Connection: "TLS"}, granted)
	require.Equal(t, granted, h.run.State.Agents[2])
	require.Zero(t, h.workers(2))
}

// handedOver is an archive with the progress of earlier attempts at a load.
type handedOver struct {
	Archive // the handover uses nothing else of it
	err     error
}

func (a handedOver) HandOver(_ context.Context, run string, shard, attempt int) ([]int64, error) {
	return []int64{int64(len(run)), int64(shard), int64(attempt)}, a.err
}

func TestAReassignedShardContinuesAtItsArchivedPosition(t *testing.T) {
	h := loading(nil)
	h.archive = handedOver{}
	part := &plan.Shard{Run: "S.1", Index: 1, Attempt: 2}
	require.NoError(t, h.resumeAt(t.Context(), part))
	require.Equal(t, []int64{3, 1, 2}, part.Loaded)
	broken := errors.New("the disk is full")
	h.archive = handedOver{err: broken}
	require.ErrorIs(t, h.resumeAt(t.Context(), part), broken)
}

// The shards are computed once, and again for an agent that takes one over.
func TestPartsAreCutAgainForASuccessor(t *testing.T) {
	h := loading(nil)
	h.run.Settings.ThreadsTotal = 6
	first, err := h.part(0)
	require.NoError(t, err)
	require.Equal(t, "a", first.Agent)
	same, err := h.part(0)
	require.NoError(t, err)
	require.Same(t, first, same)
	sh := &h.run.State.Life.Shards[1]
	sh.Agent, sh.Attempt = "d", 2
	again, err := h.part(1)
	require.NoError(t, err)
	require.Equal(t, "d", again.Agent)
	require.Equal(t, 2, again.Attempt)
	require.Equal(t, 2, again.Workers)
}
