package latency

import (
	"bytes"
	"fmt"
	"sync"
)

// Sparse is a sum of histograms in little memory: about the size of its encoding, instead of a page for each octave of its
// values. It is for thousands of sums, such as those of each agent of a fleet. The zero value is empty and ready for use.
//
// It keeps copies of merged histograms in their packed form until there are enough to add up at once.
type Sparse struct {
	totals totals
	parts  [][]byte // packed buckets, of one sum or several; never written to
	bytes  int      // of the parts
	foldAt int      // the parts are added up when they are larger
}

// leastParts is how many parts are added up at once, at least.
const leastParts = 9

// Merge adds all samples of o. On an error s is unchanged.
func (s *Sparse) Merge(o *Histogram) error {
	sum, err := s.totals.plus(&o.totals)
	if err != nil {
		return fmt.Errorf("merge histogram: %w", err)
	}
	s.totals = sum
	var packed []byte
	if o.packed != nil {
		packed = bytes.Clone(o.packed) // o may be a part of the bytes of a whole window, which s would keep
	} else {
		packed = o.appendBuckets(nil)
	}
	if len(packed) > 0 {
		s.parts = append(s.parts, packed)
		s.bytes += len(packed)
	}
	if len(s.parts) >= leastParts && s.bytes >= s.foldAt {
		s.fold()
	}
	return nil
}

// fold adds the parts up. Many small parts are not added to a large sum one by one: the next time is when the parts are as large as the sum,
// so that s is at most twice as large, and each part is added up about once.
func (s *Sparse) fold() {
	f := s.sum()
	f.packed = f.sum.appendBuckets(f.packed[:0])
	clear(s.parts)
	s.parts = append(s.parts[:0], bytes.Clone(f.packed))
	s.bytes, s.foldAt = len(f.packed), 2*len(f.packed)
	f.done()
}

// sum adds the parts up. The caller must end it with done.
func (s *Sparse) sum() *folder {
	f := folders.Get().(*folder) //nolint:errcheck // it is one
	f.sum.totals = s.totals
	for _, part := range s.parts {
		f.sum.addPacked(part)
	}
	return f
}

// folder is the memory to add up the parts of a Sparse. It is large, and one of them is enough for thousands of sums.
type folder struct {
	sum    Histogram // empty
	packed []byte
}

// done returns the memory for the next user.
func (f *folder) done() {
	f.sum.Reset()
	folders.Put(f)
}

//nolint:gochecknoglobals // memory without a state
var folders = sync.Pool{New: func() any { return new(folder) }}

// Reset empties s and keeps its memory for the next parts.
func (s *Sparse) Reset() {
	clear(s.parts)
	s.totals, s.parts, s.bytes, s.foldAt = totals{}, s.parts[:0], 0, 0
}

// Count returns how many samples there are.
func (s *Sparse) Count() uint64 { return s.totals.count }

// Max returns the largest sample, or 0 if there is none.
func (s *Sparse) Max() int64 { return s.totals.max }

// Read calls read with the sum, which must be neither changed nor kept: its memory is that of the next sum.
func (s *Sparse) Read(read func(sum *Histogram)) {
	f := s.sum()
	defer f.done()
	read(&f.sum)
}
