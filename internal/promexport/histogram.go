package promexport

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/latency"
)

// schema is the resolution of native histograms: 2⁵ buckets an octave, each 2.2 % wider than the previous one. Ours are
// finer, so that each is within one of them.
const schema = 5

// zeroThreshold is the width of the native bucket for 0, as in client libraries: only a latency of 0 is in it.
const zeroThreshold = prometheus.DefNativeHistogramZeroThreshold

// bounds are the upper ends of the classic buckets: three a decade, from the latency of memory to more than any user waits
// for.
func bounds() []time.Duration {
	var all []time.Duration
	for decade := 10 * time.Microsecond; decade <= 10*time.Second; decade *= 10 {
		all = append(all, decade, decade*5/2, decade*5)
	}
	return append(all, 100*time.Second)
}

// histogram is an immutable Metric of one histogram.
type histogram struct {
	desc   *prometheus.Desc
	labels []*dto.LabelPair
	body   *dto.Histogram
}

// Histogram returns h as a metric with labels, in seconds: classic and native at once; the scraper selects what it
// supports. It keeps no reference to h.
func Histogram(desc *prometheus.Desc, h *latency.Histogram, labels ...string) prometheus.Metric {
	return &histogram{desc: desc, labels: prometheus.MakeLabelPairs(desc, labels), body: convert(h)}
}

// Desc returns the metric's description.
func (m *histogram) Desc() *prometheus.Desc { return m.desc }

// Write fills in the protobuf form of the metric.
func (m *histogram) Write(out *dto.Metric) error {
	out.Label, out.Histogram = m.labels, m.body
	return nil
}

// convert counts each of our buckets as a whole at the value that quantiles return for it. So a quantile computed by
// Prometheus differs from the result's by at most the width of a native bucket.
func convert(h *latency.Histogram) *dto.Histogram {
	out := &dto.Histogram{
		SampleCount: new(h.Count()), SampleSum: new(h.Total() / float64(time.Second)),
		Schema: proto.Int32(schema), ZeroThreshold: new(zeroThreshold),
	}
	var (
		native = spans{end: -1}
		zero   uint64
		below  uint64 // classic buckets count all samples below their bounds
	)
	open := bounds()
	for value, n := range h.Buckets {
		for len(open) > 0 && value > int64(open[0]) {
			out.Bucket = append(out.Bucket, classic(open[0], below))
			open = open[1:]
		}
		below += n
		if value == 0 {
			zero += n
		} else {
			native.add(value, n)
		}
	}
	for _, bound := range open {
		out.Bucket = append(out.Bucket, classic(bound, below))
	}
	if n := h.Overflow(); n > 0 { // the only known bound of these is the longest
		native.add(h.Max(), n)
	}
	out.ZeroCount = new(zero)
	out.PositiveSpan, out.PositiveDelta = native.spans, native.deltas
	return out
}

func classic(bound time.Duration, below uint64) *dto.Bucket {
	return &dto.Bucket{UpperBound: new(bound.Seconds()), CumulativeCount: new(below)}
}

// nativeBucket is the index of the bucket for a duration above 0: bucket i ends at 2^(i/2^schema) seconds.
func nativeBucket(ns int64) int {
	fraction, exponent := math.Frexp(float64(ns) / float64(time.Second)) // so that powers of two are exact
	return exponent<<schema + int(math.Ceil(math.Log2(fraction)*(1<<schema)))
}

// bucketEnd is the longest duration in a native bucket.
func bucketEnd(bucket int) int64 {
	return int64(min(math.Exp2(float64(bucket)/(1<<schema))*float64(time.Second), math.MaxInt64/2))
}

// spans builds the sparse form of native buckets from durations in rising order.
type spans struct {
	spans  []*dto.BucketSpan
	deltas []int64 // of each bucket's count to the one before
	last   int     // index of the last bucket
	end    int64   // the longest duration in it; -1 if there is none
	count  int64   // in it
}

// shortGap is how many empty buckets are written instead of beginning a new span.
const shortGap = 2

func (s *spans) add(ns int64, n uint64) {
	more := int64(min(n, math.MaxInt64))
	if ns <= s.end { // most of our buckets are in the same native one as the previous
		s.deltas[len(s.deltas)-1] += more
		s.count += more
		return
	}
	bucket := nativeBucket(ns)
	switch gap := bucket - s.last - 1; {
	case s.end < 0:
		s.begin(bucket)
	case gap > shortGap:
		s.begin(gap)
	default:
		for range gap {
			s.put(0)
		}
	}
	s.put(more)
	s.last, s.end = bucket, max(bucketEnd(bucket), ns)
}

func (s *spans) begin(offset int) {
	s.spans = append(s.spans, &dto.BucketSpan{Offset: new(int32(offset)), Length: proto.Uint32(0)})
}

func (s *spans) put(count int64) {
	*s.spans[len(s.spans)-1].Length++
	s.deltas = append(s.deltas, count-s.count)
	s.count = count
}
