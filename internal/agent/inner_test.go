package agent

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

func TestProbesOvertakeWindows(t *testing.T) {
	o := newOutbox()
	kept := &keptWindow{window: &benchdv1.Window{Seq: 1}}
	for seq := range uint32(3) {
		o.add(windowMessage(&benchdv1.Window{Seq: seq}), nil)
	}
	o.add(windowMessage(kept.window), kept)
	kept.gone.Store(true)
	o.reply(&benchdv1.ProbeReply{Seq: 7})
	o.finish()
	var got []string
	for {
		m, reply, over := o.take()
		switch {
		case over:
			require.Equal(t, []string{"probe 7", "window 0", "window 1", "window 2"}, got, "what was acknowledged meanwhile is not sent")
			return
		case reply != nil:
			got = append(got, fmt.Sprintf("probe %d", reply.GetSeq()))
		default:
			got = append(got, fmt.Sprintf("window %d", m.GetWindow().GetSeq()))
		}
	}
}

func TestASpoolDropsTheOldestWhenItIsFull(t *testing.T) {
	var s spool
	var dropped uint64
	var all []*keptWindow
	for seq := range uint32(100) {
		k, n := s.add(&benchdv1.Window{Phase: "measure", Seq: seq, Series: []*benchdv1.Series{{Response: make([]byte, 1000)}}}, 10_500)
		dropped += n
		all = append(all, k)
	}
	require.EqualValues(t, 90, dropped)
	require.Equal(t, 10, s.len())
	require.True(t, all[89].gone.Load())
	require.False(t, all[90].gone.Load())
	s.ack("warmup", 95)
	require.Equal(t, 10, s.len(), "another phase")
	s.ack("measure", 95)
	s.ack("measure", 95)
	require.Equal(t, 9, s.len())
	for seq := range uint32(100) {
		s.ack("measure", seq)
	}
	require.Zero(t, s.len())
	require.Zero(t, s.bytes)

	_, dropped = s.add(&benchdv1.Window{Series: []*benchdv1.Series{{Response: make([]byte, 100_000)}}}, 10)
	require.Zero(t, dropped, "one window is always kept")
}

func TestWaitsForAProcessorAreTheGrowthOfTheRuntimesHistogram(t *testing.T) {
	buckets := []float64{0, 1e-6, 1e-5, 1e-3, 1}
	before := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{50, 0, 0, 7}}
	p99, most := waited(before, &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{1040, 9, 1, 7}})
	require.Equal(t, time.Microsecond, p99)
	require.Equal(t, time.Millisecond, most)
	p99, most = waited(before, before)
	require.Zero(t, p99)
	require.Zero(t, most)
	p99, _ = waited(nil, before)
	require.Zero(t, p99)
}

func TestASampleTellsOfTheTimeSinceTheLast(t *testing.T) {
	s := newSampler()
	before := s.last.own
	for ownSeconds()-before < 0.25 { // a quarter of a second of work
		runtime.GC()
	}
	h := s.sample()
	require.NotZero(t, h.Cores)
	require.Positive(t, h.OwnCPU)
	require.GreaterOrEqual(t, h.HostIdle, 0.0)
	require.Less(t, h.HostIdle, 1.0)
	require.Positive(t, h.GCPauses)
	require.Positive(t, h.GCPauseTotal)
	require.LessOrEqual(t, h.GCPauseMax, h.GCPauseTotal)

	h = s.sample()
	require.Zero(t, h.Cores, "of an instant the host's counters say nothing")
	require.Zero(t, h.GCPauses)
}
