package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// TestTheTimeOfAnIdleShardIsNamed hands a shard of a paced load over twice.
func TestTheTimeOfAnIdleShardIsNamed(t *testing.T) {
	const rate = 1000.0
	b := result.NewBuilder(result.BuilderConfig{
		Interval: time.Second, NotFoundShare: 1,
		Phases: []result.PhaseInfo{{Name: "load", Loop: "open", Intended: func(d time.Duration) float64 { return rate * d.Seconds() }}},
		Shards: []result.ShardInfo{
			{Index: 0, Attempt: 1, Agent: "a"},
			{Index: 1, Attempt: 1, Agent: "b", GoesOn: true},
			{Index: 1, Attempt: 2, Agent: "c", GoesOn: true},
			{Index: 1, Attempt: 3, Agent: "c", GoesOn: true},
		},
	})
	add := func(shard, attempt, seq int, from, to time.Duration, last bool) {
		w := &latency.Window{
			ID:    latency.WindowID{Phase: "load", Shard: shard, Attempt: attempt, Seq: seq},
			Start: from, End: to, Last: last,
		}
		_, err := b.Add(w)
		require.NoError(t, err)
	}
	add(0, 1, 0, 0, 100*time.Second, true)
	add(1, 1, 0, 0, 4*time.Second, false)
	add(1, 2, 0, 40500*time.Millisecond, 41*time.Second, false)
	add(1, 2, 1, 41*time.Second, 60*time.Second, false)
	add(1, 3, 0, 61*time.Second, 100*time.Second, true)

	run, err := b.Document(result.Run{}, result.Notes{})
	require.NoError(t, err)
	require.Equal(t, []result.Handover{
		{Shard: 1, From: "b", To: "c", T: 4, Seconds: 36.5, Skipped: 18_250},
		{Shard: 1, From: "c", To: "c", T: 60, Seconds: 1, Skipped: 500},
	}, run.Phases[0].Handovers)
	require.InDelta(t, rate-18_750.0/100, *run.Phases[0].Offered, 0.01, "what was skipped is not offered")
	v := verdict(t, run, "idle_shards")
	require.NotNil(t, v)
	require.True(t, v.Value)
	require.True(t, v.Bad())
	require.Equal(t, "load: shard 1 had no agent from 4 s to 40.5 s (between agents b and c), shard 1 had no agent from 60 s to 61 s "+
		"(until agent c was back); 19 % of the time of all shards, in which 18,750 intended operations were skipped", v.Because)
}

func TestALoadThatWasNotHandedOverHasNoIdleShards(t *testing.T) {
	b := result.NewBuilder(result.BuilderConfig{
		Interval: time.Second, NotFoundShare: 1,
		Phases: []result.PhaseInfo{{Name: "load", Loop: "closed"}, {Name: "measure", Loop: "closed"}},
		Shards: []result.ShardInfo{{Index: 0, Attempt: 1, Agent: "a"}, {Index: 1, Attempt: 2, Agent: "b"}},
	})
	for _, w := range []latency.Window{
		{ID: latency.WindowID{Phase: "load", Attempt: 1}, End: time.Second, Last: true},
		{ID: latency.WindowID{Phase: "measure", Shard: 1, Attempt: 2}, Start: time.Second, End: 2 * time.Second, Last: true},
	} {
		_, err := b.Add(&w)
		require.NoError(t, err)
	}
	run, err := b.Document(result.Run{}, result.Notes{})
	require.NoError(t, err)
	require.Nil(t, verdict(t, run, "idle_shards"))
	for _, p := range run.Phases {
		require.Empty(t, p.Handovers)
	}
}
