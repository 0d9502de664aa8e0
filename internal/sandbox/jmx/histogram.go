package jmx

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// fine is the number of buckets per power of two.
	fine    = 8
	fineLog = 3
	buckets = 42 * fine // up to more than an hour in nanoseconds
	// period is the minimum window of a percentile and of a mean; infrequent reads get a window of up to two periods. HBase's
	// are also of recent values.
	period = 10 * time.Second
)

// Histogram records durations. Record may be called concurrently. The zero Histogram is ready.
type Histogram struct {
	sum    atomic.Int64
	counts [buckets]atomic.Int64

	mu      sync.Mutex
	older   *mark // start of the window of percentiles and means
	younger *mark // start of their next window
}

// mark is a Histogram's counts at an instant.
type mark struct {
	at     time.Time
	sum    int64
	counts [buckets]int64
}

// Record records a duration.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.sum.Add(int64(d))
	h.counts[bucket(uint64(d))].Add(1)
}

func bucket(n uint64) int {
	if n < fine {
		return int(n)
	}
	shift := bits.Len64(n) - 1 - fineLog
	return min((shift+1)*fine+int(n>>shift)-fine, buckets-1)
}

// highest is the largest value of a bucket.
func highest(bucket int) time.Duration {
	if bucket < fine {
		return time.Duration(bucket)
	}
	shift := bucket/fine - 1
	return time.Duration(uint64(bucket%fine+fine+1)<<shift - 1)
}

// Times summarizes a Histogram.
type Times struct {
	Count int64         // of all times
	Mean  time.Duration // of the recent durations; 0 if there were none
	// Percentile returns a percentile of the recent durations; 0 if there were none.
	Percentile func(share float64) time.Duration
}

// Read returns the current summary.
func (h *Histogram) Read(now time.Time) Times {
	h.mu.Lock()
	defer h.mu.Unlock()
	var t Times
	current := mark{at: now, sum: h.sum.Load()}
	for i := range h.counts {
		current.counts[i] = h.counts[i].Load()
		t.Count += current.counts[i]
	}
	recent := current.counts
	h.advance(&current)
	var n int64
	for i := range recent {
		recent[i] -= h.older.counts[i]
		n += recent[i]
	}
	if n > 0 {
		t.Mean = time.Duration(max(current.sum-h.older.sum, 0) / n)
	}
	t.Percentile = func(share float64) time.Duration { return percentile(&recent, n, share) }
	return t
}

// advance moves the marks, so that the older one is one to two periods old.
func (h *Histogram) advance(current *mark) {
	switch {
	case h.older == nil:
		h.older, h.younger = &mark{at: current.at}, current
	case current.at.Sub(h.younger.at) >= period:
		h.older, h.younger = h.younger, current
	}
}

func percentile(counts *[buckets]int64, n int64, share float64) time.Duration {
	if n <= 0 {
		return 0
	}
	rank := max(int64(share*float64(n)+0.999999), 1)
	for i, c := range counts {
		if rank -= c; rank <= 0 {
			return highest(i)
		}
	}
	return highest(buckets - 1)
}
