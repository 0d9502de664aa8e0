package promexport

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/latency"
)

func written(t *testing.T, m prometheus.Metric) *dto.Metric {
	t.Helper()
	var out dto.Metric
	require.NoError(t, m.Write(&out))
	return &out
}

// samples are sets of latencies in nanoseconds with edge cases of the conversion.
func samples() map[string][]int64 {
	r := rand.New(rand.NewPCG(1, 2))
	several := func(n int, draw func() float64) (out []int64) {
		for range n {
			out = append(out, int64(draw()))
		}
		return out
	}
	return map[string][]int64{
		"none":                nil,
		"one":                 {1_000_000},
		"zeros":               {0, 0, 0},
		"zeros and more":      {0, 7, 0, 7},
		"powers of two":       {int64(time.Second) / 2, int64(time.Second), 2 * int64(time.Second), int64(time.Second) / 1024},
		"bounds of buckets":   {10_000, 10_001, 25_000, 100_000, int64(time.Second), 100 * int64(time.Second)},
		"nanoseconds":         several(5000, func() float64 { return r.ExpFloat64() * 20 }),
		"around a ms":         several(20_000, func() float64 { return 1e6 * math.Exp(r.NormFloat64()/2) }),
		"from ns to an hour":  several(20_000, func() float64 { return math.Exp(r.Float64() * math.Log(3.6e12)) }),
		"two humps":           append(several(900, func() float64 { return 2e5 + r.Float64()*1e4 }), several(100, func() float64 { return 3e9 + r.Float64()*1e8 })...),
		"all near the hour":   several(50, func() float64 { return 3.5e12 + r.Float64()*1e11 }),
		"one of each of many": several(40, func() float64 { return math.Exp(20 * r.Float64()) }),
	}
}

// The metric equals that of Prometheus's own histogram of the same samples, classic and native.
func TestHistogramEqualsPrometheusHistogram(t *testing.T) {
	var le []float64
	for _, b := range bounds() {
		le = append(le, b.Seconds())
	}
	for name, samples := range samples() {
		t.Run(name, func(t *testing.T) {
			var h latency.Histogram
			for _, v := range samples {
				h.Record(v)
			}
			theirs := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "x", Help: "x", Buckets: le, NativeHistogramBucketFactor: 1.03})
			for value, n := range h.Buckets {
				for range n {
					theirs.Observe(float64(value) / float64(time.Second))
				}
			}
			want := written(t, theirs).GetHistogram()
			got := written(t, Histogram(prometheus.NewDesc("x", "", []string{"l"}, nil), &h, "v")).GetHistogram()
			require.InDelta(t, want.GetSampleSum(), got.GetSampleSum(), 1e-3*want.GetSampleSum(), "ours is of the samples themselves")
			want.SampleSum, got.SampleSum = nil, nil
			want.CreatedTimestamp = nil
			require.True(t, proto.Equal(want, got), "want %s\n got %s", want, got)
		})
	}
}

// Counts and sums are exact; overflow is counted, in no classic bucket and in the native one of the longest.
func TestHistogramHasExactTotalsAndOverflow(t *testing.T) {
	var h latency.Histogram
	for _, v := range []int64{1, 2, int64(90 * time.Minute), int64(3 * time.Hour)} {
		h.Record(v)
	}
	m := written(t, Histogram(prometheus.NewDesc("x", "", []string{"l"}, nil), &h, "v"))
	require.Equal(t, "l", m.GetLabel()[0].GetName())
	require.Equal(t, "v", m.GetLabel()[0].GetValue())
	got := m.GetHistogram()
	require.EqualValues(t, 4, got.GetSampleCount())
	require.InDelta(t, 4.5*3600+3e-9, got.GetSampleSum(), 1e-9)
	require.EqualValues(t, 2, got.GetBucket()[len(got.GetBucket())-1].GetCumulativeCount())
	var total, count int64
	for _, delta := range got.GetPositiveDelta() {
		count += delta
		total += count
	}
	require.EqualValues(t, 4, total, "Prometheus refuses a native histogram whose buckets do not add up")
}

// The quantile of the native buckets is the result's, within a bucket's width.
func TestNativeQuantilesAreTheResults(t *testing.T) {
	for name, samples := range samples() {
		if len(samples) < 1000 {
			continue
		}
		var h latency.Histogram
		for _, v := range samples {
			h.Record(v)
		}
		got := convert(&h)
		for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
			want := float64(h.Quantile(q)) / 1e9
			upper := nativeQuantile(got, q)
			require.GreaterOrEqual(t, upper, want*(1-1e-9), "%s p%g", name, 100*q)
			require.LessOrEqual(t, upper/math.Exp2(1.0/(1<<schema)), want, "%s p%g", name, 100*q)
		}
	}
}

// nativeQuantile is the upper end of the bucket in which a quantile lies.
func nativeQuantile(h *dto.Histogram, q float64) float64 {
	left := int64(math.Ceil(q*float64(h.GetSampleCount()))) - int64(h.GetZeroCount())
	if left <= 0 {
		return 0
	}
	var count int64
	bucket, next := 0, 0
	for _, span := range h.GetPositiveSpan() {
		bucket += int(span.GetOffset())
		for range span.GetLength() {
			count += h.GetPositiveDelta()[next]
			next++
			if left -= count; left <= 0 {
				return math.Exp2(float64(bucket) / (1 << schema))
			}
			bucket++
		}
	}
	return math.Inf(1)
}

func BenchmarkHistogram(b *testing.B) {
	var h latency.Histogram
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		h.Record(int64(1e6 * math.Exp(r.NormFloat64()/2)))
	}
	desc := prometheus.NewDesc("x", "", nil, nil)
	for b.Loop() {
		Histogram(desc, &h)
	}
}
