package latency

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

// hdr returns h as an HdrHistogram in whole units, rounded down. In nanoseconds it has the same buckets and the same total
// count; the exact sum, min and max are lost. An HdrHistogram has no overflow: those samples are counted at [Highest], and
// the caller must report that (see Overflow).
func (h *Histogram) hdr(unit time.Duration) (*hdrhistogram.Histogram, error) {
	out := hdrhistogram.New(1, Highest/int64(unit), significantDigits)
	for i, n := range h.all {
		// A count above 2⁶³ becomes negative here, which RecordValues refuses.
		if err := out.RecordValues(lowest(i)/int64(unit), int64(n)); err != nil {
			return nil, fmt.Errorf("export histogram: %w", err)
		}
	}
	if n := h.Overflow(); n > 0 {
		if err := out.RecordValues(Highest/int64(unit), int64(n)); err != nil {
			return nil, fmt.Errorf("export overflow: %w", err)
		}
	}
	return out, nil
}

// The encoder of logs is our own; hdrhistogram-go decodes its text to the histogram that hdrhistogram-go itself would have recorded,
// with the same highest value.
func TestTheEncodingIsHdrHistograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	spread := func(n int, sigma float64) *Histogram {
		h := new(Histogram)
		for range n {
			h.Record(int64(1e6 * math.Exp(sigma*rng.NormFloat64())))
		}
		return h
	}
	many := histogramOf(7)
	for _, n := range []uint64{1 << 6, 1<<13 - 1, 1 << 20, 1 << 41, 1<<55 + 3, 1 << 61} {
		bucket := int(n%5000) + 9
		many.put(bucket, n)
		many.totals.count += n
		many.totals.max = max(many.totals.max, lowest(bucket))
	}
	packed, err := spread(5000, 1).AppendBinary(nil)
	require.NoError(t, err)
	decoded, err := DecodeHistogram(packed)
	require.NoError(t, err)
	var e LogEncoder // one for all: it reuses its memory
	for name, h := range map[string]*Histogram{
		"empty": new(Histogram), "zeros": histogramOf(0, 0, 0), "one": histogramOf(123_456_789), "neighbours": histogramOf(1, 2, 3, 5, 7, 2047, 2048, 2050),
		"few": spread(10, 3), "usual": spread(3000, 0.5), "decoded": decoded, "wide": spread(30_000, 3),
		"overflow": histogramOf(5, Highest, Highest+1, math.MaxInt64), "only overflow": histogramOf(2 * Highest), "many": many,
	} {
		for _, unit := range []time.Duration{time.Nanosecond, time.Microsecond} {
			want, err := h.hdr(unit)
			require.NoError(t, err)
			logged, err := e.encode(h, unit)
			require.NoError(t, err)
			text := base64.StdEncoding.AppendEncode(nil, logged.Encoded)
			got, err := hdrhistogram.Decode(text)
			require.NoError(t, err, "%s in %s", name, unit)
			require.True(t, want.Equals(got), "%s in %s", name, unit)
			require.Equal(t, want.Max(), logged.Highest, "%s in %s", name, unit)
			theirs, err := want.EncodeV2()
			require.NoError(t, err)
			require.Less(t, len(text), len(theirs)+len(theirs)/4+64, "%s in %s: quick compression costs little space", name, unit)
		}
	}
}
