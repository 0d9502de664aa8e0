package latency

import (
	"math"
	"sort"
)

// Quantile returns the highest value of the bucket of the sample of rank ⌈q·Count⌉ (q from 0 to 1), as HdrHistogram's tools
// do, but at most Max. If the rank is in the overflow it returns Max. It returns 0 if there is no sample.
func (h *Histogram) Quantile(q float64) int64 { return h.totals.quantile(q, h.bucketOf) }

// quantile is the quantile of samples whose buckets bucketOf finds by the ranks of samples.
func (t *totals) quantile(q float64, bucketOf func(rank uint64) (int, bool)) int64 {
	if t.count == 0 {
		return 0
	}
	if !(q > 0) {
		return t.min
	}
	if i, ok := bucketOf(rank(q, t.count)); ok {
		return min(highest(i), t.max)
	}
	return t.max // in the overflow
}

// bucketOf returns the bucket of the sample of a rank, counted from 1; false if it is in the overflow.
func (h *Histogram) bucketOf(left uint64) (int, bool) {
	if h.packed != nil {
		for i, n := range packedBuckets(h.packed).all {
			if n >= left {
				return i, true
			}
			left -= n
		}
		return 0, false
	}
	lowest, _ := h.totals.span()
	from := lowest & pageMask
	first, used := h.used()
	for i, p := range used {
		if p == nil {
			continue
		}
		j := from
		for ; j+8 <= pageSize; j += 8 { // results need many quantiles, so eight buckets are counted at once
			n := p[j : j+8 : j+8]
			eight := n[0] + n[1] + n[2] + n[3] + n[4] + n[5] + n[6] + n[7]
			if eight >= left {
				break
			}
			left -= eight
		}
		for ; j < pageSize; j++ {
			if p[j] >= left {
				return (first+i)<<pageBits + j, true
			}
			left -= p[j]
		}
		from = 0
	}
	return 0, false
}

// AtLeast returns how many samples are in the bucket of v or above it. The overflow is one bucket.
func (h *Histogram) AtLeast(v int64) uint64 {
	if v > Highest {
		return h.totals.overflow
	}
	from, count := index(max(v, 0)), h.totals.overflow
	if h.packed != nil {
		for i, n := range packedBuckets(h.packed).all {
			if i >= from {
				count += n
			}
		}
		return count
	}
	first, used := h.used()
	for i, p := range used { // not by all: there are many
		if p == nil {
			continue
		}
		for _, n := range p[min(max(from-(first+i)<<pageBits, 0), pageSize):] {
			count += n
		}
	}
	return count
}

// QuantileWithout returns the Quantile of the samples of h without those of o, which is one of the histograms merged into
// h; most is the largest sample of the others.
func (h *Histogram) QuantileWithout(o *Histogram, q float64, most int64) int64 {
	if h.totals.count <= o.totals.count {
		return 0
	}
	left := rank(q, h.totals.count-o.totals.count)
	own := o.table()
	if o.packed != nil {
		f := folders.Get().(*folder) //nolint:errcheck // it is one
		defer f.done()
		f.sum.totals = o.totals
		f.sum.addPacked(o.packed)
		own = f.sum.table()
	}
	for i, n := range h.all {
		if p := own[i>>pageBits]; p != nil {
			n -= p[i&pageMask]
		}
		if n >= left {
			return min(highest(i), most)
		}
		left -= n
	}
	return most // in the overflow
}

// Supports reports whether there are enough samples to print the q quantile.
func (h *Histogram) Supports(q float64) bool { return h.totals.count >= MinSamples(q) }

// rank returns ⌈q·n⌉, at least 1 and at most n.
func rank(q float64, n uint64) uint64 {
	// The rank is that of the decimal q, not of the nearest float: 0.07 of 100 samples is rank 7, although the product
	// of the floats is slightly above 7. Two units in the last place cover both roundings.
	r := math.Ceil(q * float64(n) * (1 - 0x1p-51))
	switch {
	case r >= float64(n):
		return n
	case r < 1:
		return 1
	}
	return uint64(r)
}

// MinSamples returns how many samples the q quantile (q from 0 to 1) needs to be meaningful: so many that with 99 %
// certainty at least two of them are beyond the true quantile, so that the printed value does not depend on a single
// sample. That is 11 for p50, 64 for p90, 130 for p95, 662 for p99, 6636 for p99.9 and 66381 for p99.99.
func MinSamples(q float64) uint64 {
	q = max(q, 1-q) // a low quantile needs as many samples as the opposite high one
	if !(q < 1) {
		return 1
	}
	const risk = 0.01
	beyond := 1 - q
	// The probability of fewer than two beyond is qⁿ + n(1−q)qⁿ⁻¹; for any q it is below the risk at 8/(1−q).
	return uint64(sort.Search(int(8/beyond)+1, func(n int) bool {
		return float64(n)*math.Log(q)+math.Log1p(float64(n)*beyond/q) <= math.Log(risk)
	}))
}

// Variance returns the variance of all samples about Mean, each taken as the middle of its bucket, and overflow as
// Max. It is 0 if there is none.
func (h *Histogram) Variance() float64 {
	if h.totals.count == 0 {
		return 0
	}
	mean, sum := h.Mean(), 0.0
	add := func(value float64, n uint64) { sum += (value - mean) * (value - mean) * float64(n) }
	for i, n := range h.all {
		add((float64(lowest(i))+float64(highest(i)))/2, n)
	}
	add(float64(h.totals.max), h.totals.overflow)
	return sum / float64(h.totals.count)
}
