package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// reported is the course of a figure of one source over the phases of a run.
type reported struct {
	source string
	at, v  []float64
	mean   float64
}

// figureOfRun is a figure with its sources.
type figureOfRun struct {
	name, unit string
	how        string // how it was computed, if it is not as its sources reported it
	sources    []*reported
}

// leastPoints is how many values of telemetry make a curve.
const leastPoints = 3

// telemetry has a chart for each figure: of the leading ones in their order, and of the others. Most of them are left out if they
// never changed.
func (l *timeline) telemetry(o Options) (charts, details []book.Chart) {
	for _, f := range l.figures() {
		switch {
		case f.name == result.PollTime || f.longest() < leastPoints:
		case f.leads() && (f.changed() || f.always()):
			charts = append(charts, l.figureChart(f, o))
		case f.changed():
			details = append(details, l.figureChart(f, o))
		}
	}
	return keep(charts...), keep(details...)
}

// figures are the figures of the run in the order of their charts.
func (l *timeline) figures() []*figureOfRun {
	byName := make(map[string]*figureOfRun)
	bySource := make(map[[2]string]*reported)
	var all []*figureOfRun
	for _, s := range l.spans {
		for i := range s.phase.Observations {
			o := &s.phase.Observations[i]
			if len(o.Points) == 0 {
				continue
			}
			f := byName[o.Name]
			if f == nil {
				f = &figureOfRun{name: o.Name, unit: o.Unit}
				byName[o.Name] = f
				all = append(all, f)
			}
			r := bySource[[2]string{o.Name, o.Source}]
			if r == nil {
				r = &reported{source: o.Source}
				bySource[[2]string{o.Name, o.Source}] = r
				f.sources = append(f.sources, r)
			}
			for _, p := range o.Points {
				r.at, r.v = append(r.at, rounded(s.from+p[0])), append(r.v, p[1])
			}
		}
	}
	if f := diskOperations(all); f != nil {
		all = append(all, f)
	}
	for _, f := range all {
		slices.SortStableFunc(f.sources, func(a, b *reported) int { return cmp.Compare(a.source, b.source) })
		for _, r := range f.sources {
			for _, v := range r.v {
				r.mean += v / float64(len(r.v))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *figureOfRun) int {
		aWhose, aFigure := splitFigure(a.name)
		bWhose, bFigure := splitFigure(b.name)
		return cmp.Or(cmp.Compare(rankOf(aFigure), rankOf(bFigure)), cmp.Compare(origin(aWhose), origin(bWhose)), cmp.Compare(a.name, b.name))
	})
	return all
}

// origin orders figures of one kind: the machines of servers, the servers, the machines of agents.
func origin(whose string) int {
	switch whose {
	case result.NodeFigures:
		return 0
	case result.HostFigures:
		return 2
	}
	return 1
}

// leads reports whether a figure is a leading one.
func (f *figureOfRun) leads() bool {
	_, name := splitFigure(f.name)
	return rankOf(name) < len(leading())
}

// always reports whether a figure has a chart even if it never changed: a reader looks for it.
func (f *figureOfRun) always() bool {
	_, name := splitFigure(f.name)
	return rankOf(name) < rankOf("requests")
}

// longest is the number of values of the source that has most.
func (f *figureOfRun) longest() int {
	most := 0
	for _, r := range f.sources {
		most = max(most, len(r.v))
	}
	return most
}

// changed reports whether a source reported different values.
func (f *figureOfRun) changed() bool {
	return slices.ContainsFunc(f.sources, func(r *reported) bool {
		return slices.ContainsFunc(r.v, func(v float64) bool { return v != r.v[0] })
	})
}

func (l *timeline) figureChart(f *figureOfRun, o Options) book.Chart {
	unit, scale := unitOf(f.unit), 1.0
	most := 0.0
	for _, r := range f.sources {
		for _, v := range r.v {
			most = max(most, math.Abs(v))
		}
	}
	if per, ok := strings.CutPrefix(unit, "bytes"); ok {
		unit, scale = bytesUnit(most, per)
	}
	axis := book.Axis{Title: figureTitle(f.name), Unit: unit}
	if unit == "%" && most <= 100 {
		axis.Max = 100
	}
	c := l.chart(axis.Title, cmp.Or(f.how, "As each source reported it: "+f.name+"."), axis)
	axis.Title, _, _ = strings.Cut(axis.Title, " (")
	c.Y[0] = axis
	var step float64
	c.Series, step = joined(f.sources, scale)
	if step > 0 {
		c.How += fmt.Sprintf(" A point is the mean over %g s; between two reports, a point on the line that joins them.", step)
	}
	if n := f.hide(c.Series, o.servers()); n > 0 {
		c.How += fmt.Sprintf(" %d of %d sources are shown: those with the most extreme means.", len(f.sources)-n, len(f.sources))
	}
	limits := o.Limits
	if f.unit == "percent" {
		limits = append(slices.Clone(limits), l.thresholds()...)
	}
	for _, limit := range limits {
		if limit.Figure == f.name && !slices.ContainsFunc(c.Limits, func(x book.Limit) bool { return x.Value == limit.Value/scale }) {
			c.Limits = append(c.Limits, book.Limit{Value: limit.Value / scale, Label: limit.Label})
		}
	}
	return c
}

// hide hides all series but the n busiest, and returns how many it hides.
func (f *figureOfRun) hide(series []book.Series, n int) int {
	if len(series) <= n {
		return 0
	}
	order := make([]int, len(series))
	for i := range order {
		order[i] = i
	}
	_, name := splitFigure(f.name)
	slices.SortStableFunc(order, func(a, b int) int {
		if lowestFirst(name) {
			a, b = b, a
		}
		return cmp.Compare(f.sources[b].mean, f.sources[a].mean)
	})
	for _, i := range order[n:] {
		series[i].Hidden = true
	}
	return len(series) - n
}

// thresholds are the limits in percent by which the bottleneck of the run was tested.
func (l *timeline) thresholds() []FigureLimit {
	b := l.main().phase.Bottleneck
	if b == nil {
		return nil
	}
	var out []FigureLimit
	for _, e := range b.Evidence {
		if e.Unit == "percent" {
			out = append(out, FigureLimit{Figure: e.Figure, Value: e.Limit, Label: "threshold of the test for a bottleneck"})
		}
	}
	return out
}

// bytesUnit is the unit of an amount of data, and how many bytes it has.
func bytesUnit(most float64, per string) (unit string, scale float64) {
	unit, scale = "B", 1.0
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if most/scale < 1000 {
			break
		}
		unit, scale = larger, scale*1000
	}
	return unit + per, scale
}
