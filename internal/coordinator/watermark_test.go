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

// insert sends a window without operations that has the shard's watermark of inserts.
func (p *fakeAgent) insert(id *benchdv1.ShardId, seq int, watermark int64, last bool) {
	p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
		ID:    latency.WindowID{Run: id.GetRun(), Phase: "measure", Shard: int(id.GetShard()), Attempt: int(id.GetAttempt()), Seq: seq},
		Start: time.Duration(seq) * 100 * time.Millisecond, End: time.Duration(seq+1) * 100 * time.Millisecond,
		Last: last, Watermark: watermark,
	})}})
}

// receives waits for a watermark. The agent may receive it twice, and earlier ones before it.
func (p *fakeAgent) receives(want int64) {
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

// The smallest watermark is sent to all agents when it grows, to an agent that returns, and to all after a restart of the
// coordinator.
func TestAgentsReceiveTheWatermarkOfAllShards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		a, b := newFakeAgent(h, "a").connect(), newFakeAgent(h, "b").connect()
		id := h.submitRun(2, "duration=1m", "readproportion=0.9", "insertproportion=0.1")
		a.ready()
		b.ready()
		ofA, ofB := a.begin(), b.begin()
		a.insert(ofA.GetId(), 0, 1100, false)
		b.insert(ofB.GetId(), 0, 1041, false)
		a.receives(1041)
		b.receives(1041)
		b.insert(ofB.GetId(), 1, 1201, false)
		a.receives(1100)
		b.receives(1100)

		b.cancel()
		require.Error(t, b.refused())
		b.hold(ofB)
		b.connect()
		b.receives(1100) // sent again: it may have been lost with the stream

		h.close()
		require.Error(t, a.refused())
		require.Error(t, b.refused())
		h.open()
		a.hold(ofA)
		b.hold(ofB)
		a.connect()
		b.connect()
		a.receives(1100) // it is archived
		a.insert(ofA.GetId(), 1, 1300, true)
		a.receives(1201)
		b.insert(ofB.GetId(), 2, 1201, true)
		a.ended(ofA.GetId(), 2, 0)
		b.ended(ofB.GetId(), 3, 0)
		h.until(id, result.Complete)
	})
}
