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

// What one shard has not told of, or a lost one can no longer insert, nobody may read.
func TestTheSmallestWatermarkIsOfAllShards(t *testing.T) {
	var in inserted
	tell := func(shard int, watermark int64) {
		in.note(&latency.Window{ID: latency.WindowID{Shard: shard}, Watermark: watermark})
	}
	require.Zero(t, in.smallest(2))
	tell(0, 1100)
	require.Zero(t, in.smallest(2), "shard 1 has told nothing")
	tell(1, 0)
	require.Zero(t, in.smallest(2), "a window of the load tells nothing")
	tell(1, 1051)
	require.EqualValues(t, 1051, in.smallest(2))
	tell(1, 1021)
	require.EqualValues(t, 1051, in.smallest(2), "windows may come out of order")
	for watermark := int64(1200); watermark < 9000; watermark += 1000 {
		tell(0, watermark)
	}
	require.EqualValues(t, 1051, in.smallest(2), "shard 1 was lost")
}

// Agents hear of the rows of others at most once a second, only when there are more, and again when they come back.
func TestWhatAllHaveInsertedIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := roster.New()
		r := underWay(2, plan.Phase{Name: plan.Measure})
		in := inserted{run: r, agents: newShardAgents(r, all, clock.NewSource(clock.Skew{}))}
		_, toA := connect(t, all, "a", "1")
		heard := func() (keys []int64) {
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
		require.Empty(t, heard(), "nobody has inserted anything")
		note(1100)
		in.announce(clock.Mono())
		require.Equal(t, []int64{1100}, heard())
		note(1200)
		<-time.After(announceEvery / 2)
		in.announce(clock.Mono())
		require.Empty(t, heard(), "it is too early")
		<-time.After(announceEvery / 2)
		in.announce(clock.Mono())
		require.Equal(t, []int64{1200}, heard())
		<-time.After(announceEvery)
		in.announce(clock.Mono())
		require.Empty(t, heard(), "there are no more")
		in.send(0)
		require.Equal(t, []int64{1200}, heard(), "it was away")

		r.Settings.Workload.DealInserts = true
		note(1300)
		<-time.After(announceEvery)
		in.announce(clock.Mono())
		require.Empty(t, heard(), "workers read rows of their own alone")
	})
}
