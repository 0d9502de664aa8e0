package keyspace

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuantilesCutOrderedKeysIntoEqualParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(0, 12_000).Draw(t, "from")
		count := rapid.Int64Range(1, 3_000).Draw(t, "count")
		parts := rapid.IntRange(2, 40).Draw(t, "parts")
		names := NewNames("user", rapid.IntRange(0, 7).Draw(t, "padding"), true)

		var keys [][]byte
		for n := from; n < from+count; n++ {
			keys = append(keys, names.Append(nil, n))
		}
		slices.SortFunc(keys, bytes.Compare)
		var want [][]byte
		for i := 1; i < parts; i++ {
			key := keys[int64(i)*count/int64(parts)]
			if rank := int64(i) * count / int64(parts); rank > 0 && (len(want) == 0 || !bytes.Equal(want[len(want)-1], key)) {
				want = append(want, key)
			}
		}
		got := names.Quantiles(from, from+count, parts)
		if !slices.EqualFunc(want, got, bytes.Equal) {
			t.Fatalf("want %q, got %q", want, got)
		}
	})
}

func TestQuantilesCutHashedKeysEvenly(t *testing.T) {
	const rows, parts = 400_000, 21
	for _, padding := range []int{1, 19, 24} {
		names := NewNames("user", padding, false)
		cuts := names.Quantiles(0, rows, parts)
		require.Len(t, cuts, parts-1)
		require.True(t, slices.IsSortedFunc(cuts, bytes.Compare))
		counts := make([]int, parts)
		var key []byte
		for n := range int64(rows) {
			key = names.Append(key[:0], n)
			i, found := slices.BinarySearchFunc(cuts, key, bytes.Compare)
			if found {
				i++
			}
			counts[i]++
		}
		for i, n := range counts {
			// Six standard deviations of a binomial.
			mean := float64(rows) / parts
			require.InDelta(t, mean, n, 6*math.Sqrt(mean), "part %d of padding %d", i, padding)
		}
	}
}

// Without padding a hash of fewer digits sorts among those of more: the tenths are not 1, 2, 3 ….
func TestQuantilesOfHashesAreExact(t *testing.T) {
	names := NewNames("user", 1, false)
	cuts := names.Quantiles(0, 0, 10)
	require.Len(t, cuts, 9)
	r := ranks{hi: math.MaxInt64, padding: 1}
	for i, cut := range cuts {
		rank := uint64(float64(math.MaxInt64) / 10 * float64(i+1))
		require.Equal(t, string(r.at(rank))[:6], string(cut)[4:10], "about the same by floating point")
	}
}

func TestEmptyPartsHaveNoQuantile(t *testing.T) {
	names := NewNames("user", 1, true)
	require.Equal(t, [][]byte{[]byte("user1"), []byte("user2")}, names.Quantiles(0, 3, 10))
	require.Empty(t, names.Quantiles(0, 1, 10))
	require.Empty(t, names.Quantiles(5, 5, 10))
}
