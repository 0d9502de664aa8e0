package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharesAreEqualAndAddUp(t *testing.T) {
	for _, workers := range [][]int{{1}, {4}, {2, 2}, {3, 3, 3}, {4, 3, 3}, {1, 5}, {2, 0, 1}} {
		s := newShare(workers)
		ranks := map[int64]bool{}
		for _, total := range []int64{0, 1, 2, 3, 7, 10, 99, 1000, 10_000_000_001} {
			var sum int64
			shards := make([]int64, len(workers))
			for shard, n := range workers {
				for worker := range n {
					part := s.of(total, shard, worker)
					require.GreaterOrEqual(t, part, total/s.all)
					require.LessOrEqual(t, part, total/s.all+1)
					require.Equal(t, sum, s.before(total, shard, worker), "parts follow each other")
					sum += part
					shards[shard] += part
					ranks[s.rank(shard, worker)] = true
				}
			}
			require.Equal(t, total, sum, "%d over %v", total, workers)
			for i := range shards {
				if workers[i] == workers[0] {
					require.InDelta(t, shards[0], shards[i], 1, "%d over %v", total, workers)
				}
			}
		}
		require.Len(t, ranks, int(s.all), "each worker has a rank of its own")
		for rank := range s.all {
			require.True(t, ranks[rank])
		}
	}
}

// The first gets the rest, as YCSB gives it to its first threads.
func TestTheRestGoesToTheFirst(t *testing.T) {
	s := shard(t, core(), false, 0, 3)
	require.Equal(t, []int64{4, 3, 3}, []int64{s.Share(10, 0), s.Share(10, 1), s.Share(10, 2)})
	for i, want := range []int64{4, 3, 3} {
		require.Equal(t, want, shard(t, core(), false, i, 2, 5, 1).EvenShare(10), "shard %d in an open loop", i)
	}
}
