package bottleneck

import (
	"fmt"
	"math"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

const (
	// crowd is how many operations must be in flight, on average, for an uneven distribution to be a limit: fewer do not
	// queue, wherever they go.
	crowd = 4
	// chance is the highest probability that even requests are as uneven as these, for all parts together.
	chance = 0.01
)

// uneven tests the shares of all sources in the sum of their figures.
func (x *examination) uneven(out tested) tested {
	rule := out.rule
	all := x.figures.courses(rule.Measure)
	points := 0
	for _, c := range all {
		points = max(points, len(c.values))
	}
	parts := float64(len(all))
	if rule.Parts != "" && len(x.figures[rule.Whole]) > 0 {
		parts = math.Round(x.mean(rule.Parts))
	}
	switch {
	case points < leastPoints || rule.Parts != "" && (len(x.figures[rule.Whole]) == 0 || len(x.figures[rule.Parts]) == 0):
		out.missing = missing(rule, points)
		return out
	case parts < 2:
		return out // one part alone is neither even nor uneven
	}
	out.even = 100 / parts
	limit := max(rule.LeastShare, 100*rule.Limit/(rule.Limit+parts-1))
	for i := range all {
		out.propose(x.share(rule, all, i, limit, parts, points))
	}
	return out
}

// mean is the mean over the points of any source of a figure that is added up over its sources.
func (x *examination) mean(figure string) float64 {
	for _, points := range x.figures[figure] {
		var c course
		for _, p := range points {
			v := x.figures.sum(figure, p[0])
			c.values = append(c.values, v)
		}
		return c.mean()
	}
	return 0
}

// share tests the share of one source in the whole of so many parts. A source that was not observed from the beginning has
// fewer points than others: at theirs it is not beyond the limit.
func (x *examination) share(rule descriptor.Bottleneck, all []course, i int, limit, parts float64, points int) result.Evidence {
	c := all[i]
	shares := course{source: c.source}
	var own, total float64
	beyond := 0
	for k := range c.at {
		whole := x.whole(rule, all, i, k)
		if whole <= 0 {
			continue
		}
		share := min(100, 100*c.values[k]/whole)
		own, total = own+c.values[k], total+whole
		shares.values = append(shares.values, share)
		if share >= limit {
			beyond++
		}
	}
	e := evidence(rule, shares, beyond)
	e.Unit, e.Limit = "percent", limit
	e.Points, e.Share, e.Holds = points, float64(beyond)/float64(points), enough(beyond, points)
	seconds := x.phase.Seconds / float64(len(c.values)) // of a point
	requests := uint64(math.Round(total * seconds))
	p := min(1, parts*stats.BinomialTail(min(requests, uint64(math.Round(own*seconds))), requests, 1/parts))
	e.Note = fmt.Sprintf("share of the sum; an even share of %.0f is %s; binomial test for an even share, corrected for their number: %s",
		parts, withUnit(100/parts, "percent"), pText(p))
	switch inFlight := inFlight(x.phase); {
	case p >= chance:
		e.Holds = false
	case e.Holds && inFlight < crowd:
		e.Holds = false
		e.Note += fmt.Sprintf("; only %s operations were in flight, fewer than %d", number(inFlight), crowd)
	}
	return e
}

// whole is the sum over all parts at a point of a source.
func (x *examination) whole(rule descriptor.Bottleneck, all []course, i, point int) float64 {
	at := all[i].at[point]
	sum := 0.0
	for j, other := range all {
		value := all[i].values[point]
		if i != j {
			value, _ = other.near(at)
		}
		sum += value
	}
	if rule.Whole == "" {
		return sum
	}
	whole := x.figures.sum(rule.Whole, at)
	return max(whole, sum)
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// inFlight is the mean number of operations in flight, by Little's law.
func inFlight(p *result.Phase) float64 {
	if p.Seconds <= 0 {
		return 0
	}
	sum := 0.0
	for _, o := range p.Operations {
		if o.PartOf == nil {
			sum += float64(o.Service.Count) * o.Service.Mean / 1e6
		}
	}
	return sum / p.Seconds
}
