package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// warm sends a window of a warm-up, with reads that took d each.
func (p *fakeAgent) warm(id *benchdv1.ShardId, seq, ops int, d time.Duration) {
	p.warmAt(id, seq, time.Duration(seq)*100*time.Millisecond, ops, d)
}

// warmAt sends a window of a warm-up that begins at an instant.
func (p *fakeAgent) warmAt(id *benchdv1.ShardId, seq int, start time.Duration, ops int, d time.Duration) {
	var h latency.Histogram
	for range ops {
		h.Record(int64(d))
	}
	w := &latency.Window{
		ID:    latency.WindowID{Run: id.GetRun(), Phase: "warmup", Shard: int(id.GetShard()), Attempt: int(id.GetAttempt()), Seq: seq},
		Start: start, End: start + 100*time.Millisecond,
		Issued: uint64((seq + 1) * ops), Recorded: uint64((seq + 1) * ops),
		Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h}},
	}
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(w)}})
}

// goesOver reports that a warm-up has changed over to measuring.
func (p *fakeAgent) goesOver(id *benchdv1.ShardId, after time.Duration, windows, ops int) {
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: id, Phase: "warmup", EndedNs: int64(after), Windows: uint32(windows),
		Issued: uint64(windows * ops), Recorded: uint64(windows * ops),
	}}})
}

// awaitStart waits for the start of a phase.
func (p *fakeAgent) awaitStart(phase string) *benchdv1.Start {
	return await(p, func(m *benchdv1.SessionResponse) *benchdv1.Start {
		if s := m.GetStart(); s != nil && s.GetPhase() == phase {
			return s
		}
		return nil
	})
}

// awaitStartAndAck waits for the start of a phase and for the acknowledgement of a window, in any order.
func (p *fakeAgent) awaitStartAndAck(phase string, seq uint32) (atRunNs int64) {
	var start *benchdv1.Start
	acked := false
	return await(p, func(m *benchdv1.SessionResponse) *benchdv1.Start {
		if s := m.GetStart(); s != nil && s.GetPhase() == phase {
			start = s
		}
		if a := m.GetAck(); a != nil && a.GetSeq() == seq {
			acked = true
		}
		if !acked {
			return nil
		}
		return start
	}).GetAtRunNs()
}

// warmingUp returns a harness with a run of two agents in its warm-up.
func warmingUp(t *testing.T, grace time.Duration, req *benchdv1.SubmitRequest, settings ...string) (h *harness, id string, agents []*fakeAgent, starts []*benchdv1.Start) {
	h = newHarnessOf(t, grace)
	agents = []*fakeAgent{newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()}
	req.Agents, req.WaitAgents = 2, wait()
	id, err := h.submit(req, append([]string{"duration=300ms"}, settings...)...)
	require.NoError(t, err)
	for _, p := range agents {
		p.ready()
	}
	for _, p := range agents {
		starts = append(starts, p.begin())
	}
	return h, id, agents, starts
}

// measured ends a run whose warm-up had the given number of windows.
func measured(agents []*fakeAgent, starts []*benchdv1.Start, windows int) {
	for i, p := range agents {
		p.goesOver(starts[i].GetId(), time.Duration(windows)*100*time.Millisecond, windows, 10)
		for seq := range 3 {
			p.window(starts[i].GetId(), seq, 10, "OK", seq == 2)
		}
		p.ended(starts[i].GetId(), 3, 10)
	}
}

func steady(run result.Run) *result.Verdict {
	for i := range run.Verdicts {
		if run.Verdicts[i].Name == "steady" {
			return &run.Verdicts[i]
		}
	}
	return nil
}

func TestASteadyWarmUpIsOverForAllAtOneInstantAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.until=steady", "warmup=1m")
		<-time.After(2 * time.Second) // until all windows have ended
		for i, p := range agents {
			for seq := range 20 {
				p.warm(starts[i].GetId(), seq, 10, time.Millisecond)
			}
			p.acked(19)
			if i == 0 {
				h.event(id, "warmup starts")
				require.Nil(t, steady(h.result(id)), "one agent is not the cluster")
			}
		}
		a, b := agents[0].awaitStart("measure"), agents[1].awaitStart("measure")
		require.Equal(t, a.GetAtRunNs(), b.GetAtRunNs())
		require.Zero(t, (a.GetAtRunNs()-starts[0].GetAtRunNs())%int64(100*time.Millisecond), "a whole number of windows")
		require.Greater(t, a.GetAtRunNs(), starts[0].GetAtRunNs())
		h.event(id, "measure begins: steady after 2s of warm-up: throughput: trend p = 1.000")

		h.close()
		h.open()
		for i, p := range agents {
			p.hold([]*benchdv1.Start{a, b}[i])
			p.connect()
		}
		for i, p := range agents {
			require.Equal(t, starts[i].GetAtRunNs(), p.awaitStart("warmup").GetAtRunNs())
			require.Equal(t, a.GetAtRunNs(), p.awaitStart("measure").GetAtRunNs())
		}
		measured(agents, starts, 20)
		h.until(id, result.Complete)
		run := h.result(id)
		require.True(t, run.Reconcile.OK)
		require.True(t, steady(run).Value)
		require.Contains(t, steady(run).Test, "Mann-Kendall")
		require.Len(t, run.Start.Agents, 2)
		require.LessOrEqual(t, run.Start.SkewMS, run.Start.UncertaintyMS, "it is the skew of the warm-up's start")
		require.Less(t, run.Start.Agents[0].LateMS, 1.0)
	})
}

func TestAnUndeliveredChangeOverIsSetAgainAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.ops=100")
		for i, p := range agents {
			for seq := range 10 {
				p.warm(starts[i].GetId(), seq, 10, time.Millisecond)
			}
		}
		var at int64
		for _, p := range agents {
			at = p.awaitStartAndAck("measure", 9) // a window that is not acknowledged would be sent again by an agent, but not by a fakeAgent
		}
		h.close()
		line := wire.ToLine(starts[0].GetTimebase())
		<-time.After(time.Duration(line.Inverse(at) - agents[0].clock.Now())) // it has passed, and they never received it
		h.open()
		for i, p := range agents {
			p.hold(starts[i])
			p.connect()
		}
		again := []*benchdv1.Start{agents[0].awaitStart("measure"), agents[1].awaitStart("measure")}
		require.Equal(t, again[0].GetAtRunNs(), again[1].GetAtRunNs())
		require.Greater(t, again[0].GetAtRunNs(), at)
		require.Zero(t, (again[0].GetAtRunNs()-starts[0].GetAtRunNs())%int64(100*time.Millisecond))
		measured(agents, starts, 10)
		h.until(id, result.Complete)
		require.Nil(t, steady(h.result(id)), "steadiness is not required")
	})
}

func TestAnAgentThatIsAwayAtTheChangeOverGetsItWhenItReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.ops=1000", "warmup=1s")
		a, b := agents[0], agents[1]
		b.cancel()
		at := a.awaitStart("measure").GetAtRunNs()
		require.Equal(t, starts[0].GetAtRunNs()+int64(time.Second), at, "its bound ends it for all")
		h.event(id, "measure begins: the warm-up has reached its limit of 1s, with 0 of 1000 operations")
		b.hold(starts[1])
		b.connect()
		require.Equal(t, at, b.awaitStart("measure").GetAtRunNs())

		// The windows of b begin where it received the change-over: its work before that is in its warm-up.
		for i, p := range agents {
			p.goesOver(starts[i].GetId(), time.Second+time.Duration(i)*100*time.Millisecond, 0, 10)
			for seq := range 3 - i {
				p.windowAt(starts[i].GetId(), seq, time.Duration(seq+i)*100*time.Millisecond, 10, "OK", seq == 2-i)
			}
			p.ended(starts[i].GetId(), 3-i, 10)
		}
		h.until(id, result.Partial)
		require.Equal(t, []string{"agent b: no window of the first 0.1 s of 0.3 s"}, h.result(id).Missing)
	})
}

func TestAWarmUpDoesNotWaitForTheTimeBeforeALateStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.ops=100")
		for seq := range 10 {
			agents[0].warm(starts[0].GetId(), seq, 10, time.Millisecond)
		}
		agents[0].acked(9)
		for seq := range 5 {
			agents[1].warmAt(starts[1].GetId(), seq, time.Duration(seq+5)*100*time.Millisecond, 10, time.Millisecond)
		}
		h.event(id, "measure begins: the warm-up has done")
	})
}

func TestALostAgentDoesNotKeepTheOthersWarmingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 200*time.Millisecond, &benchdv1.SubmitRequest{OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE}, "warmup.ops=100")
		for seq := range 10 {
			agents[0].warm(starts[0].GetId(), seq, 10, time.Millisecond)
		}
		agents[1].cancel()
		agents[0].awaitStart("measure")
		h.event(id, "agent b was lost")
		measured(agents[:1], starts, 10)
		h.until(id, result.Partial)
	})
}

func TestAnAgentThatHasGoneOverTakesTheOthersWithIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.until=steady", "warmup=1m")
		line := wire.ToLine(starts[0].GetTimebase())
		over := starts[0].GetAtRunNs() + int64(200*time.Millisecond)
		<-time.After(time.Duration(line.Inverse(over) - agents[0].clock.Now()))
		for seq := range 2 {
			agents[0].warm(starts[0].GetId(), seq, 10, time.Millisecond)
			agents[1].warm(starts[1].GetId(), seq, 10, time.Millisecond)
		}
		agents[0].goesOver(starts[0].GetId(), 200*time.Millisecond, 2, 10)
		require.Equal(t, over, agents[1].awaitStart("measure").GetAtRunNs())
		measured(agents, starts, 2)
		h.until(id, result.Complete)
		require.False(t, steady(h.result(id)).Value)
	})
}

func TestARunThatEndsInItsWarmUpWasNotSteady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, id, agents, starts := warmingUp(t, 30*time.Second, &benchdv1.SubmitRequest{}, "warmup.until=steady", "warmup=1m")
		h.cancel(id)
		for i, p := range agents {
			await(p, (*benchdv1.SessionResponse).GetStop)
			p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
				Id: starts[i].GetId(), Phase: "warmup", Final: true,
			}}})
		}
		h.until(id, result.Cancelled)
		v := steady(h.result(id))
		require.False(t, v.Value)
		require.Contains(t, v.Because, "not reached: the run ended in its warm-up")
	})
}
