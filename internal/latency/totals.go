package latency

import (
	"errors"
	"math/bits"
)

// errTooMany reports that a merge would overflow a counter.
var errTooMany = errors.New("more samples than can be counted")

// totals are the exact figures of a set of samples. The sum has 128 bits: the response times of an overloaded open loop
// are hours long, and the sum over a week exceeds 2⁶⁴ ns.
type totals struct {
	count    uint64
	overflow uint64 // of them, above Highest
	negative uint64 // of them, below 0
	sumHi    uint64
	sumLo    uint64
	min, max int64 // 0 when count is 0
}

// add counts v, which is at least 0.
func (t *totals) add(v int64) {
	if t.count == 0 || v < t.min {
		t.min = v
	}
	t.max = max(t.max, v)
	t.count++
	var carry uint64
	t.sumLo, carry = bits.Add64(t.sumLo, uint64(v), 0)
	t.sumHi += carry
}

// plus returns the totals of both sets of samples together.
func (t *totals) plus(o *totals) (totals, error) {
	if o.count == 0 {
		return *t, nil
	}
	if t.count == 0 {
		return *o, nil
	}
	both := totals{
		overflow: t.overflow + o.overflow, negative: t.negative + o.negative,
		min: min(t.min, o.min), max: max(t.max, o.max),
	}
	var carry uint64
	both.sumLo, carry = bits.Add64(t.sumLo, o.sumLo, 0)
	if both.sumHi, carry = bits.Add64(t.sumHi, o.sumHi, carry); carry != 0 {
		return totals{}, errTooMany
	}
	// No count of a bucket can exceed its limit if their sum does not.
	if both.count, carry = bits.Add64(t.count, o.count, 0); carry != 0 {
		return totals{}, errTooMany
	}
	return both, nil
}

// span returns the buckets between which all samples are that have a bucket.
func (t *totals) span() (first, last int) {
	first = index(min(max(t.min, 0), Highest))
	return first, max(first, index(min(max(t.max, 0), Highest)))
}
