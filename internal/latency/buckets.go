package latency

// Buckets yields the non-empty buckets with their counts, from the lowest on. A bucket is identified by the value that
// [Histogram.Quantile] returns for it. The overflow is in no bucket.
func (h *Histogram) Buckets(yield func(value int64, samples uint64) bool) {
	for i, n := range h.all {
		if !yield(min(highest(i), h.totals.max), n) {
			return
		}
	}
}

// Total returns the sum of all samples as a float.
func (h *Histogram) Total() float64 { return float64(h.totals.sumHi)*(1<<64) + float64(h.totals.sumLo) }
