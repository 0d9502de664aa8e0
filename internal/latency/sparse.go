package latency

import "fmt"

// Sparse is a sum of histograms in little memory: about the size of its encoding, instead of a page for each octave of its
// values. It is for thousands of sums, such as those of each agent of a fleet. The zero value is empty and ready for use.
//
// It keeps merged histograms in their packed form until there are enough to add up at once.
type Sparse struct {
	totals totals
	parts  [][]byte // packed buckets, of one sum or several; never written to
}

// foldAt is how many parts are added up at once. More parts cost memory, fewer cost time.
const foldAt = 9

// Merge adds all samples of o. On an error s is unchanged.
func (s *Sparse) Merge(o *Histogram) error {
	sum, err := s.totals.plus(&o.totals)
	if err != nil {
		return fmt.Errorf("merge histogram: %w", err)
	}
	s.totals = sum
	packed := o.packed
	if packed == nil {
		packed = o.appendBuckets(nil)
	}
	if len(packed) > 0 {
		s.parts = append(s.parts, packed)
	}
	if len(s.parts) >= foldAt {
		s.fold()
	}
	return nil
}

// fold adds the parts up.
func (s *Sparse) fold() {
	if len(s.parts) < 2 {
		return
	}
	var sum Histogram
	for _, part := range s.parts {
		sum.addPacked(part)
	}
	packed := sum.appendBuckets(nil)
	clear(s.parts)
	s.parts = append(s.parts[:0], packed)
}

// Count returns how many samples there are.
func (s *Sparse) Count() uint64 { return s.totals.count }

// Histogram returns the sum. It shares memory with s, but neither changes the other.
func (s *Sparse) Histogram() *Histogram {
	s.fold()
	h := &Histogram{totals: s.totals}
	if len(s.parts) > 0 {
		h.packed = s.parts[0]
	}
	return h
}
