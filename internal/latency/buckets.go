package latency

// Buckets yields how many samples each bucket holds that is not empty, from the lowest on. A bucket goes by the value with
// which [Histogram.Quantile] answers for it. The overflow is in no bucket.
func (h *Histogram) Buckets(yield func(value int64, samples uint64) bool) {
	for i, n := range h.all {
		if !yield(min(highest(i), h.totals.max), n) {
			return
		}
	}
}

// Total returns the sum of all samples as near as a float can be.
func (h *Histogram) Total() float64 { return float64(h.totals.sumHi)*(1<<64) + float64(h.totals.sumLo) }
