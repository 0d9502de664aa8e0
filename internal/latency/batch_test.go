package latency

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// windowsOf are histograms as a coordinator gets them: packed, unpacked and empty ones, with few and with many samples of a bucket.
func windowsOf(t *testing.T, rng *rand.Rand, n int) []*Histogram {
	t.Helper()
	all := make([]*Histogram, n)
	for i := range all {
		h := new(Histogram)
		for range rng.IntN(400) {
			h.Record(int64(1_000_000 * math.Exp(3*rng.NormFloat64())))
		}
		for range rng.IntN(2) * rng.IntN(300) {
			h.Record(5_000_000)
		}
		if rng.IntN(20) == 0 {
			h.Record(2 * Highest)
			h.Record(-1)
		}
		if all[i] = h; rng.IntN(8) > 0 {
			var err error
			all[i], err = DecodeHistogram(encoded(t, h))
			require.NoError(t, err)
		}
	}
	return all
}

// A batch has what a histogram has, whenever it is read.
func TestABatchIsTheSumOfItsHistograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var batch Batch
		want := new(Histogram)
		for _, h := range windowsOf(t, rng, rng.IntN(200)) {
			require.NoError(t, batch.Merge(h))
			require.NoError(t, want.Merge(h))
			require.Equal(t, want.Count(), batch.Count())
			if rng.IntN(30) == 0 {
				require.Equal(t, encoded(t, want), encoded(t, batch.Histogram()))
			}
		}
		require.Equal(t, encoded(t, want), encoded(t, batch.Histogram()))
		require.LessOrEqual(t, cap(batch.waiting), 2*mostWaiting)
	}
}

// Parts have the sum of all that was merged, and each part its own, whenever they are read.
func TestPartsHaveTheSumOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 20 {
		var parts Parts
		list, want := []*Batch{nil}, []*Histogram{nil}
		for range round % 4 {
			list, want = append(list, parts.New()), append(want, new(Histogram))
		}
		all := new(Histogram)
		for _, h := range windowsOf(t, rng, rng.IntN(200)) {
			i := rng.IntN(len(list))
			require.NoError(t, parts.Merge(h, list[i]))
			require.NoError(t, all.Merge(h))
			if i > 0 {
				require.NoError(t, want[i].Merge(h))
			}
			require.Equal(t, all.Count(), parts.Count())
			if rng.IntN(30) == 0 {
				require.Equal(t, encoded(t, all), encoded(t, parts.Histogram()))
			}
		}
		for range 2 {
			require.Equal(t, encoded(t, all), encoded(t, parts.Histogram()))
		}
		for i := 1; i < len(list); i++ {
			require.Equal(t, encoded(t, want[i]), encoded(t, list[i].Histogram()))
		}
	}
}

// A sum that has no room for the samples of a histogram is unchanged, and so is its part.
func TestSumsWithoutRoomAreUnchanged(t *testing.T) {
	one := new(Histogram)
	one.Record(1000)
	full := &Histogram{totals: totals{count: math.MaxUint64, sumLo: 1, max: 1}}
	full.put(1, math.MaxUint64)
	for _, packed := range []bool{false, true} {
		small := one
		if packed {
			var err error
			small, err = DecodeHistogram(encoded(t, one))
			require.NoError(t, err)
		}
		var batch Batch
		require.NoError(t, batch.Merge(full))
		require.ErrorIs(t, batch.Merge(small), errTooMany)
		require.Equal(t, encoded(t, full), encoded(t, batch.Histogram()))

		var parts Parts
		part := parts.New()
		require.NoError(t, parts.Merge(full, nil))
		require.ErrorIs(t, parts.Merge(small, part), errTooMany)
		require.Zero(t, part.Count())
		require.Equal(t, encoded(t, full), encoded(t, parts.Histogram()))
	}
}
