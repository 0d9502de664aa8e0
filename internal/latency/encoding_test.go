package latency

import (
	"encoding"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var _ encoding.BinaryAppender = (*Histogram)(nil)

// fields encodes a histogram from its raw parts, right or wrong.
func fields(version byte, values ...uint64) []byte {
	b := []byte{version}
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

func TestEncodingIsStable(t *testing.T) {
	// Archives contain these bytes, so they must remain readable.
	h := histogramOf(0, -1, 5, 3000, 3000, Highest+1)
	want := fields(1,
		6, 1, 1, // count, overflow, negative
		0, uint64(Highest)+1, // min, max
		0, uint64(Highest)+1+6005, // sum
		0, 2, // bucket 0
		4, 1, // bucket 5
		uint64(index(3000)-6), 2)
	require.Equal(t, want, encoded(t, h))
	back, err := DecodeHistogram(want)
	require.NoError(t, err)
	require.Equal(t, want, encoded(t, back))
	require.Equal(t, h.totals, back.totals)
	require.Equal(t, fields(1, 0, 0, 0, 0, 0, 0, 0), encoded(t, new(Histogram)))
}

func TestDecodedHistogramIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var samples []int64
	h := new(Histogram)
	for range 20_000 {
		v := int64(300_000 * math.Exp(rng.NormFloat64()))
		samples = append(samples, v)
		h.Record(v)
	}
	data := encoded(t, h)
	back, err := DecodeHistogram(data)
	require.NoError(t, err)
	clear(data) // the caller's to use again
	requireTruth(t, samples, back)
	back.Record(42)
	h.Record(42)
	require.Equal(t, encoded(t, h), encoded(t, back))
}

func TestMalformedEncodingIsRefused(t *testing.T) {
	big := uint64(Highest) + 1
	for name, data := range map[string][]byte{
		"nothing":                      {},
		"other version":                fields(2, 0, 0, 0, 0, 0, 0, 0),
		"only a version":               {1},
		"short header":                 fields(1, 1, 0, 0, 5, 5, 0),
		"long form of a number":        append(fields(1, 0, 0, 0, 0, 0, 0), 0x80, 0x00),
		"number above 64 bits":         append(fields(1, 0, 0, 0, 0, 0, 0), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
		"totals of nothing":            fields(1, 0, 0, 0, 0, 5, 0, 5),
		"bucket without count":         fields(1, 1, 0, 0, 5, 5, 0, 5, 5),
		"empty bucket":                 fields(1, 2, 0, 0, 5, 7, 0, 12, 5, 1, 0, 0, 0, 1),
		"more samples than count":      fields(1, 1, 0, 0, 5, 5, 0, 5, 5, 2),
		"fewer samples than count":     fields(1, 2, 0, 0, 5, 5, 0, 10, 5, 1),
		"samples that wrap around":     fields(1, 1, 0, 0, 5, 6, 0, 5, 5, math.MaxUint64, 0, 2),
		"bucket out of range":          fields(1, 1, 0, 0, 5, 5, 0, 5, uint64(index(Highest))+1, 1),
		"bucket far out of range":      fields(1, 1, 0, 0, 5, 5, 0, 5, math.MaxUint64, 1),
		"min above max":                fields(1, 2, 0, 0, 6, 5, 0, 11, 5, 1, 0, 1),
		"min that is negative":         fields(1, 1, 0, 0, 1<<63, 5, 0, 5, 5, 1),
		"min in another bucket":        fields(1, 2, 0, 0, 4, 6, 0, 11, 5, 1, 0, 1),
		"max in another bucket":        fields(1, 2, 0, 0, 5, 7, 0, 11, 5, 1, 0, 1),
		"one sample, two values":       fields(1, 1, 0, 0, 4096, 4098, 0, 4098, uint64(index(4096)), 1),
		"sum too small":                fields(1, 2, 0, 0, 5, 6, 0, 10, 5, 1, 0, 1),
		"sum too large":                fields(1, 2, 0, 0, 5, 6, 0, 12, 5, 1, 0, 1),
		"sum far too large":            fields(1, 2, 0, 0, 5, 6, 1, 11, 5, 1, 0, 1),
		"overflow above count":         fields(1, 1, 2, 0, big, big, 0, big),
		"overflow with a small max":    fields(1, 2, 1, 0, 5, 5, 0, 10, 5, 1),
		"large max without overflow":   fields(1, 1, 0, 0, big, big, 0, big, 5, 1),
		"only overflow, small min":     fields(1, 1, 1, 0, 5, big, 0, big),
		"large min beside a bucket":    fields(1, 2, 1, 0, big, big, 0, big+5, 5, 1),
		"negatives without zeros":      fields(1, 1, 0, 1, 5, 5, 0, 5, 5, 1),
		"more negatives than zeros":    fields(1, 1, 0, 2, 0, 0, 0, 0, 0, 1),
		"longer than any":              make([]byte, maxEncoded+1),
		"longer than any, our version": append([]byte{1}, make([]byte, maxEncoded)...),
	} {
		t.Run(name, func(t *testing.T) {
			h, err := DecodeHistogram(data)
			require.ErrorIs(t, err, ErrMalformed)
			require.Nil(t, h)

			h, err = TakeHistogram(data)
			require.ErrorIs(t, err, ErrMalformed)
			require.Nil(t, h)
		})
	}
}

func TestMergeOfAnEncodedHistogramAllocatesNothing(t *testing.T) {
	from, err := TakeHistogram(encoded(t, histogramOf(5, 3000, 70_000)))
	require.NoError(t, err)
	h := histogramOf(5, 3000, 70_000)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := h.Merge(from); err != nil {
			t.Fatal(err)
		}
	}))
}

func FuzzDecodeHistogram(f *testing.F) {
	f.Add(encoded(f, new(Histogram)))
	f.Add(encoded(f, histogramOf(-1, 0, 5, 3000, 3001, Highest)))
	f.Add(encoded(f, histogramOf(7, Highest+1, math.MaxInt64)))
	f.Add(encoded(f, histogramOf(math.MaxInt64, math.MaxInt64, math.MaxInt64)))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := DecodeHistogram(data)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		require.Equal(t, data, encoded(t, h), "a histogram has one encoding")
		last := h.Min()
		for _, q := range []float64{0, 0.01, 0.5, 0.99, 0.9999, 1} {
			v := h.Quantile(q)
			require.GreaterOrEqual(t, v, last)
			require.LessOrEqual(t, v, h.Max())
			last = v
		}
		paged := new(Histogram)
		require.NoError(t, paged.Merge(h))
		require.Equal(t, data, encoded(t, paged))
		// What is not possible at all is refused, the rest adds up.
		if err := paged.Merge(h); err == nil {
			require.Equal(t, 2*h.Count(), paged.Count())
			_, err = DecodeHistogram(encoded(t, paged))
			require.NoError(t, err)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(binary.LittleEndian.AppendUint64(nil, uint64(Highest)))
	f.Add(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1<<63), 2047))
	f.Fuzz(func(t *testing.T, data []byte) {
		var samples []int64
		h := new(Histogram)
		for ; len(data) >= 8; data = data[8:] {
			v := int64(binary.LittleEndian.Uint64(data))
			h.Record(v)
			samples = append(samples, max(0, v))
		}
		back, err := DecodeHistogram(encoded(t, h))
		require.NoError(t, err)
		requireTruth(t, samples, back)
	})
}

func BenchmarkMergeEncoded(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	from := new(Histogram)
	for range 20_000 {
		from.Record(int64(300_000 * math.Exp(0.5*rng.NormFloat64())))
	}
	data, _ := from.AppendBinary(nil)
	b.ReportAllocs()
	into := new(Histogram)
	for b.Loop() {
		h, err := TakeHistogram(data)
		if err == nil {
			err = into.Merge(h)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(data)), "encoded-B")
}
