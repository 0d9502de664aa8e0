package incident

import (
	"math"
	"slices"
	"sort"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// curve is the throughput of the whole intervals of a phase.
type curve struct {
	points []result.Point
	rates  []float64 // operations that did not fail, per second
}

func newCurve(p *result.Phase) *curve {
	c := &curve{points: result.WholeIntervals(p.Series)}
	c.rates = make([]float64, len(c.points))
	for i := range c.points {
		c.rates[i] = answered(&c.points[i]) / c.points[i].Seconds
	}
	return c
}

// answered counts the operations of an interval that did not fail. A read of a row that does not exist was answered.
func answered(p *result.Point) float64 {
	n := float64(p.Ops)
	for i := range p.Operations {
		if o := &p.Operations[i]; o.PartOf == nil && !result.Good(o.Outcome) && o.Outcome != notFound {
			n -= float64(o.Count)
		}
	}
	return n
}

const notFound = "NOT_FOUND"

func (c *curve) end(i int) float64 { return c.points[i].T + c.points[i].Seconds }

// ending is the first interval that ends after an instant.
func (c *curve) ending(t float64) int {
	return sort.Search(len(c.points), func(i int) bool { return c.end(i) > t+tiny })
}

// starting is the first interval that starts at an instant or later.
func (c *curve) starting(t float64) int {
	return sort.Search(len(c.points), func(i int) bool { return c.points[i].T >= t-tiny })
}

const tiny = 1e-6 // seconds: instants are multiples of the interval, but for rounding

// stretch is a part of the time that an incident has disturbed.
type stretch struct{ from, to float64 }

// usual are the intervals that end before an instant and that no stretch disturbs, newest last. The phase's first
// interval includes the connecting.
func (c *curve) usual(before float64, disturbed []stretch) []int {
	var out []int
	for i := c.ending(before) - 1; i > 0 && len(out) < mostBefore; i-- {
		if !slices.ContainsFunc(disturbed, func(s stretch) bool { return c.end(i) > s.from+tiny && c.points[i].T < s.to-tiny }) {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

// level is what is usual before an incident.
type level struct {
	intervals          []int
	mean, noise, floor float64
	idle               bool // some of the intervals had no operation
}

// limit is the throughput that counts as recovered.
func (l *level) limit() float64 { return result.Recovered * l.mean }

// level of some intervals. If it drifts, only the newer half of them counts.
func (c *curve) level(intervals []int) level {
	rates := c.at(intervals)
	for n := len(rates); n >= 2*leastHalf; n = len(rates) {
		early, late := stats.Median(rates[:n/2]), stats.Median(rates[n/2:])
		if math.Abs(late-early) <= mostDrift*math.Max(early, late) {
			break
		}
		rates, intervals = rates[n/2:], intervals[n/2:]
	}
	l := level{intervals: intervals, idle: slices.Contains(rates, 0)}
	var ops, seconds float64
	for _, i := range intervals {
		ops += answered(&c.points[i])
		seconds += c.points[i].Seconds
	}
	l.mean = ops / seconds
	l.noise = noise(rates)
	l.floor = l.mean - max(leastDepth*l.mean, noiseFactor(len(rates))*l.noise)
	return l
}

func (c *curve) at(intervals []int) []float64 {
	out := make([]float64, len(intervals))
	for k, i := range intervals {
		out[k] = c.rates[i]
	}
	return out
}

// noise is the standard deviation of normally distributed values, estimated from their absolute deviations from the
// median: their median, which resists outliers, or their mean, which is not 0 as soon as some values differ.
func noise(x []float64) float64 {
	middle := stats.Median(x)
	deviations := make([]float64, len(x))
	sum := 0.0
	for i := range x {
		deviations[i] = math.Abs(x[i] - middle)
		sum += deviations[i]
	}
	return max(1.4826*stats.Median(deviations), 1.2533*sum/float64(len(x)))
}

// noiseFactor is how many standard deviations below the mean an interval counts for a dip. The noise of few intervals is
// known less well.
func noiseFactor(n int) float64 { return leastNoise * (1 + fewNoise/float64(n)) }
