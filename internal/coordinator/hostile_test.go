package coordinator_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// mostGrowth is how much the coordinator's heap may grow because of hostile agents.
const mostGrowth = 128 << 20

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// wide is a histogram that needs as much memory as any: a sample in every page of buckets.
func wide() []byte {
	var h latency.Histogram
	for v := int64(1); v < latency.Highest; v += v/600 + 1 {
		h.Record(v)
	}
	b, _ := h.AppendBinary(nil)
	return b
}

// huge returns a window of a shard with so many series of wide histograms.
func huge(id *benchdv1.ShardId, seq, series int, histogram []byte) *benchdv1.SessionRequest {
	w := &benchdv1.Window{Id: id, Phase: "measure", Seq: uint32(seq), StartNs: int64(seq) * 1e8, EndNs: int64(seq+1) * 1e8}
	for i := range series {
		w.Series = append(w.Series, &benchdv1.Series{Op: fmt.Sprintf("OP-%d", i), Outcome: "OK", Response: histogram, Service: histogram})
	}
	return &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: w}}
}

// attack is what a hostile agent does on its own shard, and on that of another agent's run.
type attack struct {
	name string
	do   func(p *fakeAgent, own, others *benchdv1.ShardId)
	lost string // why its own shard is lost
}

func attacks() []attack {
	observations := func(id *benchdv1.ShardId) *benchdv1.SessionRequest {
		m := &benchdv1.Observations{Id: id}
		for i := range wire.MaxFigures {
			m.Figures = append(m.Figures, &benchdv1.Observed{Name: fmt.Sprintf("figure-%d", i)})
		}
		return &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Observations{Observations: m}}
	}
	return []attack{
		{name: "names", lost: "reported more than 128 operations", do: func(p *fakeAgent, own, _ *benchdv1.ShardId) {
			var h latency.Histogram
			h.Record(5)
			small, _ := h.AppendBinary(nil)
			for seq := range 100 {
				w := huge(own, seq, 100, small)
				for i, s := range w.GetWindow().GetSeries() {
					s.Op = fmt.Sprintf("OP-%d", 100*seq+i)
				}
				p.send(w)
			}
		}},
		{name: "maximal windows", lost: "was lost", do: func(p *fakeAgent, own, _ *benchdv1.ShardId) {
			histogram := wide()
			for seq := range 16 {
				p.send(huge(own, seq, 120, histogram))
			}
		}},
		{name: "the far future", lost: "ahead of its run", do: func(p *fakeAgent, own, _ *benchdv1.ShardId) {
			w := huge(own, 0, 1, wide())
			w.GetWindow().EndNs = int64(10 * 365 * 24 * time.Hour)
			p.send(w)
		}},
		{name: "2^59 ns", lost: "was lost", do: func(p *fakeAgent, own, _ *benchdv1.ShardId) {
			w := huge(own, 0, 1, wide())
			w.GetWindow().EndNs = 1 << 59
			p.send(w)
		}},
		{name: "silence", lost: "was lost", do: func(*fakeAgent, *benchdv1.ShardId, *benchdv1.ShardId) {}},
		{name: "observations", lost: "was lost", do: func(p *fakeAgent, own, others *benchdv1.ShardId) {
			toOwn, toOthers := observations(own), observations(others)
			for range 40 {
				p.send(toOwn)
				p.send(toOthers)
			}
		}},
		{name: "probe replies", lost: "was lost", do: func(p *fakeAgent, _, _ *benchdv1.ShardId) {
			for i := range 10_000 {
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{Seq: uint64(i)}}})
			}
		}},
		{name: "the shard of another", lost: "agent evil", do: func(p *fakeAgent, _, others *benchdv1.ShardId) {
			histogram := wide()
			for i := range 300 {
				p.send(huge(others, i%3, 1, histogram))
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Prepared{Prepared: &benchdv1.Prepared{Id: others, Error: "a lie"}}})
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Started{Started: &benchdv1.Started{Id: others, Phase: "measure", FirstSentAgentNs: 1}}})
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{Id: others, Phase: "measure", Final: true, Error: "a lie"}}})
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Points{Points: &benchdv1.PointsPiece{Number: uint64(i), Data: histogram}}})
				p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Action{Action: &benchdv1.ActionAnswer{Id: others.GetRun() + "#1", Outcome: benchdv1.ActionOutcome_ACTION_OUTCOME_DONE}}})
			}
			p.send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Leaving{Leaving: &benchdv1.Leaving{Reason: "a lie"}}})
		}},
	}
}

// Whatever an agent sends, the run of an honest one beside it is complete and its counts reconcile, the hostile agent's own
// run ends, and the coordinator's memory is bounded.
func TestAHostileAgentHarmsItsOwnRunAlone(t *testing.T) {
	for _, attack := range attacks() {
		t.Run(attack.name, func(t *testing.T) {
			h := newHarnessOf(t, 500*time.Millisecond)
			evil := newFakeAgent(h, "evil", "evil").connect()
			theirs, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"evil": "yes"}}, "duration=1m", "status=true", "telemetry=true")
			require.NoError(t, err)
			evil.ready()
			own := evil.begin().GetId()
			honest := newFakeAgent(h, "honest", "honest").connect()
			id, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"honest": "yes"}}, "duration=1m")
			require.NoError(t, err)
			honest.ready()
			shard := honest.begin().GetId()

			defer debug.SetGCPercent(debug.SetGCPercent(25)) // the heap is what is in use, with little garbage
			runtime.GC()
			before := heap()
			grown := make(chan uint64)
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			defer stop()
			go func() {
				var most uint64
				tick := time.NewTicker(2 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-ctx.Done():
						grown <- most
						return
					case <-tick.C:
						most = max(most, heap())
					}
				}
			}()
			attacked := make(chan struct{})
			go func() {
				defer close(attacked)
				attack.do(evil, own, shard)
			}()
			const windows = 50
			for seq := range windows {
				honest.window(shard, seq, 10, "OK", seq == windows-1)
				honest.acked(seq)
			}
			<-attacked
			honest.ended(shard, windows, 10)
			h.until(id, result.Complete)
			evil.cancel()
			h.until(theirs, result.Failed)
			stop()
			require.Less(t, max(<-grown, before)-before, uint64(mostGrowth))
			require.Equal(t, result.Reconcile{Issued: 10 * windows, Recorded: 10 * windows, Merged: 10 * windows, OK: true}, h.result(id).Reconcile)
			require.Contains(t, h.result(theirs).Reason, attack.lost)
		})
	}
}
