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

// insert sends a window without operations that tells how far the shard has come with its inserts.
func (p *fakeAgent) insert(id *benchdv1.ShardId, seq int, watermark int64, last bool) {
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
		ID:    latency.WindowID{Run: id.GetRun(), Phase: "measure", Shard: int(id.GetShard()), Attempt: int(id.GetAttempt()), Seq: seq},
		Start: time.Duration(seq) * 100 * time.Millisecond, End: time.Duration(seq+1) * 100 * time.Millisecond,
		Last: last, Watermark: watermark,
	})}})
}

// told waits until the agent is told of a watermark; it may be told of it twice, and of those before.
func (p *fakeAgent) told(want int64) {
	p.t.Helper()
	await(p, func(m *benchdv1.SessionResponse) *benchdv1.Watermark {
		w := m.GetWatermark()
		if w == nil {
			return nil
		}
		require.LessOrEqual(p.t, w.GetKey(), want)
		if w.GetKey() < want {
			return nil
		}
		return w
	})
}

// All agents are told of the smallest watermark when it grows, one that was away when it is back, and all of them
// after a restart of the coordinator.
func TestAgentsAreToldWhatAllHaveInserted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id, err := h.submit(&benchdv1.SubmitRequest{Agents: 2, WaitAgents: wait()}, "duration=1m", "readproportion=0.9", "insertproportion=0.1")
		require.NoError(t, err)
		a.ready()
		b.ready()
		ofA, ofB := a.begin(), b.begin()
		a.insert(ofA.GetId(), 0, 1100, false)
		b.insert(ofB.GetId(), 0, 1041, false)
		a.told(1041)
		b.told(1041)
		b.insert(ofB.GetId(), 1, 1201, false)
		a.told(1100)
		b.told(1100)

		b.cancel()
		require.Error(t, b.refused())
		b.hold(ofB)
		b.connect()
		b.told(1100) // told again: it may have been lost with the stream

		h.close()
		require.Error(t, a.refused())
		require.Error(t, b.refused())
		h.open()
		a.hold(ofA)
		b.hold(ofB)
		a.connect()
		b.connect()
		a.told(1100) // the archive knows it
		a.insert(ofA.GetId(), 1, 1300, true)
		a.told(1201)
		b.insert(ofB.GetId(), 2, 1201, true)
		a.ended(ofA.GetId(), 2, 0)
		b.ended(ofB.GetId(), 3, 0)
		h.until(id, result.Complete)
	})
}
