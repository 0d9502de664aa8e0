package latency

import (
	"errors"
	"fmt"
	"math"
)

// Histogram holds a set of samples: their count, sum, min and max exactly, and each sample's value to within
// 0.1 %. The zero value is empty and ready for use.
//
// A sample above [Highest] is in count, sum, min and max but in no bucket; Overflow reports their number. A sample below 0,
// which only a clock that runs backwards can produce, is recorded as 0; the encoding has their number.
//
// A Histogram may be read by several goroutines at once, but not while one changes it.
type Histogram struct {
	totals totals
	pages  *pageTable // nil without pages, as in a packed histogram, of which there are many
	// packed holds the buckets instead of pages in a decoded, unchanged histogram. It is a tenth of the size, and
	// sufficient for a merge. It is never written to.
	packed []byte
}

// page holds the counts of pageSize consecutive buckets.
type page [pageSize]uint64

// pageTable has the pages of a histogram; nil for those without a sample.
type pageTable [pages]*page

//nolint:gochecknoglobals // a constant table: it is never written to
var noPages pageTable

// table returns the pages for reading.
func (h *Histogram) table() *pageTable {
	if h.pages == nil {
		return &noPages
	}
	return h.pages
}

// page returns a page for writing.
func (h *Histogram) page(i int) *page {
	if h.pages == nil {
		h.pages = new(pageTable)
	}
	p := h.pages[i]
	if p == nil {
		p = new(page)
		h.pages[i] = p
	}
	return p
}

// Record adds one sample. A worker that records many operations does so through a [Recorder].
func (h *Histogram) Record(v int64) {
	h.unpack()
	if v < 0 {
		h.totals.negative++
		v = 0
	}
	h.totals.add(v)
	if v > Highest {
		h.totals.overflow++
		return
	}
	h.put(index(v), 1)
}

// put adds n to bucket i.
func (h *Histogram) put(i int, n uint64) {
	if t := h.pages; t != nil {
		if p := t[i>>pageBits]; p != nil {
			p[i&pageMask] += n
			return
		}
	}
	h.page(i >> pageBits)[i&pageMask] += n
}

// addZeros adds n samples of 0.
func (h *Histogram) addZeros(n uint64) {
	if n == 0 {
		return
	}
	h.unpack()
	h.totals.count += n
	h.totals.min = 0
	h.put(index(0), n)
}

// unpack prepares h for changes.
func (h *Histogram) unpack() {
	if h.packed == nil {
		return
	}
	h.addPacked(h.packed)
	h.packed = nil
}

// Merge adds all samples of o. On an error h is unchanged.
func (h *Histogram) Merge(o *Histogram) error {
	if o == nil {
		return errors.New("merge histogram: there is none")
	}
	sum, err := h.totals.plus(&o.totals)
	if err != nil {
		return fmt.Errorf("merge histogram: %w", err)
	}
	h.unpack()
	h.totals = sum
	h.addBuckets(o)
	return nil
}

// addBuckets adds the buckets of o, and not its totals.
func (h *Histogram) addBuckets(o *Histogram) {
	h.addPacked(o.packed)
	first, used := o.used()
	for i, from := range used {
		if from == nil {
			continue
		}
		to := h.page(first + i)
		for j, n := range from {
			to[j] += n
		}
	}
}

// Memory returns the size of the buckets in memory, in bytes.
func (h *Histogram) Memory() int {
	size := len(h.packed)
	for _, p := range h.table() {
		if p != nil {
			size += pageSize * 8
		}
	}
	return size
}

// Reset empties h and keeps its memory for the next samples.
func (h *Histogram) Reset() {
	_, used := h.used()
	for _, p := range used {
		if p != nil {
			*p = page{}
		}
	}
	h.totals, h.packed = totals{}, nil
}

// used returns the pages that can have samples, and the number of the first. A histogram that is used again may have more, which are empty.
func (h *Histogram) used() (first int, used []*page) {
	lowest, highest := h.totals.span()
	first = lowest >> pageBits
	return first, h.table()[first : highest>>pageBits+1]
}

// Clone returns a copy of h that shares no mutable memory with it.
func (h *Histogram) Clone() *Histogram {
	c := &Histogram{totals: h.totals, packed: h.packed}
	for i, p := range h.table() {
		if p != nil {
			*c.page(i) = *p
		}
	}
	return c
}

// all yields the non-empty buckets and their counts, from the lowest on.
func (h *Histogram) all(yield func(i int, n uint64) bool) {
	if h.packed != nil {
		packedBuckets(h.packed).all(yield)
		return
	}
	first, used := h.used()
	for i, p := range used {
		if p == nil {
			continue
		}
		for j, n := range p {
			if n != 0 && !yield((first+i)<<pageBits+j, n) {
				return
			}
		}
	}
}

// Count returns how many samples there are.
func (h *Histogram) Count() uint64 { return h.totals.count }

// Overflow returns how many samples are above [Highest].
func (h *Histogram) Overflow() uint64 { return h.totals.overflow }

// Min returns the smallest sample, 0 if there is none.
func (h *Histogram) Min() int64 { return h.totals.min }

// Max returns the largest sample, 0 if there is none.
func (h *Histogram) Max() int64 { return h.totals.max }

// Sum returns the sum of all samples, at most MaxUint64, which is 584 years. See Sum128.
func (h *Histogram) Sum() uint64 {
	if h.totals.sumHi != 0 {
		return math.MaxUint64
	}
	return h.totals.sumLo
}

// Sum128 returns the sum of all samples as hi·2⁶⁴ + lo.
func (h *Histogram) Sum128() (hi, lo uint64) { return h.totals.sumHi, h.totals.sumLo }

// Mean returns the mean of all samples, 0 if there is none.
func (h *Histogram) Mean() float64 {
	if h.totals.count == 0 {
		return 0
	}
	return h.Total() / float64(h.totals.count)
}
