package draw

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// someOperations is how many operations or kinds of failures a chart shows at first.
const someOperations = 8

// throughput is the chart of operations per second.
func (l *timeline) throughput() book.Chart {
	c := l.chart("Throughput", "Operations done per second, interval by interval.", rateAxis())
	points := l.points()
	all := book.Series{Name: "all operations", X: times(points), Y: values(points, func(p point) float64 { return float64(p.Ops) / p.Seconds })}
	c.Series = append(c.Series, all)
	if offered := l.offered(points); hasValues([]book.Series{offered}) {
		c.Series = append(c.Series, offered)
		c.How += " Dashed: the rate that was offered."
	}
	if parts := rates(points, func(o *result.PointOperation) string {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			return ""
		}
		return goodName(o.Op, o.Outcome)
	}); len(parts) > 1 {
		c.Series = append(c.Series, parts...)
		c.How += " The operations one by one are those that succeeded; all operations include the others."
	}
	return c
}

// offered is the rate that open loops intended, phase by phase.
func (l *timeline) offered(points []point) book.Series {
	return book.Series{Name: "offered", Style: book.Dashed, Y: values(points, func(p point) float64 {
		for _, s := range l.spans {
			if p.at >= s.from-1e-3 && p.at < s.to {
				return number(s.phase.Offered)
			}
		}
		return math.NaN()
	})}
}

// failures is the chart of failed operations per second.
func (l *timeline) failures() book.Chart {
	c := l.chart("Failed operations", "Operations per second that ended with another outcome than OK, interval by interval.", book.Axis{Title: "Failed", Unit: "ops/s"})
	points := l.points()
	c.Series = rates(points, func(o *result.PointOperation) string {
		if o.PartOf != nil || result.Good(o.Outcome) {
			return ""
		}
		return o.Op + " " + o.Outcome
	})
	return withTimes(c, points)
}

// retries is the chart of repeated attempts per second.
func (l *timeline) retries() book.Chart {
	c := l.chart("Repeated attempts", "Attempts within operations that were followed by another attempt, per second, by cause. The operations themselves may have succeeded.", book.Axis{Title: "Attempts", Unit: "1/s"})
	points := l.points()
	causes := make(map[string]uint64)
	for _, p := range points {
		for cause, n := range p.Retries {
			causes[cause] += n
		}
	}
	for _, cause := range slices.SortedFunc(maps.Keys(causes), func(a, b string) int {
		return cmp.Or(cmp.Compare(causes[b], causes[a]), cmp.Compare(a, b))
	}) {
		c.Series = append(c.Series, book.Series{
			Name: cause, Verbatim: true, Hidden: len(c.Series) >= someOperations,
			Y: values(points, func(p point) float64 { return float64(p.Retries[cause]) / p.Seconds }),
		})
	}
	return withTimes(c, points)
}

// rates are operations per second by a name, those with the most operations first. Operations without a name are left out.
func rates(points []point, name func(*result.PointOperation) string) []book.Series {
	counts := make(map[string][]float64)
	sums := make(map[string]float64)
	for i, p := range points {
		for k := range p.Operations {
			o := &p.Operations[k]
			n := name(o)
			if n == "" {
				continue
			}
			if counts[n] == nil {
				counts[n] = make([]float64, len(points))
			}
			counts[n][i] += float64(o.Count) / p.Seconds
			sums[n] += float64(o.Count)
		}
	}
	var out []book.Series
	for _, n := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	}) {
		out = append(out, book.Series{Name: n, Verbatim: true, Y: counts[n], Hidden: len(out) >= someOperations})
	}
	return out
}

func times(points []point) []float64 { return values(points, func(p point) float64 { return p.at }) }

func values(points []point, of func(point) float64) []float64 {
	out := make([]float64, len(points))
	for i, p := range points {
		out[i] = of(p)
	}
	return out
}

// withTimes gives the first series the times of all.
func withTimes(c book.Chart, points []point) book.Chart {
	if len(c.Series) > 0 {
		c.Series[0].X = times(points)
	}
	return c
}

// goodName is the name of an operation that succeeded: INSERT, or INSERT BATCHED_OK.
func goodName(op, outcome string) string {
	if outcome == "OK" {
		return op
	}
	return op + " " + outcome
}
