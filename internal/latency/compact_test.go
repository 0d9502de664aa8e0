package latency

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A compacted histogram is decoded unchanged.
func TestCompactIsLossless(t *testing.T) {
	var c Compactor
	rapid.Check(t, func(t *rapid.T) {
		h := anyHistogram(t, "histogram")
		compact, err := c.Append(nil, h)
		require.NoError(t, err)
		for _, decode := range []func([]byte) (*Histogram, error){c.Decode, c.Take} {
			back, err := decode(compact)
			require.NoError(t, err)
			require.Equal(t, encoded(t, h), encoded(t, back))
			plain, err := decode(encoded(t, h))
			require.NoError(t, err, "the other encoding is read, too")
			require.Equal(t, encoded(t, h), encoded(t, plain))
		}
	})
}

// A merge of many windows takes less than half the size.
func TestCompactIsSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	for range 50_000 {
		h.Record(int64(500_000 * math.Exp(0.5*rng.NormFloat64())))
	}
	var c Compactor
	compact, err := c.Append(nil, &h)
	require.NoError(t, err)
	t.Logf("%d bytes instead of %d", len(compact), len(encoded(t, &h)))
	require.Less(t, len(compact), len(encoded(t, &h))/2)
}

// The decoder never panics, and accepts only histograms.
func FuzzCompactorDecode(f *testing.F) {
	var c Compactor
	var h Histogram
	for i := range int64(100) {
		h.Record(i * i * i)
	}
	h.Record(2 * Highest)
	for _, one := range []*Histogram{new(Histogram), &h} {
		compact, err := c.Append(nil, one)
		require.NoError(f, err)
		f.Add(compact)
		f.Add(compact[:len(compact)/2])
		f.Add(encoded(f, one))
	}
	f.Add([]byte{compactVersion})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := new(Compactor).Decode(data)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		again, err := DecodeHistogram(encoded(t, h))
		require.NoError(t, err)
		require.Equal(t, encoded(t, h), encoded(t, again))
	})
}
