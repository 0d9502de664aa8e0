package pacing

import (
	"math"
	"sort"
	"time"
)

// Never is an instant that does not come: that of operations beyond the last where a rate ends at 0.
const Never = time.Duration(math.MaxInt64)

// curve is a Rate with the operations that are due at the beginning of each piece, which is the area under the pieces
// before. The last piece goes on for ever.
type curve []stretch

// stretch is a piece that some operation is intended in.
type stretch struct {
	start float64 // seconds
	due   float64 // operations before start
	rate  float64 // at start
	slope float64 // of the rate, per second
}

func newCurve(rate Rate) curve {
	var (
		c          curve
		start, due float64
		last       float64
	)
	for _, p := range rate {
		last = p.To
		if p.Seconds == 0 {
			break
		}
		if area := (p.From + p.To) / 2 * p.Seconds; area > 0 {
			c = append(c, stretch{start: start, due: due, rate: p.From, slope: (p.To - p.From) / p.Seconds})
			due += area
		}
		start += p.Seconds
	}
	return append(c, stretch{start: start, due: due, rate: last})
}

// at is the instant of operation k: the first at which more than k operations' worth of area lies behind. So operation
// 0 is intended at once, and one that would fall into a pause at the pause's end.
func (c curve) at(k float64) time.Duration {
	i := max(sort.Search(len(c), func(i int) bool { return c[i].due > k })-1, 0)
	ns := c[i].at(k)
	if i+1 < len(c) {
		ns = min(ns, c[i+1].start*1e9) // or a rounding could let operations overtake each other
	}
	return duration(ns)
}

// at is the instant of operation k of this stretch, in nanoseconds.
func (s *stretch) at(k float64) float64 {
	left := k - s.due
	switch {
	case s.slope == 0 && s.rate == 0:
		return math.Inf(1)
	case s.slope == 0:
		return s.start*1e9 + left*1e9/s.rate
	case left <= 0:
		return s.start * 1e9
	}
	// The root of rate·t + slope·t²/2 = left, in the form that loses nothing to cancellation. The area of a falling
	// ramp may be passed by a rounding, where the root would be of less than nothing.
	root := math.Sqrt(max(s.rate*s.rate+2*s.slope*left, 0))
	return (s.start + 2*left/(s.rate+root)) * 1e9
}

func duration(ns float64) time.Duration {
	if ns >= float64(Never) {
		return Never
	}
	return time.Duration(ns)
}
