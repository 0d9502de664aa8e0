package workload

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInsertsOfShardsInterleave(t *testing.T) {
	a, b := newInserts(1000, 1000, 0, 2, 64), newInserts(1000, 1000, 1, 2, 64)
	require.Equal(t, []int64{1000, 1002, 1004}, []int64{a.number(a.claim(1)), a.number(a.claim(1)), a.number(a.claim(3))})
	require.Equal(t, []int64{1001, 1003}, []int64{b.number(b.claim(1)), b.number(b.claim(1))})
}

func TestRowsAreReadOnlyOnceAllBeforeThemAreAnswered(t *testing.T) {
	in := newInserts(100, 100, 0, 1, 64)
	for range 4 {
		in.claim(1)
	}
	require.EqualValues(t, 99, in.newest())
	in.ack(2, 1, true) // out of order
	require.EqualValues(t, 99, in.newest())
	require.False(t, in.readable(102))
	in.ack(0, 1, true)
	require.EqualValues(t, 100, in.newest())
	in.ack(1, 1, true)
	require.EqualValues(t, 102, in.newest())
	require.True(t, in.readable(102))
	require.False(t, in.readable(103))
	require.EqualValues(t, 103, in.watermark())
	in.ack(3, 1, true)
	require.EqualValues(t, 103, in.newest())
}

func TestRowsThatFailedAreNeverRead(t *testing.T) {
	in := newInserts(100, 100, 0, 1, 64)
	in.claim(10)
	in.ack(0, 3, true)
	in.ack(3, 2, false)
	in.ack(5, 1, true)
	in.ack(6, 1, false)
	in.ack(7, 3, true)
	require.EqualValues(t, 109, in.newest(), "they do not hold up those after them")
	for n, want := range map[int64]bool{99: true, 102: true, 103: false, 104: false, 105: true, 106: false, 107: true, 109: true, 110: false} {
		require.Equal(t, want, in.readable(n), "row %d", n)
	}
	require.EqualValues(t, 103, in.watermark(), "but others must not read beyond them")
}

func TestOtherShardsRowsAreReadUpToTheWatermark(t *testing.T) {
	in := newInserts(1000, 1000, 1, 3, 64) // has 1001, 1004, 1007, …
	in.claim(4)
	in.ack(0, 4, true)
	require.EqualValues(t, 1013, in.watermark())
	require.EqualValues(t, 999+4, in.newest())
	require.Equal(t, []int64{999, 1001, 1004, 1007, 1010},
		[]int64{in.at(999), in.at(1000), in.at(1001), in.at(1002), in.at(1003)})
	require.False(t, in.readable(1002))

	in.learn(1006)
	in.learn(1003) // an old watermark
	require.EqualValues(t, 1005+2, in.newest())
	require.Equal(t, []int64{1005, 1007, 1010}, []int64{in.at(1005), in.at(1006), in.at(1007)})
	require.True(t, in.readable(1002))
	require.False(t, in.readable(1006))
	require.True(t, in.readable(1007))
}

// The place of the newest row never decreases; otherwise a request that counts back from it could be outside the table.
func TestPlacesOnlyGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		shards := r.Int64N(4) + 1
		in := newInserts(1000, 900, r.Int64N(shards), shards, 64)
		last := in.newest()
		for range 100 {
			first := in.claim(1)
			in.ack(first, 1, true)
			if r.IntN(3) == 0 {
				in.learn(in.watermark() - int64(r.IntN(20)))
			}
			require.GreaterOrEqual(t, in.newest(), last)
			last = in.newest()
			for place := last; place > last-20; place-- {
				require.True(t, in.readable(in.at(place)), "place %d is row %d", place, in.at(place))
			}
			require.Less(t, in.at(last-1), in.at(last))
		}
	}
}

// A worker that hangs must neither stop the others nor let them overwrite open answers.
func TestOpenInsertsFailWhenTheWindowIsFull(t *testing.T) {
	in := newInserts(0, 0, 0, 1, 8)
	hung := in.claim(2)
	for range 20 {
		row := in.claim(1)
		in.ack(row, 1, true)
	}
	require.EqualValues(t, 21, in.newest())
	require.False(t, in.readable(hung))
	require.False(t, in.readable(hung+1))
	require.True(t, in.readable(hung+2))
	in.ack(hung, 2, true) // too late
	require.EqualValues(t, 21, in.newest())
	require.False(t, in.readable(hung))
	require.True(t, in.readable(21))

	in.claim(20) // a batch larger than the window
	require.EqualValues(t, 33, in.newest())
	require.Less(t, len(in.failed), 4, "failures are kept as ranges")
}

// A target with occasional failures over days must neither fill the agent's memory nor let a failed row be read.
func TestFailuresAreKeptInBoundedMemory(t *testing.T) {
	const rows = 6 * mostFailed
	in := newInserts(0, 0, 0, 1, 1)
	for row := range int64(rows) {
		require.Equal(t, row, in.claim(1))
		in.ack(row, 1, row%2 == 1)
	}
	require.LessOrEqual(t, len(in.failed), mostFailed)
	readable := 0
	for row := range int64(rows) {
		if in.readable(row) {
			require.EqualValues(t, 1, row%2, "row %d failed", row)
			readable++
		}
	}
	require.Greater(t, readable, rows/8)
	require.True(t, in.readable(rows-1), "the newest rows are distinguished")
	require.Zero(t, in.watermark())
}

// claimed returns the number of keys that a shard has assigned to inserts of a run.
func claimed(s *Shard) int64 {
	var n int64
	for _, in := range s.inserts {
		n += in.claimed.Load()
	}
	return n
}

func TestInsertsOfManyWorkersAreDisjointAndComplete(t *testing.T) {
	const shards, workers, each = 3, 4, 2000
	cfg := core()
	cfg.Proportions, cfg.Ordered, cfg.FieldLength = Proportions{Insert: 1}, true, 1
	times := make([]int, shards*workers*each)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for index := range shards {
		s := shard(t, cfg, false, index, workers, workers, workers)
		for worker := range workers {
			g := s.Generator(worker)
			wg.Go(func() {
				var op Op
				for range each {
					g.Next(&op)
					n := number(op.Key)
					mu.Lock()
					times[n-cfg.RecordCount]++
					mu.Unlock()
					g.Done(&op, Outcome{Code: OK})
				}
			})
		}
		wg.Wait() // shards share nothing
		require.EqualValues(t, workers*each, claimed(s))
		require.EqualValues(t, 1000+index+shards*workers*each, s.Watermark())
	}
	for i, n := range times {
		require.Equal(t, 1, n, "row %d", 1000+i)
	}
}

// With a window that is always too small, answers are late and slots are reused; the count must be exact.
func TestAnswersOfManyWorkersAreAllCounted(t *testing.T) {
	const workers, each = 8, 3000
	in := newInserts(0, 0, 0, 1, 4)
	bad := make([]map[int64]bool, workers)
	var wg sync.WaitGroup
	for w := range workers {
		bad[w] = map[int64]bool{}
		wg.Go(func() {
			for i := range each {
				row := in.claim(1)
				good := i%7 != 0
				if !good {
					bad[w][row] = true
				}
				if i%3 == 0 {
					runtime.Gosched()
				}
				in.ack(row, 1, good)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, workers*each, in.acked.Load())
	require.EqualValues(t, workers*each-1, in.newest())
	for w := range workers {
		for row := range bad[w] {
			require.False(t, in.readable(row), "row %d failed", row)
		}
	}
	require.GreaterOrEqual(t, in.holes.Load(), int64(workers*(each/7)))
	require.Less(t, in.holes.Load(), int64(workers*each), "most are there")
}

// number is the key number of an ordered key.
func number(key []byte) int64 {
	var n int64
	for _, c := range key[len("user"):] {
		n = 10*n + int64(c-'0')
	}
	return n
}
