package conductor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// Rows are readable below the smallest watermark of all shards, with those of lost ones.
func TestTheSmallestWatermarkIsOfAllShards(t *testing.T) {
	var in inserted
	report := func(shard int, watermark int64) {
		in.note(&latency.Window{ID: latency.WindowID{Shard: shard}, Watermark: watermark})
	}
	require.Zero(t, in.smallest(2))
	report(0, 1100)
	require.Zero(t, in.smallest(2), "shard 1 has reported nothing")
	report(1, 0)
	require.Zero(t, in.smallest(2), "a window of the load has no watermark")
	report(1, 1051)
	require.EqualValues(t, 1051, in.smallest(2))
	report(1, 1021)
	require.EqualValues(t, 1051, in.smallest(2), "windows may come out of order")
	for watermark := int64(1200); watermark < 9000; watermark += 1000 {
		report(0, watermark)
	}
	require.EqualValues(t, 1051, in.smallest(2), "shard 1 was lost")
}

// Agents receive the watermark at most once a second, only when it has grown, and again when they return.
func TestTheWatermarkOfAllShardsIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := roster.New()
		r := underWay(2, plan.Phase{Name: plan.Measure})
		in := inserted{run: r, agents: newShardAgents(r, all, clock.NewSource(clock.Skew{}))}
		_, toA := connect(t, all, "a", "1")
		received := func() (keys []int64) {
			synctest.Wait()
			for len(toA) > 0 {
				keys = append(keys, (<-toA).GetWatermark().GetKey())
			}
			return keys
		}
		note := func(watermark int64) {
			for shard := range 2 {
				in.note(&latency.Window{ID: latency.WindowID{Shard: shard}, Watermark: watermark})
			}
		}
		in.announce(clock.Mono())
		in.send(0)
		require.Empty(t, received(), "no row was inserted")
		note(1100)
		in.announce(clock.Mono())
		require.Equal(t, []int64{1100}, received())
		note(1200)
		<-time.After(announceEvery / 2)
		in.announce(clock.Mono())
		require.Empty(t, received(), "it is too early")
		<-time.After(announceEvery / 2)
		in.announce(clock.Mono())
		require.Equal(t, []int64{1200}, received())
		<-time.After(announceEvery)
		in.announce(clock.Mono())
		require.Empty(t, received(), "there are no more")
		in.send(0)
		require.Equal(t, []int64{1200}, received(), "it was away")

		r.Settings.Workload.DealInserts = true
		note(1300)
		<-time.After(announceEvery)
		in.announce(clock.Mono())
		require.Empty(t, received(), "workers read only their own rows")
	})
}
