package column

import "time"

// Placed is a window of a stretch, which is rolled up.
type Placed struct {
	Start, End     time.Duration
	Shard, Attempt int
	Tail           bool
	Holds          bool // it has measurements, its own and possibly those of others
}

// Roll is a set of windows of one shard to merge into the first of them.
type Roll[H any] struct {
	Holders []H           // the windows with measurements
	Ends    time.Duration // the end of the last window, including those rolled up into one of them before
}

// Stretch groups windows that begin within the same step, shard by shard. H is how an archive names a window.
type Stretch[H any] struct {
	Step  time.Duration
	Count int // windows so far

	groups map[group]*Roll[H]
	order  []*Roll[H]
}

type group struct {
	slot           int64
	shard, attempt int
}

// Add adds a window. Windows come in the order of their numbers.
func (s *Stretch[H]) Add(w Placed, h H) {
	s.Count++
	if w.Tail {
		return // it does not count for throughput
	}
	g := group{int64(w.Start / s.Step), w.Shard, w.Attempt}
	r := s.groups[g]
	if r == nil {
		r = new(Roll[H])
		if s.groups == nil {
			s.groups = make(map[group]*Roll[H])
		}
		s.groups[g] = r
		s.order = append(s.order, r)
	}
	r.Ends = max(r.Ends, w.End)
	if w.Holds {
		r.Holders = append(r.Holders, h)
	}
}

// Rolls returns the sets of more than one window, in the order of their first windows.
func (s *Stretch[H]) Rolls() []Roll[H] {
	var list []Roll[H]
	for _, r := range s.order {
		if len(r.Holders) > 1 {
			list = append(list, *r)
		}
	}
	return list
}
