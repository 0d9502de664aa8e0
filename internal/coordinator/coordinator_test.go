package coordinator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestARunOfTwoAgentsEndsCompleteAndReconciles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := h.submitRun(2, "duration=300ms")

		for _, p := range []*fakeAgent{a, b} {
			p.ready()
		}
		for i, p := range []*fakeAgent{a, b} {
			start := p.begin()
			for seq := range 3 {
				p.window(start.GetId(), seq, 10*(i+1), "OK", seq == 2)
			}
			p.window(start.GetId(), 1, 10*(i+1), "OK", false) // sent twice, as after a broken stream
			p.ended(start.GetId(), 3, 10*(i+1))
		}
		h.until(id, result.Complete)

		for _, name := range []string{id, id + ".1"} {
			run := h.result(name)
			require.Equal(t, result.Reconcile{Issued: 90, Recorded: 90, Merged: 90, OK: true}, run.Reconcile)
			require.Empty(t, run.Missing)
			require.Len(t, run.Phases, 1)
			read := run.Phases[0].Operations[0]
			require.EqualValues(t, 90, read.Count)
			require.Len(t, read.Agents, 2)
			require.EqualValues(t, 30, read.Agents[0].Count)
			require.EqualValues(t, 60, read.Agents[1].Count)
			require.NotNil(t, run.Start)
			require.LessOrEqual(t, run.Start.SkewMS, run.Start.UncertaintyMS, "both sent at the announced instant")
		}
	})
}

func TestAnAgentIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bend func(*benchdv1.Hello)
		want error
		says string
	}{
		"whose protocol is another":  {func(h *benchdv1.Hello) { h.Protocol = 99 }, wire.ErrProtocol, "install the same release"},
		"whose name is taken":        {func(h *benchdv1.Hello) { h.BootId = "another" }, wire.ErrNameTaken, "another --name"},
		"whose name cannot be shown": {func(h *benchdv1.Hello) { h.Name = "a\nb" }, wire.ErrBadSpec, "letters, digits"},
		"that has no boot id":        {func(h *benchdv1.Hello) { h.Name, h.BootId = "b", "" }, wire.ErrMalformed, "boot id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				newFakeAgent(h, "a").connect().welcomed()
				p := newFakeAgent(h, "a")
				test.bend(p.hello)
				err := p.connect().refused()
				require.ErrorIs(t, err, test.want)
				require.ErrorContains(t, err, test.says)
			})
		})
	}
}

func TestTooFewAgentsAreRefusedAtOnceOrAfterTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		_, err := h.submit(&benchdv1.SubmitRequest{}, "duration=1s")
		require.ErrorIs(t, err, wire.ErrTooFewAgents)
		require.ErrorContains(t, err, "1 agent needed, 0 connected: start more with `benchd agent --coordinator HOST:PORT`, or wait for them with --wait-agents")

		newFakeAgent(h, "a", "ssd").connect().welcomed()
		_, err = h.submit(&benchdv1.SubmitRequest{Agents: 2}, "duration=1s")
		require.ErrorIs(t, err, wire.ErrTooFewAgents)
		_, err = h.submit(&benchdv1.SubmitRequest{Select: map[string]string{"ssd": "no"}}, "duration=1s")
		require.ErrorContains(t, err, "with ssd=no")

		came := make(chan error, 1)
		go func() {
			_, err := h.submit(&benchdv1.SubmitRequest{Agents: 2, WaitAgents: wait()}, "duration=1s")
			came <- err
		}()
		newFakeAgent(h, "b").connect()
		require.NoError(t, <-came)
	})
}

func TestRunsOnDisjointAgentsGoAtOnceAndAThirdQueuesBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a", "left").connect(), newFakeAgent(h, "b", "right").connect()
		left := &benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"left": "yes"}}
		right := &benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"right": "yes"}}
		first, err := h.submit(left, "duration=1m")
		require.NoError(t, err)
		second, err := h.submit(right, "duration=1m")
		require.NoError(t, err)
		third := h.submitRun(2, "duration=1m")
		fourth, err := h.submit(left, "duration=1m")
		require.NoError(t, err)

		require.Equal(t, first+".1", a.ready().GetId().GetRun())
		require.Equal(t, second+".1", b.ready().GetId().GetRun())
		h.until(first, result.Running)
		h.until(second, result.Running)
		h.until(third, result.Queued)

		// The first ends; its agent is not given to the fourth, which would keep the third waiting.
		start := a.begin()
		h.cancel(first)
		await(a, (*benchdv1.SessionResponse).GetStop)
		a.window(start.GetId(), 0, 1, "OK", true)
		a.ended(start.GetId(), 1, 1)
		h.until(first, result.Cancelled)
		h.until(third, result.Queued)
		h.until(fourth, result.Queued)

		start = b.begin()
		h.cancel(second)
		b.window(start.GetId(), 0, 1, "OK", true)
		b.ended(start.GetId(), 1, 1)
		require.Equal(t, third+".1", a.ready().GetId().GetRun())
		require.Equal(t, third+".1", b.ready().GetId().GetRun())
		h.until(fourth, result.Queued)
		h.cancel(fourth)
		h.until(fourth, result.Cancelled)
	})
}

func TestARestartedCoordinatorEndsTheRunAsIfNothingHadHappened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		queued, err := h.submit(&benchdv1.SubmitRequest{Agents: 1}, "duration=1m")
		require.NoError(t, err)
		a.ready()
		start := a.begin()
		a.window(start.GetId(), 0, 10, "OK", false)
		a.acked(0)

		h.close()
		require.Error(t, a.refused())
		h.open()

		// The agent has gone on: it holds the shard, and two unacknowledged windows.
		now := a.clock.Now()
		line := wire.ToLine(start.GetTimebase())
		a.hello.Held = []*benchdv1.HeldShard{{
			Id: start.GetId(), Phase: "measure", Running: true, Prepared: true, Timebase: wire.FromLine(id+".1", shift(line, now)),
		}}
		a.connect()
		require.Equal(t, "measure", await(a, (*benchdv1.SessionResponse).GetStart).GetPhase(), "a start is sent again")
		a.window(start.GetId(), 0, 10, "OK", false)
		a.window(start.GetId(), 1, 10, "OK", true)
		a.ended(start.GetId(), 2, 10)
		h.until(id, result.Complete)
		run := h.result(id)
		require.Equal(t, result.Reconcile{Issued: 20, Recorded: 20, Merged: 20, OK: true}, run.Reconcile)
		require.Empty(t, run.Missing)

		require.Equal(t, queued+".1", a.ready().GetId().GetRun(), "the queue survives, too")
		h.cancel(queued)
	})
}

func TestALostAgentFailsTheRunOrLeavesItPartial(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy benchdv1.AgentLossPolicy
		want   result.Status
		reason string // in the log
	}{
		{benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_UNSPECIFIED, result.Failed, `status=failed reason="agent b was lost: it was restarted"`},
		{benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE, result.Partial, `status=partial reason="missing: agent b: `},
	} {
		t.Run(string(test.want), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
				id, err := h.submit(&benchdv1.SubmitRequest{Agents: 2, WaitAgents: wait(), OnAgentLoss: test.policy}, "duration=200ms")
				require.NoError(t, err)
				a.ready()
				b.ready()
				start := a.begin()
				lost := b.begin()
				b.window(lost.GetId(), 0, 10, "OK", false)
				b.acked(0)
				b.cancel() // killed, and restarted at once
				require.Error(t, b.refused())
				b.hello.BootId = "another"
				b.connect()

				h.event(id, "restarted")
				a.window(start.GetId(), 0, 10, "OK", true)
				a.ended(start.GetId(), 1, 10)
				h.until(id, test.want)
				run := h.result(id)
				require.Len(t, run.Missing, 1)
				require.Contains(t, run.Missing[0], "agent b")
				synctest.Wait()
				require.True(t, h.logged(test.reason), "the log should have: %s", test.reason)
				require.EqualValues(t, 20, run.Reconcile.Merged)
			})
		})
	}
}

func TestRowsThatAreNotThereFailARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := measuring(t, "duration=1m")
		a.window(start.GetId(), 0, 2000, "NOT_FOUND", false)
		require.Contains(t, await(a, (*benchdv1.SessionResponse).GetStop).GetReason(), "found no row")
		a.window(start.GetId(), 1, 1, "OK", true)
		a.ended(start.GetId(), 2, 1)
		h.until(id, result.Failed)
		require.True(t, h.result(id).Violated)
	})
}

// The flow window of a session does not bound the size of a message.
func TestAWindowMayBeLargerThanASessionsFlowWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := measuring(t, "duration=1m")
		const count, samples = 80, 10_000
		var wide latency.Histogram
		for i := range int64(samples) {
			wide.Record(i * i)
		}
		shard := start.GetId()
		w := &latency.Window{
			ID:  latency.WindowID{Run: shard.GetRun(), Phase: "measure", Shard: int(shard.GetShard()), Attempt: int(shard.GetAttempt())},
			End: 100 * time.Millisecond, Last: true, Issued: count * samples, Recorded: count * samples,
		}
		for i := range count {
			w.Series = append(w.Series, latency.Series{Key: latency.Key{Op: fmt.Sprintf("OP-%02d", i), Outcome: "OK"}, Response: &wide, Service: &wide})
		}
		msg := &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(w)}}
		require.Greater(t, proto.Size(msg), 3*wire.FlowWindow)
		a.send(msg)
		a.acked(0)
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: shard, Phase: "measure", EndedNs: 1e8, Windows: 1, Final: true, Issued: count * samples, Recorded: count * samples,
		}}})
		h.until(id, result.Complete)
		require.Equal(t, result.Reconcile{Issued: count * samples, Recorded: count * samples, Merged: count * samples, OK: true}, h.result(id).Reconcile)
	})
}

func TestAnAgentCannotTouchAnotherAgentsShard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a", "left").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"left": "yes"}}, "duration=1m")
		require.NoError(t, err)
		a.ready()
		start := a.begin()
		b.window(start.GetId(), 0, 10, "OK", true)
		b.ended(start.GetId(), 1, 10)
		await(b, (*benchdv1.SessionResponse).GetRelease)
		h.until(id, result.Running)
		require.Empty(t, h.result(id).Phases)

		a.window(start.GetId(), 0, 5, "OK", true)
		a.ended(start.GetId(), 1, 5)
		h.until(id, result.Complete)
		require.EqualValues(t, 5, h.result(id).Reconcile.Merged)
	})
}

func TestUnknownSuitesAndAgentsAreNamedInErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx := t.Context()
		_, err := h.runs.Cancel(ctx, &benchdv1.CancelRequest{Id: "nope"})
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotFound)
		require.ErrorContains(t, err, `"nope"`)
		_, err = h.runs.Remove(ctx, &benchdv1.RemoveRequest{Id: "nope"})
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotFound)
		_, err = h.runs.Drain(ctx, &benchdv1.DrainRequest{Name: "nope"})
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotFound)
		_, err = h.submit(&benchdv1.SubmitRequest{}, "duration=1s", "requestdistribution=zipfain")
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrBadSpec)
		require.ErrorContains(t, err, "zipfian")
	})
}

func TestOnlyWhatHasEndedIsRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		_, err := h.runs.Remove(t.Context(), &benchdv1.RemoveRequest{Id: id})
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed)
		h.cancel(id)
		h.until(id, result.Cancelled)
		_, err = h.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: id})
		require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed)
		_, err = h.runs.Remove(t.Context(), &benchdv1.RemoveRequest{Id: id})
		require.NoError(t, err)
		list, err := h.runs.List(t.Context(), &benchdv1.ListRequest{})
		require.NoError(t, err)
		require.Empty(t, list.GetSuites())
	})
}

func TestADrainedAgentIsGivenNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		newFakeAgent(h, "a").connect().welcomed()
		_, err := h.runs.Drain(t.Context(), &benchdv1.DrainRequest{Name: "a"})
		require.NoError(t, err)
		_, err = h.submit(&benchdv1.SubmitRequest{}, "duration=1s")
		require.ErrorIs(t, err, wire.ErrTooFewAgents)
		require.ErrorContains(t, err, "1 agent needed, 0 connected and 1 drained: start more with `benchd agent --coordinator HOST:PORT`, "+
			"admit a drained one with `benchctl agents drain NAME --undo`, or wait for them with --wait-agents")
		_, err = h.submit(&benchdv1.SubmitRequest{Select: map[string]string{"ssd": "yes"}}, "duration=1s")
		require.ErrorContains(t, err, "with ssd=yes needed, 0 connected: start more", "the drained one lacks the label")
		_, err = h.runs.Drain(t.Context(), &benchdv1.DrainRequest{Name: "a", Undo: true})
		require.NoError(t, err)
		_, err = h.submit(&benchdv1.SubmitRequest{}, "duration=1s")
		require.NoError(t, err)
	})
}

func (h *harness) cancel(id string) {
	h.t.Helper()
	_, err := h.runs.Cancel(h.t.Context(), &benchdv1.CancelRequest{Id: id, By: "the test"})
	require.NoError(h.t, err)
}

// event waits for an event in a run's timeline.
func (h *harness) event(id, text string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	stream, err := h.runs.Watch(ctx, &benchdv1.WatchRequest{Id: id})
	require.NoError(h.t, err)
	for {
		msg, err := stream.Recv()
		require.NoError(h.t, err, "waiting for %q", text)
		for _, e := range msg.GetEvents() {
			if strings.Contains(e.GetText(), text) {
				return
			}
		}
		require.False(h.t, msg.GetEnded(), "ended without %q", text)
	}
}

// welcomed waits until the agent is in the roster.
func (p *fakeAgent) welcomed() {
	p.t.Helper()
	await(p, (*benchdv1.SessionResponse).GetWelcome)
}

func wait() *durationpb.Duration { return durationpb.New(patience) }

// shift returns the same line with another anchor.
func shift(l clock.Line, x int64) clock.Line { return clock.Line{X: x, Y: l.At(x), Rate: l.Rate} }
