package coordinator_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // to keep the archive from being written

	"github.com/benchd/benchd/internal/archive/sqlite"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// hold lets the fakeAgent return as an agent that has executed the given start.
func (p *fakeAgent) hold(start *benchdv1.Start) {
	line := shift(wire.ToLine(start.GetTimebase()), p.clock.Now())
	p.hello.Held = []*benchdv1.HeldShard{{
		Id: start.GetId(), Phase: start.GetPhase(), Running: true, Prepared: true,
		Timebase: wire.FromLine(start.GetId().GetRun(), line),
	}}
}

func TestQueuedAndPreparingRunsOutliveTheCoordinator(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		queued, err := h.submit(&benchdv1.SubmitRequest{Agents: 1}, "duration=1m")
		require.NoError(t, err)
		order := await(a, (*benchdv1.SessionResponse).GetPrepare)
		h.until(id, result.Preparing)

		// The agent never received the order, which is sent again. Then it prepares while it is disconnected.
		h.close()
		h.open()
		h.until(queued, result.Queued)
		a.connect()
		require.Equal(t, id+".1", await(a, (*benchdv1.SessionResponse).GetPrepare).GetId().GetRun())
		h.close()
		h.open()
		a.hello.Held = []*benchdv1.HeldShard{{Id: order.GetId(), Prepared: true}}
		a.connect()
		start := a.begin()
		a.window(start.GetId(), 0, 5, "OK", true)
		a.ended(start.GetId(), 1, 5)
		h.until(id, result.Complete)
		require.True(t, h.result(id).Reconcile.OK)
		require.Equal(t, queued+".1", await(a, (*benchdv1.SessionResponse).GetPrepare).GetId().GetRun())
		h.cancel(queued)
		h.until(queued, result.Cancelled)
	})
}

func TestAnUndeliveredStartIsSetAgainAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := h.submitRun(2, "duration=1m")
		order := []*benchdv1.Prepare{a.ready(), b.ready()}
		h.until(id, result.Running)
		h.close() // after the instant is set, before it is sent
		h.open()
		for i, p := range []*fakeAgent{a, b} {
			p.hello.Held = []*benchdv1.HeldShard{{Id: order[i].GetId(), Prepared: true}}
			p.connect()
		}
		for _, p := range []*fakeAgent{a, b} {
			start := await(p, (*benchdv1.SessionResponse).GetStart)
			at := wire.ToLine(start.GetTimebase()).Inverse(start.GetAtRunNs())
			require.Greater(t, at, p.clock.Now()-int64(time.Second), "the instant is not one of before the restart")
			p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{
				Id: start.GetId(), Phase: start.GetPhase(), FirstSentAgentNs: at,
			}}})
			p.window(start.GetId(), 0, 5, "OK", true)
			p.ended(start.GetId(), 1, 5)
		}
		h.until(id, result.Complete)
		run := h.result(id)
		require.Len(t, run.Start.Agents, 2)
		require.LessOrEqual(t, run.Start.SkewMS, run.Start.UncertaintyMS)
	})
}

func TestAStartThatOneAgentReceivedIsSentToTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := h.submitRun(2, "duration=1m")
		a.ready()
		order := b.ready()
		start := a.begin()
		h.close()
		h.open()
		b.hello.Held = []*benchdv1.HeldShard{{Id: order.GetId(), Prepared: true}}
		b.connect().welcomed() // it returns first, without the run's time
		a.hold(start)
		a.connect()
		again := await(b, (*benchdv1.SessionResponse).GetStart)
		require.Equal(t, start.GetAtRunNs(), again.GetAtRunNs())
		ours := wire.ToLine(start.GetTimebase()).Inverse(start.GetAtRunNs())
		theirs := wire.ToLine(again.GetTimebase()).Inverse(again.GetAtRunNs())
		require.InDelta(t, a.clock.Now()-ours, b.clock.Now()-theirs, 50e6, "it is the same instant")
		h.cancel(id)
		a.drop(start.GetId())
		b.drop(order.GetId())
		h.until(id, result.Cancelled)
	})
}

// drop lets the fakeAgent end its shard without a window.
func (p *fakeAgent) drop(id *benchdv1.ShardId) {
	await(p, (*benchdv1.SessionResponse).GetStop)
	p.ended(id, 0, 0)
}

func TestACancelEndsARunAtEveryStage(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"preparing", "starting", "stopping"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				a := newFakeAgent(h, "a").connect()
				id := h.submitRun(1, "duration=1m")
				order := await(a, (*benchdv1.SessionResponse).GetPrepare)
				if stage == "preparing" {
					h.cancel(id)
					require.Equal(t, order.GetId().GetRun(), await(a, (*benchdv1.SessionResponse).GetRelease).GetId().GetRun())
					h.until(id, result.Cancelled)
					return
				}
				a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId()}}})
				await(a, (*benchdv1.SessionResponse).GetStart)
				h.cancel(id)
				if stage == "stopping" {
					h.until(id, result.Stopping)
					h.cancel(id)
				}
				a.drop(order.GetId())
				h.until(id, result.Cancelled)
				require.Equal(t, "cancelled by the test", h.result(id).Reason)
			})
		})
	}
}

func TestAMalformedAgentSpoilsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := h.submitRun(1, "duration=1m")
		order := await(a, (*benchdv1.SessionResponse).GetPrepare)
		ended := func(phase string) {
			a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
				Id: order.GetId(), Phase: phase, Final: true, Windows: 2_000_000_000, EndedNs: -5, Left: "",
			}}})
		}
		ended("measure")
		ended("nonsense")
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{Id: order.GetId(), Phase: "measure"}}})
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{
			Id: &benchdv1.ShardId{Run: id + ".1", Shard: 1_000_000, Attempt: 1_000_000},
		}}})
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: order.GetId()}}})
		start := a.begin()
		var empty latency.Histogram
		empty.Record(1)
		for _, bent := range []latency.WindowID{
			{Run: id + ".1", Phase: "nonsense", Attempt: 1},
			{Run: id + ".1", Phase: "measure", Attempt: 1, Shard: 1_000_000},
			{Run: id + ".1", Phase: "measure", Attempt: 7},
			{Run: "nonsense", Phase: "measure", Attempt: 1},
		} {
			bent.Seq = 77
			a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
				ID: bent, Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &empty, Service: &empty}},
			})}})
			a.acked(77) // it need not keep it
		}
		a.window(start.GetId(), 0, 5, "OK", true)
		a.ended(start.GetId(), 1, 5)
		h.until(id, result.Complete)
		require.Equal(t, result.Reconcile{Issued: 5, Recorded: 5, Merged: 5, OK: true}, h.result(id).Reconcile)
	})
}

// A window that ends in eighteen years ends its stream with the reason, also with status lines; the run, and another one
// beside it, go on.
func TestAWindowBeyondTheBoundsIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		evil, honest := newFakeAgent(h, "evil", "evil").connect(), newFakeAgent(h, "honest", "honest").connect()
		far, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"evil": "yes"}}, "duration=1m", "status=true")
		require.NoError(t, err)
		id, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"honest": "yes"}}, "duration=1m")
		require.NoError(t, err)
		evil.ready()
		honest.ready()
		start, fair := evil.begin(), honest.begin()
		var one latency.Histogram
		one.Record(1)
		evil.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
			ID:  latency.WindowID{Run: start.GetId().GetRun(), Phase: "measure", Attempt: 1},
			End: 1 << 59, Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &one, Service: &one}},
		})}})
		refused := evil.refused()
		require.ErrorIs(t, refused, wire.ErrMalformed)
		require.EqualError(t, refused, "Window.end_ns is 576460752303423488: it must be from 0 to 315360000000000000")
		honest.window(fair.GetId(), 0, 5, "OK", true)
		honest.ended(fair.GetId(), 1, 5)
		h.until(id, result.Complete)
		require.Equal(t, uint64(5), h.result(id).Reconcile.Merged)
		require.NotEmpty(t, far)
	})
}

func TestAnAgentThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		deaf := newFakeAgent(h, "deaf")
		stream := deaf.open()
		var none latency.Histogram
		w := wire.FromWindow(&latency.Window{ID: latency.WindowID{Run: "nonsense", Phase: "measure", Attempt: 1}, Series: []latency.Series{
			{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &none, Service: &none},
		}})
		go func() {
			for { // each is answered, until both directions are blocked
				if stream.Send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}) != nil {
					return
				}
			}
		}()
		require.Eventually(t, func() bool { return h.logged("does not read its messages") }, patience, 50*time.Millisecond)
		require.Eventually(t, func() bool {
			resp, err := h.runs.Agents(t.Context(), &benchdv1.AgentsRequest{})
			require.NoError(t, err)
			return !resp.GetAgents()[0].GetConnected()
		}, patience, 50*time.Millisecond)
	})
}

func TestAnArchiveThatCannotBeWrittenDelaysNothingForever(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, a, id, start := measuring(t, "duration=1m")
		h.event(id, "measure starts")

		db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, sqlite.FileName)+"?_pragma=busy_timeout(5000)")
		require.NoError(t, err)
		defer db.Close()
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		require.NoError(t, err)
		for seq := range 1000 {
			a.window(start.GetId(), seq, 1, "OK", seq == 999)
		}
		a.ended(start.GetId(), 1000, 1)
		require.Eventually(t, func() bool { return h.logged("archive windows") }, patience, 10*time.Millisecond, "the archive's own patience ends")
		select {
		case msg := <-a.in:
			require.Nil(t, msg.GetAck(), "only archived windows are acknowledged")
		default:
		}
		_, err = conn.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
		h.until(id, result.Complete)
		require.Equal(t, result.Reconcile{Issued: 1000, Recorded: 1000, Merged: 1000, OK: true}, h.result(id).Reconcile)
	})
}

func TestAnAgentThatComesBackTooLateIsFreeForTheNextRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarnessOf(t, 200*time.Millisecond)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "duration=1m")
		require.NoError(t, err)
		a.ready()
		b.ready()
		a.begin()
		start := b.begin()
		b.cancel()
		require.Error(t, b.refused())
		h.event(id, "not connected for")
		next, err := h.submit(&benchdv1.SubmitRequest{Agents: 1}, "duration=1m")
		require.NoError(t, err)
		b.hold(start)
		b.connect()
		require.Equal(t, next+".1", b.ready().GetId().GetRun())
		h.until(id, result.Running)
	})
}

// An agent is killed and restarted while its windows are on their way: earlier measurements count, and the result reports
// from when on the agent is missing.
func TestARestartedAgentDeliversTheWindowsInItsSpool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "duration=1m")
		require.NoError(t, err)
		a.ready()
		b.ready()
		start, lost := a.begin(), b.begin()
		b.window(lost.GetId(), 0, 7, "OK", false)
		b.acked(0)
		b.cancel() // killed
		require.Error(t, b.refused())

		a.window(start.GetId(), 0, 5, "OK", true)
		a.ended(start.GetId(), 1, 5)
		a.acked(0)

		b.hello.BootId = "another"
		b.hello.Held = []*benchdv1.HeldShard{{
			Id: lost.GetId(), Phase: "measure", Recovered: true, BootId: "boot-b",
			Ended: []*benchdv1.PhaseEnded{{Id: lost.GetId(), Phase: "measure", EndedNs: 3e8, Windows: 3, Issued: 21, Recorded: 21, Final: true, Left: "the agent was restarted"}},
		}}
		b.connect()
		h.event(id, "was restarted")
		b.window(lost.GetId(), 0, 7, "OK", false) // once more: the acknowledgement was lost
		b.window(lost.GetId(), 1, 7, "OK", false)
		b.window(lost.GetId(), 2, 7, "OK", false)
		h.until(id, result.Partial)
		run := h.result(id)
		require.Equal(t, result.Reconcile{Issued: 26, Recorded: 26, Merged: 26, OK: true}, run.Reconcile)
		require.Equal(t, []string{"agent b: lost at 0.3 s of 60 s: the agent was restarted"}, run.Missing)
		require.Equal(t, lost.GetId().GetRun(), await(b, (*benchdv1.SessionResponse).GetRelease).GetId().GetRun())

		next, err := h.submit(&benchdv1.SubmitRequest{Agents: 2}, "duration=1m")
		require.NoError(t, err)
		a.ready() // the steward's turn comes first
		b.ready()
		h.cancel(next)
	})
}
