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

// firstSentAt reports an agent's first operation of a load, the given time after the planned start.
func (p *fakeAgent) firstSentAt(start *benchdv1.Start, late time.Duration) {
	line := wire.ToLine(start.GetTimebase())
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{
		Id: start.GetId(), Phase: start.GetPhase(), FirstSentAgentNs: line.Inverse(start.GetAtRunNs() + int64(late)),
	}}})
}

// loads sends windows of a load by one worker, a hundred rows each, that begin at an instant.
func (p *fakeAgent) loads(id *benchdv1.ShardId, start time.Duration, windows int, last bool) {
	for seq := range windows {
		var h latency.Histogram
		for i := range int64(100) {
			h.Record(int64(time.Millisecond) + i)
		}
		rows := uint64(100 * (seq + 1))
		w := &latency.Window{
			ID:    latency.WindowID{Run: id.GetRun(), Phase: "load", Shard: int(id.GetShard()), Attempt: int(id.GetAttempt()), Seq: seq},
			Start: start + time.Duration(seq)*100*time.Millisecond, Last: last && seq == windows-1,
			Rows: 100, Issued: rows, Recorded: rows, Loaded: []int64{int64(rows)},
			Series: []latency.Series{{Key: latency.Key{Op: "INSERT", Outcome: "OK"}, Response: &h, Service: &h}},
		}
		w.End = w.Start + 100*time.Millisecond
		p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(w)}})
		p.acked(seq)
	}
}

// hasLoaded reports that a shard's load is over.
func (p *fakeAgent) hasLoaded(id *benchdv1.ShardId, windows uint32) {
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: id, Phase: "load", Final: true, Windows: windows, Issued: uint64(windows) * 100, Recorded: uint64(windows) * 100,
	}}})
}

// The windows of a later attempt belong to the intervals of the other shards at the same time, whatever their sequence
// numbers.
func TestASeriesKeepsItsPercentilesAfterAHandover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const windows, lostAfter = 60, 5
		h := newHarnessOf(t, 200*time.Millisecond)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "phase=load", "recordcount=10000")
		require.NoError(t, err)
		a.ready()
		b.ready()
		ofA, ofB := a.begin(), b.begin()
		b.loads(ofB.GetId(), 0, lostAfter, false)
		b.cancel()
		require.Error(t, b.refused())
		h.event(id, "agent b was lost")
		c := newFakeAgent(h, "c").connect()
		c.ready()
		ofC := await(c, (*benchdv1.SessionResponse).GetStart)
		a.loads(ofA.GetId(), 0, windows, true)
		c.loads(ofC.GetId(), 3*time.Second, windows/2, true)
		a.hasLoaded(ofA.GetId(), windows)
		c.hasLoaded(ofC.GetId(), windows/2)
		h.until(id, result.Complete)
		series := h.result(id).Phases[0].Series
		require.Len(t, series, windows)
		for _, p := range series {
			require.NotNil(t, p.Operations[0].P50, "at %v s", p.T)
		}
		require.EqualValues(t, 200, series[windows-1].Ops)
	})
}

// An agent that takes a load over from a lost one starts late; that does not count as skew.
func TestOnlyFirstAttemptsCountForTheSkewOfTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarnessOf(t, 200*time.Millisecond)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "phase=load")
		require.NoError(t, err)
		a.ready()
		b.ready()
		start := a.begin()
		b.begin()
		b.cancel()
		require.Error(t, b.refused())
		h.event(id, "agent b was lost")

		c := newFakeAgent(h, "c").connect()
		require.EqualValues(t, 2, c.ready().GetId().GetAttempt())
		again := await(c, (*benchdv1.SessionResponse).GetStart)
		c.firstSentAt(again, 12*time.Second)
		for _, s := range []struct {
			p     *fakeAgent
			start *benchdv1.Start
		}{{a, start}, {c, again}} {
			s.p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
				Id: s.start.GetId(), Phase: "load", Final: true,
			}}})
		}
		h.until(id, result.Complete)
		run := h.result(id)
		var names []string
		for _, s := range run.Start.Agents {
			names = append(names, s.Name)
		}
		require.ElementsMatch(t, []string{"a", "b"}, names)
		require.Less(t, run.Start.SkewMS, 1.0)
	})
}

// The wait for a lost agent is a setting; the default would keep the load idle for 40 s.
func TestALoadIsHandedOverAfterTheTimeThatItsSettingsGive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 2, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "phase=load", "recordcount=10000", "handover.after=1s")
		require.NoError(t, err)
		a.ready()
		b.ready()
		ofA, ofB := a.begin(), b.begin()
		b.loads(ofB.GetId(), 0, 5, false)
		b.cancel()
		require.Error(t, b.refused())
		h.event(id, "agent b is not connected; it has 1s to come back")
		a.loads(ofA.GetId(), 0, 10, true)
		a.hasLoaded(ofA.GetId(), 10)

		again := a.ready()
		require.Equal(t, ofB.GetId().GetShard(), again.GetId().GetShard())
		require.EqualValues(t, 2, again.GetId().GetAttempt())
		require.Equal(t, []int64{500}, again.GetLoaded())
		await(a, (*benchdv1.SessionResponse).GetStart)
		a.loads(again.GetId(), 2*time.Second, 5, true)
		a.hasLoaded(again.GetId(), 5)
		h.until(id, result.Complete)
		require.Equal(t, []result.Handover{{Shard: int(again.GetId().GetShard()), From: "b", To: "a", T: 0.5, Seconds: 1.5}}, h.result(id).Phases[0].Handovers)
	})
}
