package latency

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyHistogram draws a histogram, recorded or decoded.
func anyHistogram(t *rapid.T, name string) *Histogram {
	h := new(Histogram)
	for _, v := range rapid.SliceOfN(rapid.Int64Range(-2, 2*Highest), 0, 40).Draw(t, name) {
		h.Record(v)
	}
	if rapid.Bool().Draw(t, name+" is packed") {
		b, err := h.AppendBinary(nil)
		require.NoError(t, err)
		h, err = DecodeHistogram(b)
		require.NoError(t, err)
	}
	return h
}

// A sparse sum is exact for any merged histograms in any form, also when it is read in between.
func TestSparseIsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sparse Sparse
		var dense Histogram
		for range rapid.IntRange(0, 30).Draw(t, "histograms") {
			h := anyHistogram(t, "histogram")
			before := encoded(t, h)
			require.NoError(t, sparse.Merge(h))
			require.NoError(t, dense.Merge(h))
			require.Equal(t, before, encoded(t, h), "what is merged is not changed")
			if rapid.Bool().Draw(t, "read") {
				q := rapid.Float64Range(0, 1).Draw(t, "q")
				sparse.Read(func(sum *Histogram) {
					require.Equal(t, encoded(t, &dense), encoded(t, sum))
					require.Equal(t, dense.Quantile(q), sum.Quantile(q))
				})
			}
		}
		sparse.Read(func(sum *Histogram) { require.Equal(t, encoded(t, &dense), encoded(t, sum)) })
		require.Equal(t, dense.Count(), sparse.Count())
		require.Equal(t, dense.Max(), sparse.Max())
		sparse.Reset()
		sparse.Read(func(sum *Histogram) { require.Equal(t, encoded(t, new(Histogram)), encoded(t, sum)) })
	})
}

// The bytes of a message or a row, of which a histogram is a part, are not kept for a sum.
func TestSparseKeepsNoBytesOfOthers(t *testing.T) {
	t.Parallel()
	var plain Histogram
	for v := range int64(300) {
		plain.Record(v * 1000)
	}
	data, err := plain.AppendBinary(nil)
	require.NoError(t, err)
	h, err := TakeHistogram(data)
	require.NoError(t, err)
	var sum Sparse
	require.NoError(t, sum.Merge(h))
	clear(data)
	sum.Read(func(sum *Histogram) { require.Equal(t, encoded(t, &plain), encoded(t, sum)) })
}

// A sum that cannot be counted is refused and changes nothing.
func TestSparseRefusesTooMany(t *testing.T) {
	huge := &Histogram{totals: totals{count: 1<<64 - 1, sumLo: 1}}
	var s Sparse
	require.NoError(t, s.Merge(huge))
	require.Error(t, s.Merge(huge))
	require.Equal(t, huge.Count(), s.Count())
}

// QuantileWithout is the quantile of the others merged.
func TestQuantileWithoutIsThatOfTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own, others := anyHistogram(t, "own"), anyHistogram(t, "others")
		var all Histogram
		require.NoError(t, all.Merge(own))
		require.NoError(t, all.Merge(others))
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		require.Equal(t, others.Quantile(q), all.QuantileWithout(own, q, others.Max()))
	})
}

// AtLeast counts whole buckets: the one of the value, and all above.
func TestAtLeastCountsFromTheBucketOn(t *testing.T) {
	var h Histogram
	for _, v := range []int64{0, 5, 5, 4096, 4097, 1_000_000, Highest, Highest + 1, 2 * Highest} {
		h.Record(v)
	}
	for v, want := range map[int64]uint64{-1: 9, 0: 9, 1: 8, 5: 8, 6: 6, 4096: 6, 4097: 6, 4099: 6, 4100: 4, Highest: 3, Highest + 1: 2, 2 * Highest: 2} {
		require.Equal(t, want, h.AtLeast(v), "at least %d", v)
	}
	rapid.Check(t, func(t *rapid.T) {
		h, v := anyHistogram(t, "histogram"), rapid.Int64Range(-1, 2*Highest).Draw(t, "v")
		packed, err := DecodeHistogram(encoded(t, h))
		require.NoError(t, err)
		want := h.Overflow()
		for i, n := range h.all {
			if v <= highest(i) {
				want += n
			}
		}
		require.Equal(t, want, h.AtLeast(v), "at least %d", v)
		require.Equal(t, want, packed.AtLeast(v), "at least %d, packed", v)
	})
}

// A reset histogram is like a new one.
func TestResetEmpties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, next := anyHistogram(t, "before"), anyHistogram(t, "after")
		h.Reset()
		require.Equal(t, encoded(t, new(Histogram)), encoded(t, h))
		require.NoError(t, h.Merge(next))
		require.Equal(t, encoded(t, next), encoded(t, h))
	})
}
