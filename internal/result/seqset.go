package result

import "sort"

// Range is a run of window numbers, both ends included.
type Range struct{ First, Last int }

// seqSet is a set of window numbers. Windows come nearly in order, so it holds one range for each gap and not
// one entry for each window.
type seqSet struct{ ranges []Range }

// add puts n into the set and reports whether it was not in it yet.
func (s *seqSet) add(n int) bool {
	// The first range that ends at or after n−1 is the one that n is in, touches or comes before.
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].Last >= n-1 })
	if i == len(s.ranges) {
		s.ranges = append(s.ranges, Range{n, n})
		return true
	}
	r := &s.ranges[i]
	switch {
	case n >= r.First && n <= r.Last:
		return false
	case n == r.Last+1:
		r.Last = n
		if i+1 < len(s.ranges) && s.ranges[i+1].First == n+1 {
			r.Last = s.ranges[i+1].Last
			s.ranges = append(s.ranges[:i+1], s.ranges[i+2:]...)
		}
	case n == r.First-1:
		r.First = n
	default:
		s.ranges = append(s.ranges, Range{})
		copy(s.ranges[i+1:], s.ranges[i:])
		s.ranges[i] = Range{n, n}
	}
	return true
}

// gaps returns what of 0 to n−1 is not in the set.
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

// end is one more than the largest number in the set.
func (s *seqSet) end() int {
	if len(s.ranges) == 0 {
		return 0
	}
	return s.ranges[len(s.ranges)-1].Last + 1
}
