package result

import (
	"math"
	"strconv"

	"github.com/benchd/benchd/internal/latency"
)

// quantile is a percentile that is printed when there are enough samples.
type quantile struct {
	q    float64
	need uint64
}

func newQuantile(q float64) quantile { return quantile{q: q, need: latency.MinSamples(q)} }

// of returns the quantile in microseconds; nil when there are too few samples (law 6), or when it is among the samples
// that overflowed (law 4).
func (q quantile) of(h *latency.Histogram) *float64 {
	n := h.Count()
	if n < q.need {
		return nil
	}
	v := h.Quantile(q.q)
	if v > latency.Highest && q.q < 1 {
		return nil // its rank is in the overflow, so only a lower bound is known
	}
	us := microseconds(v)
	return &us
}

// scale is the set of percentiles that a result has.
type scale struct {
	p50, p90, p95, p99, p999, p9999 quantile
	extra                           []namedQuantile
}

// namedQuantile is a percentile that a user requested.
type namedQuantile struct {
	name string
	quantile
}

// newScale adds the percentiles (0 to 100) that a user requested to those that every result has.
func newScale(percentiles []float64) scale {
	s := scale{
		p50: newQuantile(0.5), p90: newQuantile(0.9), p95: newQuantile(0.95),
		p99: newQuantile(0.99), p999: newQuantile(0.999), p9999: newQuantile(0.9999),
	}
	for _, p := range percentiles {
		s.extra = append(s.extra, namedQuantile{PercentileName(p), newQuantile(p / 100)})
	}
	return s
}

// PercentileName is the name of a percentile (0 to 100) in Figures.Percentiles: 99.9 is "99.9".
func PercentileName(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

// figures reads a histogram's figures off it.
func (s scale) figures(h *latency.Histogram) Figures {
	return Figures{
		Count:    h.Count(),
		Overflow: h.Overflow(),
		Mean:     meanUS(h),
		Min:      microseconds(h.Min()),
		Max:      microseconds(h.Max()),
		P50:      s.p50.of(h),
		P90:      s.p90.of(h),
		P95:      s.p95.of(h),
		P99:      s.p99.of(h),
		P999:     s.p999.of(h),
		P9999:    s.p9999.of(h),
	}
}

// combined are the figures with the percentiles that a user requested, and the variance.
func (s scale) combined(h *latency.Histogram) Figures {
	f := s.figures(h)
	f.Variance = math.Round(h.Variance()/1000) / 1000 // as exact as the mean
	for _, q := range s.extra {
		if f.Percentiles == nil {
			f.Percentiles = make(map[string]*float64, len(s.extra))
		}
		f.Percentiles[q.name] = q.of(h)
	}
	return f
}

// meanUS is the mean in microseconds, rounded to nanoseconds.
func meanUS(h *latency.Histogram) float64 { return math.Round(h.Mean()) / 1000 }
