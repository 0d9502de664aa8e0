package latency

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// histogramOf returns a histogram of the samples.
func histogramOf(samples ...int64) *Histogram {
	h := new(Histogram)
	for _, v := range samples {
		h.Record(v)
	}
	return h
}

// encoded returns h's unique encoding; two histograms are equal if their encodings are.
func encoded(t require.TestingT, h *Histogram) []byte {
	b, err := h.AppendBinary(nil)
	require.NoError(t, err)
	return b
}

func sum(h *Histogram) *big.Int {
	hi, lo := h.Sum128()
	s := new(big.Int).SetUint64(hi)
	return s.Lsh(s, 64).Add(s, new(big.Int).SetUint64(lo))
}

// requireTruth checks h against all raw samples, which it sorts: count, sum, min and max must be exact and the
// quantiles within 0.1 % of the sample of rank ⌈qN⌉. Ranks are computed with integers, without rounding.
func requireTruth(t require.TestingT, samples []int64, h *Histogram) {
	require.EqualValues(t, len(samples), h.Count())
	if len(samples) == 0 {
		require.Zero(t, h.Quantile(0.5))
		require.Zero(t, h.Mean())
		return
	}
	slices.Sort(samples)
	total := new(big.Int)
	overflow := 0
	for _, v := range samples {
		total.Add(total, big.NewInt(v))
		if v > Highest {
			overflow++
		}
	}
	require.Equal(t, total.String(), sum(h).String())
	require.Equal(t, samples[0], h.Min())
	require.Equal(t, samples[len(samples)-1], h.Max())
	require.EqualValues(t, overflow, h.Overflow())
	for _, q := range []int{1, 500, 700, 5000, 9000, 9500, 9900, 9990, 9999, 10000} {
		truth := samples[(q*len(samples)+9999)/10000-1]
		if truth > Highest {
			truth = h.Max()
		}
		got := h.Quantile(float64(q) / 10000)
		require.GreaterOrEqual(t, got, truth, "quantile %d/10000", q)
		require.LessOrEqual(t, float64(got-truth), 0.001*float64(truth), "quantile %d/10000", q)
	}
}

func TestEmptyHistogram(t *testing.T) {
	var h Histogram
	for _, v := range []int64{int64(h.Count()), h.Min(), h.Max(), int64(h.Sum()), h.Quantile(0), h.Quantile(0.99), h.Quantile(1)} {
		require.Zero(t, v)
	}
	require.Zero(t, h.Mean())
}

func TestQuantileIsTheHighestOfItsBucketWithinMinAndMax(t *testing.T) {
	// 10000 shares its bucket with 9992 to 9999 and is its lowest; 100003 lies in [99968, 100031].
	for name, c := range map[string]struct {
		samples []int64
		q       float64
		want    int64
	}{
		"one sample is exact":                  {[]int64{100003}, 0.5, 100003},
		"highest of the bucket":                {[]int64{100003, 200000}, 0.5, 100031},
		"never above max":                      {[]int64{5, 100003}, 1, 100003},
		"max within the bucket":                {[]int64{100003, 100004, 100005}, 0.3, 100005},
		"rank is rounded up":                   {[]int64{1, 2, 3}, 0.34, 2},
		"rank is not rounded up when whole":    {[]int64{1, 2, 3, 4}, 0.5, 2},
		"zero is min":                          {[]int64{100003, 200000}, 0, 100003},
		"below zero is min":                    {[]int64{3, 7}, -1, 3},
		"not a number is min":                  {[]int64{3, 7}, math.NaN(), 3},
		"above one is max":                     {[]int64{3, 7}, 2, 7},
		"last in a bucket before the overflow": {[]int64{3, Highest, 2 * Highest}, 0.6, min(highest(index(Highest)), 2*Highest)},
		"among the overflow is max":            {[]int64{3, 2 * Highest, 3 * Highest}, 0.6, 3 * Highest},
		"only overflow is max":                 {[]int64{2 * Highest, 3 * Highest}, 0.1, 3 * Highest},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, histogramOf(c.samples...).Quantile(c.q))
		})
	}
}

func TestRankIsThatOfTheDecimal(t *testing.T) {
	for q := 1; q < 1000; q++ {
		for n := uint64(1); n <= 3000; n++ {
			want := (uint64(q)*n + 999) / 1000
			if got := rank(float64(q)/1000, n); got != want {
				t.Fatalf("rank of %d/1000 in %d samples is %d, want %d", q, n, got, want)
			}
		}
	}
}

func TestOverflowIsInTheTotalsButInNoBucket(t *testing.T) {
	h := histogramOf(int64(time.Millisecond), Highest, Highest+1, math.MaxInt64)
	require.EqualValues(t, 4, h.Count())
	require.EqualValues(t, 2, h.Overflow())
	require.EqualValues(t, math.MaxInt64, h.Max())
	var inBuckets uint64
	for _, n := range h.all {
		inBuckets += n
	}
	require.EqualValues(t, 2, inBuckets)
}

func TestNegativeIsKeptAsZeroAndCounted(t *testing.T) {
	h := histogramOf(-5, 7, math.MinInt64)
	require.EqualValues(t, 3, h.Count())
	require.EqualValues(t, 2, h.totals.negative)
	require.EqualValues(t, 7, h.Sum())
	require.Zero(t, h.Min())
}

func TestSumBeyond64Bits(t *testing.T) {
	h := histogramOf(math.MaxInt64, math.MaxInt64)
	require.Equal(t, uint64(math.MaxUint64-1), h.Sum())
	h.Record(math.MaxInt64)
	require.Equal(t, uint64(math.MaxUint64), h.Sum())
	want := new(big.Int).Mul(big.NewInt(math.MaxInt64), big.NewInt(3))
	require.Equal(t, want.String(), sum(h).String())
	require.InEpsilon(t, math.MaxInt64, h.Mean(), 1e-12)
}

func TestMergeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) int64 {
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				return rapid.Int64Min(0).Draw(t, "any")
			}
			return anyValue(t)
		})
		a := rapid.SliceOf(value).Draw(t, "a")
		b := rapid.SliceOf(value).Draw(t, "b")
		ha, hb := histogramOf(a...), histogramOf(b...)
		before := encoded(t, hb)
		if rapid.Bool().Draw(t, "decoded") {
			var err error
			hb, err = DecodeHistogram(before)
			require.NoError(t, err)
		}
		require.NoError(t, ha.Merge(hb))
		require.Equal(t, before, encoded(t, hb), "the merged one has changed")
		require.Equal(t, encoded(t, histogramOf(append(slices.Clone(a), b...)...)), encoded(t, ha))
		requireTruth(t, append(a, b...), ha)
	})
}

func TestMergeWithItselfDoubles(t *testing.T) {
	h := histogramOf(1, 5000)
	packed, err := DecodeHistogram(encoded(t, h))
	require.NoError(t, err)
	for _, h := range []*Histogram{h, packed} {
		require.NoError(t, h.Merge(h))
		require.Equal(t, encoded(t, histogramOf(1, 1, 5000, 5000)), encoded(t, h))
	}
}

func TestMergeThatCannotBeExactIsAnError(t *testing.T) {
	many := histogramOf(3)
	many.totals.count = math.MaxUint64
	vast := histogramOf(3)
	vast.totals.sumHi = math.MaxUint64
	for name, c := range map[string]struct {
		into, from *Histogram
		want       string
	}{
		"none":              {histogramOf(3), nil, "there is none"},
		"too many samples":  {histogramOf(3), many, errTooMany.Error()},
		"too large a sum":   {vast, vast, errTooMany.Error()},
		"too many, doubled": {many, many, errTooMany.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			before := *c.into
			require.ErrorContains(t, c.into.Merge(c.from), c.want)
			require.Equal(t, before, *c.into)
		})
	}
}

func TestCloneSharesNothing(t *testing.T) {
	h := histogramOf(1, 5000)
	packed, err := DecodeHistogram(encoded(t, h))
	require.NoError(t, err)
	for _, h := range []*Histogram{h, packed} {
		before := encoded(t, h)
		c := h.Clone()
		c.Record(5000)
		require.Equal(t, before, encoded(t, h))
		require.Equal(t, encoded(t, histogramOf(1, 5000, 5000)), encoded(t, c))
	}
}

func TestMinSamples(t *testing.T) {
	for q, want := range map[float64]uint64{
		0.5: 11, 0.9: 64, 0.95: 130, 0.99: 662, 0.999: 6636, 0.9999: 66381, 0.1: 64,
		0: 1, 1: 1,
	} {
		require.Equal(t, want, MinSamples(q), "quantile %v", q)
	}
	h := new(Histogram)
	for range 10 {
		h.Record(1)
	}
	require.False(t, h.Supports(0.5))
	h.Record(1)
	require.True(t, h.Supports(0.5))
}
