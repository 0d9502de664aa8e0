package draw

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// overNumber are the charts of cases that differ in a number: throughput and response times over it, and for threads and rates the
// response times over the throughput. One group has both in one picture. Targets are compared case by case, too; with few numbers
// that is all there is to see.
func (g *scenario) overNumber() []book.Chart {
	var charts []book.Chart
	all := ops(g.cases)
	switch {
	case len(g.targets) > 1 && len(g.values) < stats.LeastLevels:
		return g.byCase()
	case len(g.groups) == 1 && len(all) <= mostBeside:
		charts = append(charts, g.beside(all))
	default:
		charts = append(charts, g.lines("Throughput "+over(g.axis()), newColumn(throughputName)))
		for _, op := range all {
			mean, p99, title := newColumn(op+"_avg_us"), newColumn(op+"_p99_us"), capital(spoken(op))
			if len(g.groups) <= mostBeside {
				charts = append(charts, g.lines(title+" avg and p99 "+over(g.axis()), mean, p99))
			} else {
				charts = append(charts, g.lines(title+" avg "+over(g.axis()), mean), g.lines(title+" p99 "+over(g.axis()), p99))
			}
		}
	}
	if axisRank(g.x) < 2 && len(all) > 0 {
		charts = append(charts, g.overThroughput(all[0]))
	}
	if len(g.targets) > 1 {
		charts = append(charts, g.byCase()...)
	}
	return charts
}

// mostBeside is how many operations or groups share a chart with two figures of each.
const mostBeside = 2

func (g *scenario) axis() book.Axis { return settingAxis(g.x, g.values) }

// beside is the chart of one group: throughput on the left axis, mean and p99 of each operation on the right one.
func (g *scenario) beside(all []string) book.Chart {
	intervals := bounded(g.cases)
	at := func(p place) float64 { return p.x }
	throughput := newColumn(throughputName)
	c := book.Chart{
		Title: "Throughput and response time " + over(g.axis()), Kind: book.Lines, X: g.axis(),
		Y: []book.Axis{throughput.axis()}, Limits: throughput.peaks(g.cases, 0),
	}
	cases := g.groups[0].cases
	c.Series = append(c.Series, throughput.series(throughput.title(), cases, intervals, at))
	published := publish(&c, throughput, throughput.title(), cases, g.x, 0) || len(c.Limits) > 0
	for _, op := range all {
		for _, stat := range []string{"_avg_us", "_p99_us"} {
			col := newColumn(op + stat)
			s := col.series(col.title(), cases, intervals, at)
			if !anyKnown(s.Y) {
				continue
			}
			if len(c.Y) == 1 {
				c.Y = append(c.Y, col.axis())
			}
			s.Axis = 1
			c.Series = append(c.Series, s)
			published = publish(&c, col, col.title(), cases, g.x, 1) || published
		}
	}
	c.How = how(g.cases, published)
	spread(&c)
	g.mark(&c)
	return c
}

// lines is a chart with a line for each group and column.
func (g *scenario) lines(title string, columns ...column) book.Chart {
	intervals := bounded(g.cases)
	c := book.Chart{Title: title, Kind: book.Lines, X: g.axis(), Y: []book.Axis{columns[0].axis()}}
	published := false
	for _, col := range columns {
		for _, one := range g.groups {
			name, verbatim := seriesName(one.name, col, len(columns) > 1)
			s := col.series(name, one.cases, intervals, func(p place) float64 { return p.x })
			if !anyKnown(s.Y) {
				continue
			}
			s.Verbatim = verbatim
			c.Series = append(c.Series, s)
			published = publish(&c, col, name, one.cases, g.x, 0) || published
		}
		for _, l := range col.peaks(g.cases, 0) {
			c.Limits = append(c.Limits, l)
			published = true
		}
	}
	c.How = how(g.cases, published)
	spread(&c)
	if columns[0].Name == throughputName {
		g.mark(&c)
	}
	return c
}

// seriesName names a series by its group, and by its column if the chart has several. It is verbatim if it is only that of the group.
func seriesName(group string, col column, several bool) (name string, verbatim bool) {
	switch {
	case group == "":
		return col.title(), false
	case several:
		return group + ", " + col.title(), false
	}
	return group, true
}

// publish adds the published values of a column to a chart, and reports whether there are some.
func publish(c *book.Chart, col column, name string, cases []place, x string, axis int) bool {
	s, ok := col.publishedSeries(publishedName(name), cases, x)
	if ok {
		s.Axis = axis
		c.Series = append(c.Series, s)
	}
	return ok
}

// overThroughput is the course of response times over the throughput: the knee of a system is where it turns upwards.
func (g *scenario) overThroughput(op string) book.Chart {
	intervals := bounded(g.cases)
	throughput := newColumn(throughputName)
	c := book.Chart{Title: fmt.Sprintf("%s avg and p99 over throughput", capital(spoken(op))), Kind: book.Lines, X: throughput.axis()}
	for _, one := range g.groups {
		for _, stat := range []string{"_avg_us", "_p99_us"} {
			col := newColumn(op + stat)
			name, _ := seriesName(one.name, col, true)
			s := col.series(name, one.cases, intervals, func(p place) float64 { return throughput.of(p.Case, intervals).value })
			s.Low, s.High, s.Runs = nil, nil, nil // they would need bounds in both directions
			if anyKnown(s.Y) {
				c.Y = []book.Axis{col.axis()}
				c.Series = append(c.Series, s)
			}
		}
		if p := g.sweep(one); p != nil && p.Plateau != nil {
			for _, at := range one.cases {
				if at.x == p.Plateau.From {
					c.Marks = append(c.Marks, book.Mark{
						From: throughput.of(at.Case, intervals).value, Kind: book.Chosen, Label: chosenAt(one.name, at.x, g.x), Text: p.Text,
					})
				}
			}
		}
	}
	c.How = fmt.Sprintf("Points are the cases, joined in the order of %s. %s", lowered(g.axis().Title), how(g.cases, false))
	return c
}

func lowered(s string) string { return over(book.Axis{Title: s})[len("over "):] }

// sweep is the sweep of a group; nil if it has none.
func (g *scenario) sweep(of group) *result.Sweep {
	for i := range g.sweeps {
		s := &g.sweeps[i]
		if s.Axis == g.x && len(s.Points) > 0 && slices.ContainsFunc(of.cases, func(p place) bool { return p.Name == s.Points[0].Case }) {
			return s
		}
	}
	return nil
}

// fitPoints is how many points draw a fitted curve.
const fitPoints = 60

// mark adds what the sweeps of a chart of throughput concluded: the plateau, and the fitted curve.
func (g *scenario) mark(c *book.Chart) {
	for _, one := range g.groups {
		s := g.sweep(one)
		if s == nil {
			continue
		}
		if p := s.Plateau; p != nil {
			m := book.Mark{From: p.From, Kind: book.Chosen, Label: chosenAt(one.name, p.From, g.x), Text: s.Text}
			if p.To > p.From && len(g.groups) == 1 {
				m.To = p.To
			}
			c.Marks = append(c.Marks, m)
		}
		if s.Fit == nil || !s.Fit.Fits {
			continue
		}
		name := "fitted"
		if one.name != "" {
			name = one.name + ", fitted"
		}
		fit := book.Series{Name: name, Style: book.Dashed}
		first, last := g.values[0], g.values[len(g.values)-1]
		for i := range fitPoints + 1 {
			x := first + (last-first)*float64(i)/fitPoints
			if c.X.Scale == book.Log {
				x = first * math.Pow(last/first, float64(i)/fitPoints)
			}
			fit.X, fit.Y = append(fit.X, x), append(fit.Y, s.Fit.At(x))
		}
		c.Series = append(c.Series, fit)
		c.How += " Fitted: Universal Scalability Law, " + stats.ScalabilityTest() + "."
	}
}

// chosenAt is the label of where more threads, or a higher rate, gain nothing.
func chosenAt(group string, x float64, key string) string {
	what := "threads"
	if axisRank(key) == 1 {
		what = "ops/s"
	}
	text := fmt.Sprintf("plateau from %g %s", x, what)
	if group != "" {
		return group + ": " + text
	}
	return text
}
