package result

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// Range is a run of window numbers, both ends included.
type Range struct{ First, Last int }

// Stretch is a time from one instant to another, both counted from a phase's start.
type Stretch struct{ From, To time.Duration }

// seqSet is a set of windows, each with its number and its time. Windows come nearly in order, so it holds one range
// for each gap and not one entry for each window.
type seqSet struct {
	ranges []seqRange
	holes  []Stretch // between windows of adjacent numbers, in no order
}

// seqRange is a run of windows and the time from the first one's start to the last one's end.
type seqRange struct {
	Range
	Stretch
}

// add puts window n into the set and reports whether it was not in it yet.
func (s *seqSet) add(n int, at Stretch) bool {
	// The first range that ends at or after n−1 contains n, touches it or comes after it.
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].Last >= n-1 })
	if i == len(s.ranges) {
		s.ranges = append(s.ranges, seqRange{Range{n, n}, at})
		return true
	}
	r := &s.ranges[i]
	switch {
	case n >= r.First && n <= r.Last:
		return false
	case n == r.Last+1:
		s.between(r.To, at.From)
		r.Last, r.To = n, at.To
		if i+1 < len(s.ranges) && s.ranges[i+1].First == n+1 {
			next := s.ranges[i+1]
			s.between(r.To, next.From)
			r.Last, r.To = next.Last, next.To
			s.ranges = append(s.ranges[:i+1], s.ranges[i+2:]...)
		}
	case n == r.First-1:
		s.between(at.To, r.From)
		r.First, r.From = n, at.From
	default:
		s.ranges = slices.Insert(s.ranges, i, seqRange{Range{n, n}, at})
	}
	return true
}

// between records the time between the end of a window and the start of the next.
func (s *seqSet) between(end, start time.Duration) {
	if start > end {
		s.holes = append(s.holes, Stretch{end, start})
	}
}

// gaps returns the numbers from 0 to n−1 that are not in the set.
func (s *seqSet) gaps(n int) []Range {
	var out []Range
	next := 0
	for _, r := range s.ranges {
		if r.First >= n {
			break
		}
		if r.First > next {
			out = append(out, Range{next, r.First - 1})
		}
		next = r.Last + 1
	}
	if next < n {
		out = append(out, Range{next, n - 1})
	}
	return out
}

// uncovered returns the times between windows of adjacent numbers, in order.
func (s *seqSet) uncovered() []Stretch {
	return slices.SortedFunc(slices.Values(s.holes), func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
}

// start is when window 0 begins; ok is false while it is not in the set.
func (s *seqSet) start() (at time.Duration, ok bool) {
	if len(s.ranges) == 0 || s.ranges[0].First != 0 {
		return 0, false
	}
	return s.ranges[0].From, true
}

// end is one more than the largest number in the set.
func (s *seqSet) end() int {
	if len(s.ranges) == 0 {
		return 0
	}
	return s.ranges[len(s.ranges)-1].Last + 1
}
