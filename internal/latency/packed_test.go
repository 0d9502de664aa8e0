package latency

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// neighbours draws samples whose buckets are close to each other, as those of a window are: four of them are often read at once.
func neighbours(t *rapid.T) []int64 {
	var samples []int64
	bucket := rapid.IntRange(0, buckets/2).Draw(t, "first")
	for _, step := range rapid.SliceOfN(rapid.IntRange(1, 140), 1, 60).Draw(t, "steps") {
		bucket += step
		for range rapid.SampledFrom([]int{1, 1, 2, 127, 128, 300}).Draw(t, "count") {
			samples = append(samples, lowest(bucket))
		}
	}
	return samples
}

// Packed buckets are those that were recorded, wherever pages end and counts or gaps need a second byte.
func TestPackedNeighboursAreTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := neighbours(t)
		recorded := histogramOf(samples...)
		packed, err := DecodeHistogram(encoded(t, recorded))
		require.NoError(t, err)
		requireTruth(t, samples, packed)

		var merged Histogram
		require.NoError(t, merged.Merge(packed))
		require.Equal(t, encoded(t, recorded), encoded(t, &merged))
		var sparse Sparse
		require.NoError(t, sparse.Merge(packed))
		sparse.Read(func(sum *Histogram) { require.Equal(t, encoded(t, recorded), encoded(t, sum)) })
	})
}

// A changed byte is found exactly where a check of one bucket after another, by numbers of any size, finds a contradiction.
func TestAChangedByteIsRefusedIfItContradicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		data := encoded(t, histogramOf(neighbours(t)...))
		for range 20 {
			changed := append([]byte(nil), data...)
			changed[1+rng.IntN(len(data)-1)] ^= 1 << rng.IntN(8)
			_, err := TakeHistogram(changed)
			require.Equal(t, consistent(changed), err == nil, "%v", err)
			if err != nil {
				refused++
			}
		}
	})
	require.Positive(t, refused)
}

// consistent is the check of an encoding, in the simplest form.
func consistent(data []byte) bool {
	h := new(Histogram)
	if h.head(data) != nil {
		return false
	}
	t, rest, next := h.totals, h.packed, uint64(0)
	low, high, count := new(big.Int), new(big.Int), new(big.Int)
	add := func(sum *big.Int, n uint64, value int64) {
		sum.Add(sum, new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(value)))
	}
	var seen []uint64
	var zeros uint64
	for len(rest) > 0 {
		gap, after, ok := uvarint(rest)
		n, after2, ok2 := uvarint(after)
		if !ok || !ok2 || n == 0 || gap > highestIndex || next+gap > highestIndex {
			return false
		}
		i := next + gap
		add(low, n, max(lowest(int(i)), t.min))
		add(high, n, min(highest(int(i)), t.max))
		count.Add(count, new(big.Int).SetUint64(n))
		if i == 0 {
			zeros = n
		}
		seen, rest, next = append(seen, i), after2, i+1
	}
	add(low, t.overflow, max(Highest+1, t.min))
	add(high, t.overflow, t.max)
	count.Add(count, new(big.Int).SetUint64(t.overflow))
	total := new(big.Int).SetBytes(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, t.sumHi), t.sumLo))
	switch {
	case t.min < 0 || t.max < t.min || t.overflow > t.count || (t.overflow > 0) != (t.max > Highest):
		return false
	case t.count == 1 && t.min != t.max || count.Cmp(new(big.Int).SetUint64(t.count)) != 0 || t.negative > zeros:
		return false
	case len(seen) > 0 && (t.min > Highest || uint64(index(t.min)) != seen[0]):
		return false
	case len(seen) > 0 && t.overflow == 0 && uint64(index(t.max)) != seen[len(seen)-1]:
		return false
	}
	return total.Cmp(low) >= 0 && total.Cmp(high) <= 0
}

// BenchmarkPacked measures the work of a coordinator for a series of a window: 500 samples.
func BenchmarkPacked(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	window := new(Histogram)
	for range 500 {
		window.Record(int64(200_000 + 100_000*rng.ExpFloat64()))
	}
	data := encoded(b, window)
	taken, err := TakeHistogram(data)
	require.NoError(b, err)
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			if _, err := TakeHistogram(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("merge", func(b *testing.B) {
		into := new(Histogram)
		for b.Loop() {
			if err := into.Merge(taken); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("quantile", func(b *testing.B) {
		var s Sparse
		for b.Loop() {
			s.Reset()
			if err := s.Merge(taken); err != nil {
				b.Fatal(err)
			}
			s.Read(func(sum *Histogram) { sum.Quantile(0.99) })
		}
	})
}
