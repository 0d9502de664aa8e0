package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// mostBars is how many categories a chart of bars has.
const mostBars = 40

// barred are cases in categories: a bar for each case, with a series for each target.
type barred struct {
	cases      []result.Case
	byRow      []string // the categories whose throughput is in rows
	groups     []group  // by target
	categories []string
	axis       string
}

// byTarget are the cases of a scenario by category and target.
func (g *scenario) byTarget() *barred {
	b := &barred{cases: g.cases, categories: g.categories, axis: "Case"}
	for _, target := range g.targets {
		one := group{name: target}
		if len(g.targets) == 1 {
			one.name = ""
		}
		for _, from := range g.groups {
			for _, p := range from.cases {
				if p.Target == target {
					one.cases = append(one.cases, p)
				}
			}
		}
		slices.SortStableFunc(one.cases, func(a, b place) int { return a.category - b.category })
		b.groups = append(b.groups, one)
	}
	return b
}

// byCase are bars of the cases of a scenario: throughput, published totals, and the response times of each operation.
func (g *scenario) byCase() []book.Chart {
	b := g.byTarget()
	by := "by case"
	if len(g.targets) > 1 {
		by = "by target"
	}
	var charts []book.Chart
	if len(g.categories) > 1 {
		charts = append(charts, b.chart("Throughput "+by, newColumn(throughputName)))
	}
	if col, ok := totalPublished(g.cases); ok && len(g.categories) > 1 {
		charts = append(charts, b.chart("Total time "+by, col))
	}
	for _, op := range ops(g.cases) {
		switch {
		case len(g.categories) == 1:
			charts = append(charts, b.stats(op))
		case len(g.targets) == 1:
			charts = append(charts, b.chart(capital(spoken(op))+" avg and p99 by case", newColumn(op+"_avg_us"), newColumn(op+"_p99_us")))
		default:
			for _, stat := range comparedStats() {
				col := newColumn(op + stat)
				charts = append(charts, b.chart(capital(col.title())+" by target", col))
			}
		}
	}
	return charts
}

// totalPublished is the total time of a run, if authors printed one; false otherwise.
func totalPublished(cases []result.Case) (column, bool) {
	for _, name := range columnsPublished(cases) {
		if col := newColumn(name); col.base == totalName {
			return col, true
		}
	}
	return column{}, false
}

// comparedStats are the response times that charts of targets have.
func comparedStats() []string { return []string{"_avg_us", "_p95_us", "_p99_us"} }

// chart has the bars of columns, a series for each column and target.
func (b *barred) chart(title string, columns ...column) book.Chart {
	intervals := bounded(b.cases)
	c := book.Chart{Title: title, Kind: book.Bars, X: book.Axis{Title: b.axis}, Y: []book.Axis{columns[0].axis()}}
	published := false
	shown, note := firstOf(b.categories, mostBars, "cases")
	c.X.Categories = shown
	for _, col := range columns {
		for _, one := range b.groups {
			cases := slices.DeleteFunc(slices.Clone(one.cases), func(p place) bool { return p.category >= mostBars })
			name, verbatim := seriesName(one.name, col, len(columns) > 1)
			s := col.series(name, b.throughputs(col, cases), intervals, func(p place) float64 { return float64(p.category) })
			if !anyKnown(s.Y) {
				continue
			}
			s.Verbatim = verbatim
			c.Series = append(c.Series, s)
			published = publish(&c, col, name, cases, "", 0) || published
		}
	}
	c.How = how(b.cases, published) + note
	if len(b.byRow) > 0 && columns[0].Name == throughputName {
		c.How += " In rows per second, because the batches of targets differ: " + strings.Join(b.byRow, ", ") + "."
	}
	return c
}

// throughputs are cases of which those of the categories in rows have the throughput in rows as theirs.
func (b *barred) throughputs(col column, cases []place) []place {
	if len(b.byRow) == 0 || col.Name != throughputName {
		return cases
	}
	out := slices.Clone(cases)
	for i, p := range out {
		if slices.Contains(b.byRow, b.categories[p.category]) {
			out[i].Figures = inRows(p.Figures)
		}
	}
	return out
}

// inRows are figures with the throughput in rows in place of that in operations.
func inRows(figures []result.Figure) []result.Figure {
	out := slices.DeleteFunc(slices.Clone(figures), func(f result.Figure) bool { return f.Name == throughputName })
	for i := range out {
		if out[i].Name == figure.RowThroughput {
			out[i].Name = throughputName
		}
	}
	return out
}

// stats has the mean and percentiles of an operation as categories: for a scenario with one case for each target.
func (b *barred) stats(op string) book.Chart {
	intervals := bounded(b.cases)
	c := book.Chart{Title: capital(spoken(op)) + ": avg, p95 and p99", Kind: book.Bars, X: book.Axis{Title: "Figure"}}
	series := make([]book.Series, len(b.groups))
	theirs := make([]book.Series, len(b.groups))
	published := false
	for i, stat := range comparedStats() {
		col := newColumn(op + stat)
		c.Y = []book.Axis{col.axis()}
		base, _ := figure.Split(strings.TrimPrefix(stat, "_"))
		c.X.Categories = append(c.X.Categories, base)
		for k, one := range b.groups {
			at := func(place) float64 { return float64(i) }
			join(&series[k], col.series(one.name, one.cases, intervals, at))
			for n := range one.cases {
				one.cases[n].category = i
			}
			if s, ok := col.publishedSeries(publishedName(one.name), one.cases, ""); ok {
				join(&theirs[k], s)
				published = true
			}
		}
	}
	for k := range b.groups {
		series[k].Verbatim = b.groups[k].name != ""
		series[k].Name = cmp.Or(series[k].Name, "measured")
		c.Series = append(c.Series, series[k])
		if theirs[k].Published {
			c.Series = append(c.Series, theirs[k])
		}
	}
	c.How = how(b.cases, published)
	return c
}

// join appends the values of a series to another one.
func join(to *book.Series, s book.Series) {
	to.Name, to.Style, to.Published = s.Name, s.Style, s.Published
	n := len(to.Y)
	to.X, to.Y = append(to.X, s.X...), append(to.Y, s.Y...)
	to.Low, to.High = padded(to.Low, s.Low, n, len(to.Y), math.NaN()), padded(to.High, s.High, n, len(to.Y), math.NaN())
	to.Runs = padded(to.Runs, s.Runs, n, len(to.Y), nil)
}

// padded appends to the values of the first n positions, of which there may be none; the result has values for all positions, or none.
func padded[T any](to, more []T, n, all int, none T) []T {
	if len(to) == 0 && len(more) == 0 {
		return nil
	}
	for len(to) < n {
		to = append(to, none)
	}
	to = append(to, more...)
	for len(to) < all {
		to = append(to, none)
	}
	return to
}

// across compares the scenarios that have one case, or one for each target: bars by scenario.
func across(groups []*scenario) []book.Chart {
	var charts []book.Chart
	for _, loop := range []string{"closed", "open", "mixed", ""} {
		b := &barred{axis: "Scenario"}
		for _, g := range groups {
			if g.loop == loop && len(g.categories) == 1 && g.x == "" {
				b.add(g)
			}
		}
		if len(b.categories) < 2 {
			continue
		}
		if len(b.groups) == 1 {
			b.groups[0].name = ""
		}
		suffix := ""
		if loop == "open" || loop == "mixed" {
			suffix = " (" + loop + " loop)"
		}
		charts = append(charts, b.chart("Throughput by scenario"+suffix, newColumn(throughputName)))
		if col, ok := totalPublished(b.cases); ok {
			charts = append(charts, b.chart("Total time by scenario"+suffix, col))
		}
		if len(b.groups) > 1 {
			continue // their response times are with their scenarios
		}
		for _, op := range ops(b.cases) {
			with := b.of(op)
			charts = append(charts, with.chart(fmt.Sprintf("%s avg and p99 by scenario%s", capital(spoken(op)), suffix), newColumn(op+"_avg_us"), newColumn(op+"_p99_us")))
		}
	}
	return drawable(charts...)
}

// add adds the cases of a scenario as a category.
func (b *barred) add(g *scenario) {
	for _, from := range g.groups {
		for _, p := range from.cases {
			p.category = len(b.categories)
			i := slices.IndexFunc(b.groups, func(g group) bool { return g.name == p.Target })
			if i < 0 {
				i = len(b.groups)
				b.groups = append(b.groups, group{name: p.Target})
			}
			b.groups[i].cases = append(b.groups[i].cases, p)
			b.cases = append(b.cases, p.Case)
		}
	}
	b.categories = append(b.categories, g.name)
	if name, _ := result.ThroughputOf(g.cases...); name != throughputName {
		b.byRow = append(b.byRow, g.name)
	}
}

// of is the same with only those cases that have an operation.
func (b *barred) of(op string) *barred {
	out := &barred{axis: b.axis}
	for _, g := range b.groups {
		one := group{name: g.name}
		for _, p := range g.cases {
			if !anyKnown([]float64{newColumn(op+"_avg_us").of(p.Case, false).value}) {
				continue
			}
			at := slices.Index(out.categories, b.categories[p.category])
			if at < 0 {
				at = len(out.categories)
				out.categories = append(out.categories, b.categories[p.category])
			}
			p.category = at
			one.cases = append(one.cases, p)
			out.cases = append(out.cases, p.Case)
		}
		out.groups = append(out.groups, one)
	}
	return out
}

// byProduct are bars of a scenario's throughput by product, where published lines have products that were not measured.
func (g *scenario) byProduct() []book.Chart {
	if len(g.categories) != 1 {
		return nil
	}
	throughput := newColumn(throughputName)
	names := slices.Clone(g.targets)
	theirs := make(map[string]measurement)
	var words []string // of products without a figure
	for _, c := range g.cases {
		for _, e := range c.Published {
			name, ok := e["product"].(string)
			if !ok || slices.Contains(g.targets, name) && name != c.Target {
				continue
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			m := throughput.line(e)
			if text, ok := e["throughput_text"].(string); ok && !m.any() {
				words = append(words, name+" ("+text+")")
			}
			theirs[name] = m
		}
	}
	if len(names) == len(g.targets) {
		return nil
	}
	published := book.Series{Name: "published", Style: book.Points, Published: true}
	for i, name := range names {
		if m := theirs[name]; m.any() {
			published.X, published.Y = append(published.X, float64(i)), append(published.Y, m.value)
			published.Low, published.High = append(published.Low, m.low), append(published.High, m.high)
		}
	}
	intervals := bounded(g.cases)
	measured := book.Series{}
	for _, one := range g.byTarget().groups {
		join(&measured, throughput.series("measured", one.cases, intervals, func(p place) float64 { return float64(slices.Index(names, p.Target)) }))
	}
	c := book.Chart{
		Title: "Throughput by product", Kind: book.Bars, X: book.Axis{Title: "Product", Categories: names}, Y: []book.Axis{throughput.axis()},
		Series: []book.Series{measured}, How: how(g.cases, true),
	}
	if len(published.X) > 0 {
		c.Series = append(c.Series, published)
	}
	if len(words) > 0 {
		c.How += " Published in words only: " + strings.Join(words, ", ") + "."
	}
	return []book.Chart{c}
}
