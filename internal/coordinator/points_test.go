package coordinator_test

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// gives answers the next request for raw points.
func (p *fakeAgent) gives(data string, last bool, failed string) *benchdv1.ShardId {
	p.t.Helper()
	order := await(p, (*benchdv1.SessionResponse).GetPoints)
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Points{Points: &benchdv1.PointsPiece{
		Number: order.GetNumber(), Data: []byte(data), Last: last, Error: failed,
	}}})
	return order.GetId()
}

// points requests the raw points of a run; wait returns them.
func (h *harness) points(id string, attempts bool) (wait func() []*benchdv1.PointsResponse) {
	h.t.Helper()
	stream, err := h.runs.Points(h.t.Context(), &benchdv1.PointsRequest{Id: id, Attempts: attempts})
	require.NoError(h.t, err)
	return func() (all []*benchdv1.PointsResponse) {
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return all
			}
			require.NoError(h.t, err)
			all = append(all, m)
		}
	}
}

// The points of a lost agent count as far as its windows do, and are missing while it is away.
func TestPointsOfAttemptsThatOthersFollowedAreFetched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarnessOf(t, 200*time.Millisecond)
		b := newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{
			Agents: 1, WaitAgents: wait(), OnAgentLoss: benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE,
		}, "phase=load", "recordcount=1000")
		require.NoError(t, err)
		b.ready()
		b.loads(b.begin().GetId(), 0, 5, false)
		b.cancel()
		require.Error(t, b.refused())
		h.event(id, "agent b was lost")
		c := newFakeAgent(h, "c").connect()
		c.ready()
		of := await(c, (*benchdv1.SessionResponse).GetStart).GetId()
		c.loads(of, time.Second, 5, true)
		c.hasLoaded(of, 5)
		h.until(id, result.Complete)

		counted := func(m *benchdv1.PointsResponse) {
			t.Helper()
			require.Equal(t, "b", m.GetAgent())
			require.EqualValues(t, 1, m.GetAttempt())
			require.EqualValues(t, 5, m.GetCounted().GetWindows())
			require.EqualValues(t, 500, m.GetCounted().GetOps())
			require.Zero(t, m.GetCounted().GetFromNs())
			require.EqualValues(t, 500*time.Millisecond, m.GetCounted().GetUntilNs())
			require.Empty(t, m.GetCounted().GetLeftOut())
		}
		ended := func(m *benchdv1.PointsResponse) {
			t.Helper()
			require.Equal(t, "c", m.GetAgent())
			require.EqualValues(t, 2, m.GetAttempt())
			require.Nil(t, m.GetCounted())
			require.Equal(t, "of c", string(m.GetData()))
		}

		got := h.points(id, true)
		c.gives("of c", true, "")
		all := got()
		require.Len(t, all, 2)
		counted(all[0])
		require.Contains(t, all[0].GetMissing(), "agent b, which holds raw points, is not connected")
		require.Empty(t, all[0].GetData())
		ended(all[1])

		got = h.points(id, false)
		c.gives("of c", true, "")
		all = got()
		require.Len(t, all, 1, "an older client expects the last attempt alone")
		ended(all[0])

		b = newFakeAgent(h, "b").connect()
		b.welcomed()
		got = h.points(id, true)
		require.EqualValues(t, 1, b.gives("one", false, "").GetAttempt())
		b.gives("two", true, "")
		require.EqualValues(t, 2, c.gives("of c", true, "").GetAttempt())
		all = got()
		require.Len(t, all, 3)
		for i, data := range []string{"one", "two"} {
			counted(all[i])
			require.Empty(t, all[i].GetMissing())
			require.Equal(t, data, string(all[i].GetData()))
		}
		ended(all[2])

		got = h.points(id, true)
		b.gives("one", false, "")
		b.gives("", false, "the file is gone")
		c.gives("of c", true, "")
		all = got()
		require.Len(t, all, 3)
		counted(all[1])
		require.Contains(t, all[1].GetMissing(), "the file is gone")
		ended(all[2])
	})
}
