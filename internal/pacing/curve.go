package pacing

import (
	"math"
	"sort"
	"time"
)

// Never is the instant of operations beyond the last one of a rate that ends at 0.
const Never = time.Duration(math.MaxInt64)

// curve is a Rate with the number of operations that are due at the beginning of each piece, which is the area under the
// pieces before it. The last piece has no end.
type curve []stretch

// stretch is a piece with at least one operation.
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

// at returns the instant of operation k: the first at which the area exceeds k. Operation 0 is therefore intended at once,
// and an operation that would fall into a pause at the end of the pause.
func (c curve) at(k float64) time.Duration {
	i := max(sort.Search(len(c), func(i int) bool { return c[i].due > k })-1, 0)
	ns := c[i].at(k)
	if i+1 < len(c) {
		ns = min(ns, c[i+1].start*1e9) // rounding must not reorder operations
	}
	return duration(ns)
}

// at returns the instant of operation k of this stretch, in nanoseconds.
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
	// The root of rate·t + slope·t²/2 = left, in the form without cancellation. Rounding may exceed the area of a
	// falling ramp, where the radicand would be negative.
	root := math.Sqrt(max(s.rate*s.rate+2*s.slope*left, 0))
	return (s.start + 2*left/(s.rate+root)) * 1e9
}

func duration(ns float64) time.Duration {
	if ns >= float64(Never) {
		return Never
	}
	return time.Duration(ns)
}
