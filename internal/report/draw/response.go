package draw

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// responses are charts of the response times over time, one for each operation that succeeded, the most frequent first.
func (l *timeline) responses(h *Histograms) []book.Chart {
	counts := make(map[latency.Key]uint64)
	for _, s := range l.spans {
		for i := range s.phase.Operations {
			if o := &s.phase.Operations[i]; o.PartOf == nil && result.Good(o.Outcome) && o.Count > 0 {
				counts[latency.Key{Op: o.Op, Outcome: o.Outcome}] += o.Count
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b latency.Key) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), a.Compare(b))
	})
	var out []book.Chart
	for _, key := range keys[:min(len(keys), someOperations)] {
		c := l.chart("Response time of "+goodName(key.Op, key.Outcome), "", responseAxis())
		if c.Series = l.measured(h, key); len(c.Series) > 0 {
			c.How = fmt.Sprintf("Percentiles and maximum of every %s, from the merged histograms of all agents.", secondsText(h.step(key)))
		} else {
			c.Series = l.documented(key)
			c.How = "Percentiles, mean and maximum of each interval, of all agents together."
		}
		c.How += " A percentile is left out where an interval has too few operations for it."
		if s, ok := l.service(key); ok {
			c.Series = append(c.Series, s)
			c.How += " Dashed: the mean service time, which begins when the operation is sent."
		}
		c.Series = slices.DeleteFunc(c.Series, func(s book.Series) bool { return !hasValues([]book.Series{s}) })
		out = append(out, c)
	}
	return keep(out...)
}

// measured are the percentiles of an operation from histograms.
func (l *timeline) measured(h *Histograms, key latency.Key) []book.Series {
	if h == nil {
		return nil
	}
	var all course
	var at []float64
	for _, s := range l.spans {
		c := h.course[operation{s.phase.Name, key}]
		if c == nil {
			continue
		}
		for _, start := range c.starts {
			at = append(at, rounded(s.from+start.Seconds()))
		}
		all.p50, all.p95, all.p99 = append(all.p50, c.p50...), append(all.p95, c.p95...), append(all.p99, c.p99...)
		all.p999, all.most = append(all.p999, c.p999...), append(all.most, c.most...)
	}
	if len(at) == 0 {
		return nil
	}
	line := func(name string, y []float64) book.Series { return book.Series{Name: name, X: at, Y: y} }
	return []book.Series{line("p50", all.p50), line("p95", all.p95), line("p99", all.p99), line("p99.9", all.p999), line("max", all.most)}
}

// documented are the figures of an operation that the document has.
func (l *timeline) documented(key latency.Key) []book.Series {
	points := l.points()
	at := times(points)
	line := func(name string, of func(*result.PointOperation) float64) book.Series {
		return book.Series{Name: name, X: at, Y: values(points, func(p point) float64 { return figureOf(p, key, of) })}
	}
	return []book.Series{
		line("mean", func(o *result.PointOperation) float64 { return positive(o.Mean) }),
		line("p50", func(o *result.PointOperation) float64 { return number(o.P50) }),
		line("p99", func(o *result.PointOperation) float64 { return number(o.P99) }),
		line("max", func(o *result.PointOperation) float64 { return positive(o.Max) }),
	}
}

// service is the mean service time of an operation in open loops; false if there is none.
func (l *timeline) service(key latency.Key) (book.Series, bool) {
	open := slices.ContainsFunc(l.spans, func(s span) bool { return s.phase.LoopOf(key.Op) == "open" })
	if !open {
		return book.Series{}, false
	}
	points := l.points()
	s := book.Series{Name: "mean service time", Style: book.Dashed, X: times(points), Y: values(points, func(p point) float64 {
		return figureOf(p, key, func(o *result.PointOperation) float64 { return positive(o.ServiceMean) })
	})}
	return s, hasValues([]book.Series{s})
}

// figureOf is a figure of an operation in an interval; NaN if the interval does not have it.
func figureOf(p point, key latency.Key, of func(*result.PointOperation) float64) float64 {
	for i := range p.Operations {
		if o := &p.Operations[i]; o.PartOf == nil && o.Op == key.Op && o.Outcome == key.Outcome && o.Count > 0 {
			return of(o)
		}
	}
	return math.NaN()
}

// positive is a time that a document of another program may not have: then it is 0.
func positive(us float64) float64 {
	if us > 0 {
		return us
	}
	return math.NaN()
}
