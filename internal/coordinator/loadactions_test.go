package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// loads submits a run whose agents load a table, which ends with actions.
func loads(h *harness, agents ...*fakeAgent) string {
	id, err := h.submit(&benchdv1.SubmitRequest{Agents: uint32(len(agents)), WaitAgents: wait()},
		"db=hbase", "columnfamily=cf", "phase=load", "insertproportion=1", "hbase.after.load=flush,wait_for_quiet")
	require.NoError(h.t, err)
	for _, p := range agents {
		p.ready()
	}
	for _, p := range agents {
		start := p.begin()
		p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
			Id: start.GetId(), Phase: "load", EndedNs: 1e8, Final: true,
		}}})
	}
	return id
}

// loaded is what an agent holds that has loaded its shard of loads and connects again.
func loaded(id string) []*benchdv1.HeldShard {
	shard := &benchdv1.ShardId{Run: id + ".1", Attempt: 1}
	return []*benchdv1.HeldShard{{
		Id: shard, Phase: "load", Prepared: true,
		Ended: []*benchdv1.PhaseEnded{{Id: shard, Phase: "load", EndedNs: 1e8, Final: true}},
	}}
}

func TestALoadEndsWithItsActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := loads(h, a, b)
		flush := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, "flush", flush.GetName())
		require.Equal(t, id+".1", flush.GetRun())
		require.Equal(t, "hbase", flush.GetTarget())
		require.Equal(t, "cf", flush.GetProperties()["columnfamily"])
		quiet := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, "wait_for_quiet", quiet.GetName())
		require.NotEqual(t, flush.GetId(), quiet.GetId())
		h.until(id, result.Complete)
		for _, text := range []string{"flush begins on agent a", "flush: done", "flush ended after", "wait_for_quiet ended after"} {
			h.event(id, text)
		}
	})
}

func TestAnActionThatFailsFailsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := loads(h, a)
		a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, "the disk is full")
		h.until(id, result.Failed)
		h.event(id, "flush failed after")
		require.Contains(t, h.result(id).Reason, "the disk is full")
	})
}

// A flush may be repeated without harm, a split may not: an action ordered before a restart of the coordinator is
// requested again by its id, from the same agent.
func TestAnActionOutlivesTheCoordinator(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := loads(h, a)
		order := await(a, (*benchdv1.SessionResponse).GetAction)
		h.close()
		h.open()
		a.hello.Held = loaded(id)
		a.connect()
		again := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		require.Equal(t, order.GetId(), again.GetId())
		next := a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		for next.GetId() == order.GetId() { // ordered again before the answer came: an agent does it once
			next = a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
		}
		require.Equal(t, "wait_for_quiet", next.GetName())
		h.until(id, result.Complete)
	})
}

// Setting the clock while the coordinator is down does not use up the time of an action.
func TestAnActionOutlivesAClockThatIsSet(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"forward": 100 * time.Hour, "back": -100 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				a := newFakeAgent(h, "a").connect()
				id := loads(h, a)
				await(a, (*benchdv1.SessionResponse).GetAction)
				h.close()
				h.skew.Offset = by
				h.open()
				a.hello.Held = loaded(id)
				a.connect()
				<-time.After(1500 * time.Millisecond) // it would have timed out by now
				for a.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "").GetName() == "flush" {
				}
				h.until(id, result.Complete)
				h.event(id, "flush ended")
			})
		})
	}
}

func TestALostAgentLeavesItsActionUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := loads(h, a, b)
		await(a, (*benchdv1.SessionResponse).GetAction)
		a.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Leaving{Leaving: &benchdv1.Leaving{Reason: "terminated"}}})
		h.until(id, result.Failed)
		require.Contains(t, h.result(id).Reason, "whether it was done is not known")
	})
}

func TestACancelAbandonsTheAction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id := loads(h, a)
		order := await(a, (*benchdv1.SessionResponse).GetAction)
		h.cancel(id)
		require.Equal(t, order.GetId(), await(a, (*benchdv1.SessionResponse).GetCancelAction).GetId())
		h.until(id, result.Cancelled)
	})
}
