package latency

import "fmt"

// Batch is a sum of many histograms that takes less time than a Histogram: the buckets of one window are spread over more memory than a
// processor has at hand, so they wait in their packed form until there are enough to add them up at once. The zero value is empty and ready
// for use.
//
// A Batch must not be read by several goroutines at once.
type Batch struct {
	sum     Histogram // its totals are those of all samples, and its buckets lack those that wait
	waiting []byte    // packed buckets, one histogram after another
	ends    []int     // of each histogram in waiting
}

// mostWaiting bounds the packed buckets that wait, in bytes: those of some windows with thousands of operations.
const mostWaiting = 16 << 10

// Merge adds all samples of o. On an error b is unchanged.
func (b *Batch) Merge(o *Histogram) error {
	if o.packed == nil {
		return b.sum.Merge(o)
	}
	sum, err := b.sum.totals.plus(&o.totals)
	if err != nil {
		return fmt.Errorf("merge histogram: %w", err)
	}
	b.sum.totals = sum
	if len(b.waiting)+len(o.packed) > mostWaiting {
		b.addUp()
	}
	b.waiting = append(b.waiting, o.packed...)
	b.ends = append(b.ends, len(b.waiting))
	return nil
}

// addUp adds up what waits.
func (b *Batch) addUp() {
	from := 0
	for _, end := range b.ends {
		b.sum.addPacked(b.waiting[from:end])
		from = end
	}
	b.waiting, b.ends = b.waiting[:0], b.ends[:0]
}

// Count returns how many samples there are.
func (b *Batch) Count() uint64 { return b.sum.totals.count }

// Histogram returns the sum. It is b's own: it may be read until b changes.
func (b *Batch) Histogram() *Histogram {
	b.addUp()
	return &b.sum
}
