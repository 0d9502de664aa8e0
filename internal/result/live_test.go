package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func liveBuilder(shards int) *result.Builder {
	cfg := config(shards)
	cfg.LiveOnly = true
	return result.NewBuilder(cfg)
}

// Live shows the last interval that all agents have reported.
func TestLiveWaitsForAllAgents(t *testing.T) {
	b := liveBuilder(2)
	require.Equal(t, result.Snapshot{}, b.Live())

	quick, slow := of("measure", 0), of("measure", 1)
	add(t, b, quick.next(series("READ", "OK", same(100, 10)...)), slow.next(series("READ", "OK", same(50, 20)...)))
	add(t, b, quick.next(series("READ", "OK", same(100, 10)...)))
	s := b.Live()
	require.Equal(t, "measure", s.Phase)
	require.Equal(t, time.Second, s.Elapsed)
	require.InDelta(t, 150.0, s.Rate, 1e-9)
	require.Equal(t, uint64(250), s.Ops)
	require.Len(t, s.Operations, 1)
	require.Equal(t, uint64(150), s.Operations[0].Count)
	require.Len(t, s.Totals, 1)
	require.Equal(t, uint64(250), s.Totals[0].Count)
	require.Len(t, s.Agents, 2)
	require.Equal(t, "a", s.Agents[0].Name)
	require.InDelta(t, 100.0, s.Agents[0].Rate, 1e-9)
	require.InDelta(t, 50.0, s.Agents[1].Rate, 1e-9)
	require.InDelta(t, 0.6, s.Agents[1].Idle, 1e-9)

	add(t, b, slow.next(series("READ", "OK", same(50, 20)...)))
	require.Equal(t, 2*time.Second, b.Live().Elapsed)
}

// An agent that is away does not block the view: it is shown as behind.
func TestLiveDoesNotWaitForever(t *testing.T) {
	b := liveBuilder(2)
	here, away := of("measure", 0), of("measure", 1)
	add(t, b, away.next(series("READ", "OK", 1)))
	for range 20 {
		add(t, b, here.next(series("READ", "OK", 1)))
	}
	s := b.Live()
	require.Equal(t, 17*time.Second, s.Elapsed)
	require.False(t, s.Agents[0].Behind)
	require.True(t, s.Agents[1].Behind)

	b.Lost(result.Loss{Shard: 1, Attempt: 1, Phase: "measure", At: time.Second})
	s = b.Live()
	require.Equal(t, 20*time.Second, s.Elapsed, "a lost agent is not waited for")
	require.True(t, s.Agents[1].Ended)
	require.False(t, s.Agents[1].Behind)
}

// After the end Live shows the last interval of all; the tail is not an interval and not shown.
func TestLiveAtTheEnd(t *testing.T) {
	b := liveBuilder(2)
	for shard := range 2 {
		ws := of("measure", shard)
		for range 30 {
			add(t, b, ws.next(series("READ", "OK", same(700, 5)...)))
		}
		add(t, b, ws.tail(series("READ", "OK", 5)))
	}
	s := b.Live()
	require.Equal(t, 30*time.Second, s.Elapsed)
	require.InDelta(t, 1400.0, s.Rate, 1e-9)
	require.Equal(t, uint64(42_002), s.Ops)
	require.InDelta(t, 700.0, s.Agents[0].Rate, 1e-9)
	require.True(t, s.Agents[0].Ended)
	require.NotNil(t, s.Agents[0].P99)
}

// Live shows the phase that began last, even while windows of the previous one still arrive.
func TestLiveShowsTheCurrentPhase(t *testing.T) {
	cfg := config(2)
	cfg.Phases = []result.PhaseInfo{{Name: "warmup"}, {Name: "measure", Loop: "open", Intended: func(d time.Duration) float64 {
		return 100 * d.Seconds()
	}}}
	b := result.NewBuilder(cfg)
	add(t, b, of("warmup", 0).last(series("READ", "OK", 1)), of("measure", 0).next(series("READ", "OK", 1)))
	add(t, b, of("warmup", 1).last(series("READ", "OK", 1)))
	s := b.Live()
	require.Equal(t, "measure", s.Phase)
	require.InDelta(t, 50.0, *s.Offered, 1e-9)
}

// A window with neither health nor operations can be shown.
func TestLiveOfNothing(t *testing.T) {
	b := liveBuilder(1)
	w := of("measure", 0).next()
	w.Health = latency.Health{}
	add(t, b, w)
	s := b.Live()
	require.Zero(t, s.Rate)
	require.Negative(t, s.Agents[0].Idle)
	require.Nil(t, s.Agents[0].P99)
}
