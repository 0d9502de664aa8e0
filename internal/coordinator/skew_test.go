package coordinator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// firstSentAt says when an agent's first operation of a load was sent, after the planned start.
func (p *puppet) firstSentAt(start *benchdv1.Start, late time.Duration) {
	line := wire.ToLine(start.GetTimebase())
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{
		Id: start.GetId(), Phase: start.GetPhase(), FirstSentAgentNs: line.Inverse(start.GetAtRunNs() + int64(late)),
	}}})
}

// An agent that takes a load up from a lost one begins when it can: that is no skew of the start.
func TestOnlyFirstAttemptsCountForTheSkewOfTheStart(t *testing.T) {
	t.Parallel()
	h := newHouseOf(t, 200*time.Millisecond)
	a, b := newPuppet(h, "a").connect(), newPuppet(h, "b").connect()
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

	c := newPuppet(h, "c").connect()
	require.EqualValues(t, 2, c.ready().GetId().GetAttempt())
	again := await(c, (*benchdv1.SessionResponse).GetStart)
	c.firstSentAt(again, 12*time.Second)
	for _, s := range []struct {
		p     *puppet
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
}
