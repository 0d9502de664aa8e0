package keyspace

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUniformDrawsAllNumbersEquallyOften(t *testing.T) {
	const first, size = 5_000_000_000, 1000
	d, r := NewUniform(first, first+size-1), NewRand(1)
	counts := count(t, size, func() int64 { return d.Draw(&r) - first })
	requireChiSquare(t, counts, slices.Repeat([]float64{1.0 / size}, size))
}

// The multiplication that bounds a draw is biased for ranges near 2^63 unless it draws again.
func TestUniformIsUnbiasedOverHugeRanges(t *testing.T) {
	const size = 3 << 61
	r := NewRand(2)
	counts := count(t, 6, func() int64 { return r.Below(size) / (size / 6) })
	requireChiSquare(t, counts, slices.Repeat([]float64{1.0 / 6}, 6))
}

func TestHotspotGivesTheHotRowsTheirShare(t *testing.T) {
	const size = 1000
	for _, test := range []struct {
		data, ops float64
		hot       int
		share     float64
	}{
		{data: 0.2, ops: 0.8, hot: 200, share: 0.8},
		{data: 0.05, ops: 0.5, hot: 50, share: 0.5},
		{data: 0.0001, ops: 0.8, hot: 0, share: 0}, // less than a row; YCSB divides by zero
		{data: 1, ops: 0.8, hot: size, share: 1},
	} {
		d, r := NewHotspot(7, 7+size-1, test.data, test.ops), NewRand(3)
		counts := count(t, size, func() int64 { return d.Draw(&r) - 7 })
		want := make([]float64, size)
		for i := range want {
			if i < test.hot {
				want[i] = test.share / float64(test.hot)
			} else {
				want[i] = (1 - test.share) / float64(size-test.hot)
			}
		}
		requireChiSquare(t, counts, want)
	}
}

func TestExponentialHasItsPercentile(t *testing.T) {
	const records, percentile, frac = 1_000_000, 95, 0.8571428571
	d, r := NewExponential(percentile, frac, records), NewRand(4)
	gamma := -math.Log(1-percentile/100.0) / (records * frac)
	sample := make([]float64, draws)
	within := 0
	for i := range sample {
		back := d.Back(&r)
		if float64(back) < records*frac {
			within++
		}
		sample[i] = float64(back) + r.Float64() // undo the rounding to whole rows
	}
	require.InDelta(t, percentile/100.0, float64(within)/draws, 0.003)
	requireKolmogorovSmirnov(t, sample, func(x float64) float64 { return 1 - math.Exp(-gamma*x) })
}

func TestExponentialSurvivesTheSmallestDraw(t *testing.T) {
	require.Positive(t, int64(min(-math.Log(0)*NewExponential(95, 0.86, 1000).mean, 1<<62)))
}

func TestSequentialWorkersVisitEachRowOncePerRound(t *testing.T) {
	const first, size = 100, 60
	for _, workers := range []int64{1, 3, 7, 60, 130} {
		seen := make([]int, size)
		for worker := range workers {
			d := NewSequential(first, first+size-1, worker, workers)
			for range size {
				seen[d.Draw(nil)-first]++
			}
		}
		for n, times := range seen {
			require.EqualValues(t, workers, times, "row %d with %d workers", n, workers)
		}
	}
	d := NewSequential(0, 2, 0, 1)
	var order []int64
	for range 5 {
		order = append(order, d.Draw(nil))
	}
	require.Equal(t, []int64{0, 1, 2, 0, 1}, order)
}

func TestConstantIsConstant(t *testing.T) {
	require.EqualValues(t, 100, Constant(100).Draw(nil))
}

func TestStreamsDifferAndRepeat(t *testing.T) {
	first := func(seed uint64, path ...uint64) [4]uint64 {
		r := NewRand(seed, path...)
		return [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	}
	seen := map[[4]uint64]string{}
	for seed := range uint64(20) {
		for a := range uint64(20) {
			for b := range uint64(20) {
				got := first(seed, a, b)
				require.Equal(t, got, first(seed, a, b))
				require.Empty(t, seen[got])
				seen[got] = "taken"
			}
		}
	}
	// The numbers of a seed are a contract: results of different versions are compared.
	require.Equal(t, uint64(0xe9a0a8c7a0d481a5), first(1, 2, 3)[0])
}

func TestDrawsDoNotAllocate(t *testing.T) {
	r := NewRand(5)
	latest := NewLatest(1_000_000)
	histogram := LengthHistogram{BlockSize: 10, Buckets: []int64{1, 2, 3}}
	newest := int64(1_000_000)
	for name, draw := range map[string]func(){
		"latest":      func() { newest++; latest.Back(&r, newest) },
		"exponential": func() { NewExponential(95, 0.86, 1000).Back(&r) },
	} {
		require.Zero(t, testing.AllocsPerRun(1000, draw), name)
	}
	for _, d := range []Distribution{
		NewUniform(0, 99), NewZipfian(0, 99), NewScrambled(0, 99), NewHotspot(0, 99, 0.2, 0.8),
		NewSequential(0, 99, 0, 1), Constant(1), histogram.Distribution(),
	} {
		require.Zero(t, testing.AllocsPerRun(1000, func() { d.Draw(&r) }), "%T", d)
	}
}
