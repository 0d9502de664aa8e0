package latency

import (
	"math"
	"math/bits"
)

// tally counts samples as a Histogram does, in half the memory. Recording uses many tallies for a short time; a Histogram
// lives longer and may hold more than 2³² samples of one bucket.
//
// Workers wait while a sample is counted, so values that can be computed later are not kept: count is the sum of the
// buckets and the overflow.
type tally struct {
	sumHi, sumLo uint64
	// room is MaxInt64 − min, so that the zero tally is an empty one.
	room, max          int64
	overflow, negative uint64
	pages              [pages]*smallPage
	// wrapped has an entry for each time that the count of a bucket passed 2³².
	wrapped []int
}

type smallPage [pageSize]uint32

// add counts v; a page that it needs comes from free.
func (t *tally) add(v int64, free *freePages) {
	if uint64(v) > uint64(Highest) {
		if v > 0 {
			t.addOverflow(v)
			return
		}
		t.negative++
		v = 0
	}
	var carry uint64
	t.sumLo, carry = bits.Add64(t.sumLo, uint64(v), 0)
	t.sumHi += carry
	if v > t.max {
		t.max = v
	}
	if math.MaxInt64-v > t.room {
		t.room = math.MaxInt64 - v
	}
	i := index(v)
	p := t.pages[i>>pageBits]
	if p == nil {
		p = t.newPage(i>>pageBits, free)
	}
	c := &p[i&pageMask]
	*c++
	if *c == 0 {
		t.wrap(i)
	}
}

// addOverflow counts v, which has no bucket. Like newPage and wrap it is rarely called; inlined, each would cost add some
// registers.
//
//go:noinline
func (t *tally) addOverflow(v int64) {
	t.overflow++
	var carry uint64
	t.sumLo, carry = bits.Add64(t.sumLo, uint64(v), 0)
	t.sumHi += carry
	t.max = max(t.max, v)
	t.room = max(t.room, math.MaxInt64-v)
}

//go:noinline
func (t *tally) newPage(i int, free *freePages) *smallPage {
	t.pages[i] = free.take()
	return t.pages[i]
}

//go:noinline
func (t *tally) wrap(i int) { t.wrapped = append(t.wrapped, i) }

// used reports whether there is any sample.
func (t *tally) used() bool { return t.room != 0 || t.max != 0 }

// empty resets t and returns its pages.
func (t *tally) empty(back *freePages) {
	for _, p := range t.pages {
		if p != nil {
			back.give(p)
		}
	}
	*t = tally{}
}

// totals returns the exact figures of t.
func (t *tally) totals() totals {
	sum := totals{
		count: t.overflow + uint64(len(t.wrapped))<<32, overflow: t.overflow, negative: t.negative,
		sumHi: t.sumHi, sumLo: t.sumLo, max: t.max,
	}
	for _, p := range t.pages {
		if p == nil {
			continue
		}
		for _, n := range p {
			sum.count += uint64(n)
		}
	}
	if sum.count > 0 {
		sum.min = math.MaxInt64 - t.room
	}
	return sum
}

// addTally adds all samples of t to h.
func (h *Histogram) addTally(t *tally) error {
	own := t.totals()
	sum, err := h.totals.plus(&own)
	if err != nil {
		return err
	}
	h.totals = sum
	for i, from := range t.pages {
		if from == nil {
			continue
		}
		to := h.page(i)
		for j, n := range from {
			to[j] += uint64(n)
		}
	}
	for _, i := range t.wrapped {
		h.put(i, 1<<32)
	}
	return nil
}

// freePages keeps pages for reuse. They are cleared when they are returned, which costs the cutter's time and not a
// worker's.
type freePages []*smallPage

func (f *freePages) take() *smallPage {
	last := len(*f) - 1
	if last < 0 {
		return new(smallPage)
	}
	p := (*f)[last]
	*f = (*f)[:last]
	return p
}

func (f *freePages) give(p *smallPage) {
	*p = smallPage{}
	*f = append(*f, p)
}
