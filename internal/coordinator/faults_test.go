package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// faulty submits a run on a sandbox that has a fault added.
func faulty(h *harness, agents int, flags ...string) string {
	id, err := h.submit(&benchdv1.SubmitRequest{Agents: uint32(agents), WaitAgents: wait()}, append(flags,
		"db=sandbox", "hbase.zookeeper.quorum=127.0.0.1:1", "operationcount=20", "actions=10ms fault stall op=get")...)
	require.NoError(h.t, err)
	return id
}

// withFault starts such a run on one agent, which adds the fault.
func withFault(h *harness, a *fakeAgent) (id string, start *benchdv1.Start) {
	id = faulty(h, 1)
	a.ready()
	start = a.begin()
	a.addsFault()
	h.event(id, "fault stall op=get ended after")
	return id, start
}

// cleared answers the order to clear a run's faults.
func (p *fakeAgent) cleared(run string, outcome benchdv1.ActionOutcome) {
	p.t.Helper()
	order := p.acts(outcome, "no")
	require.Equal(p.t, plan.ClearFaults, order.GetName())
	require.Equal(p.t, map[string]string{plan.OwnFaults: "true"}, order.GetArgs())
	require.Equal(p.t, run, order.GetRun())
	require.Equal(p.t, "sandbox", order.GetTarget())
	require.Equal(p.t, "127.0.0.1:1", order.GetProperties()["hbase.zookeeper.quorum"])
}

func (p *fakeAgent) addsFault() {
	p.t.Helper()
	order := p.acts(benchdv1.ActionOutcome_ACTION_OUTCOME_DONE, "")
	require.Equal(p.t, map[string]string{"kind": "stall", "op": "get"}, order.GetArgs())
}

// The faults that a run has added to a sandbox are cleared before the end of the run is reported, however the run ends.
func TestFaultsEndWithTheirRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, start := withFault(h, a)
		over(a, start)
		a.cleared(id+".1", benchdv1.ActionOutcome_ACTION_OUTCOME_DONE)
		h.until(id, result.Complete)
		h.event(id, "at the run's end: done")

		id, start = withFault(h, a)
		h.cancel(id)
		over(a, start)
		a.cleared(id+".1", benchdv1.ActionOutcome_ACTION_OUTCOME_DONE)
		h.until(id, result.Cancelled)
	})
}

// The process that added a fault may be gone: another agent clears it. If none can, the timeline names the commands.
func TestFaultsOfARunThatHasLostItsAgentAreEndedByAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarnessOf(t, 300*time.Millisecond)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := faulty(h, 2)
		a.ready()
		b.ready()
		a.begin()
		start := b.begin()
		a.addsFault()
		h.event(id, "fault stall op=get ended after")
		a.cancel()
		over(b, start)
		b.cleared(id+".1", benchdv1.ActionOutcome_ACTION_OUTCOME_DONE)
		h.until(id, result.Failed)
		h.event(id, "at the run's end: done")
	})
}

func TestFaultsThatMayRemainAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a := newFakeAgent(h, "a").connect()
		id, start := withFault(h, a)
		over(a, start)
		a.cleared(id+".1", benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED)
		h.until(id, result.Complete)
		h.event(id, "faults that the run has added may remain: no; list them with `benchctl sandbox fault list`")
	})
}
