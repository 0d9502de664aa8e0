package xlsx

import (
	"math"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// plot is a chart as its XML has it.
type plot struct {
	title, how string
	bars       bool
	x          axis
	y          []axis // one or two
	series     []series
}

// axis is an axis of a plot.
type axis struct {
	title    string
	format   string
	log      bool
	min, max float64 // NaN: as the program chooses
	values   bool    // of numbers, not of categories
}

// series is a series of a plot.
type series struct {
	name         string
	x, y         data
	above, below data // lengths of the whiskers
	axis         int
	color        string
	shape        shape
	marker       string // empty: none
	hollow       bool
	dashed       bool
	lines        float64 // length of a vertical line at each point; 0: none
	unlisted     bool    // not in the legend
	open         []int   // bars that only reach a bound, or that stand for a band
}

// shape is how a series is drawn.
type shape int

const (
	line2d shape = iota
	points
	columns
)

// data is a range of cells with what is in it.
type data struct {
	ref    string
	values []float64
	texts  []string
}

// newPlot lays out a chart, with the figures that it refers to. left are the names of series that are not drawn.
func (wb *workbook) newPlot(c book.Chart) (p plot, left []string) {
	p = plot{title: clean(c.Title), how: clean(c.How), bars: c.Kind == book.Bars, x: newAxis(c.X)}
	for _, y := range c.Y[:min(len(c.Y), 2)] {
		p.y = append(p.y, newAxis(y))
	}
	if len(p.y) == 0 {
		p.y = append(p.y, newAxis(book.Axis{}))
	}
	if c.X.Scale == book.Percentile {
		p.x.title += " (" + wb.text(percentileText) + ")"
		p.x.format, p.x.log, p.x.max = `"`+strings.ReplaceAll(wb.text(oneIn), `"`, "")+` "#,##0`, true, math.NaN()
	}
	categories := data{}
	if p.bars {
		p.x.values = false
		names := make([]string, len(c.X.Categories))
		for i, name := range c.X.Categories {
			names[i] = oneLine(name, 120)
		}
		categories = wb.plots.texts(c.Title, withUnit(c.X.Title, c.X.Unit), names)
	}
	var shared []float64
	for i, s := range c.Series {
		xs := s.X
		if len(xs) == 0 {
			xs = shared
		}
		if i == 0 {
			shared = s.X
		}
		m := maker{wb: wb, chart: &c, p: &p, s: s, number: i, xs: xs, categories: categories}
		if s.Hidden {
			left = append(left, m.name())
		}
		m.add()
	}
	wb.limits(&p, c)
	wb.marks(&p, c)
	p.bounds()
	return p, left
}

func newAxis(a book.Axis) axis {
	out := axis{title: axisTitle(a), format: "General", log: a.Scale == book.Log, min: math.NaN(), max: math.NaN(), values: true}
	if a.Max > 0 {
		out.max = a.Max
	}
	return out
}

func axisTitle(a book.Axis) string { return withUnit(clean(a.Title), a.Unit) }

func withUnit(title, unit string) string {
	if unit == "" || hasUnit(title, unit) {
		return title
	}
	return strings.TrimSpace(title + " (" + unit + ")")
}

// maker makes the series of one series of a book.
type maker struct {
	wb         *workbook
	chart      *book.Chart
	p          *plot
	s          book.Series
	number     int
	xs         []float64
	categories data
}

func (m *maker) name() string {
	name := oneLine(m.s.Name, 120)
	if published := m.wb.text("published"); m.s.Published && !strings.Contains(name, published) {
		name = strings.TrimSpace(name + " (" + published + ")")
	}
	return name
}

// unit is the unit of the values.
func (m *maker) unit() string {
	if m.s.Axis < len(m.chart.Y) {
		return m.chart.Y[m.s.Axis].Unit
	}
	return ""
}

func (m *maker) add() {
	s := series{
		name: m.name(), axis: min(max(m.s.Axis, 0), len(m.p.y)-1), color: palette()[m.number%len(palette())],
		dashed: m.s.Style == book.Dashed || m.number >= len(palette()), hollow: m.s.Published,
	}
	ys, low, high := m.s.Y, m.s.Low, m.s.High
	if m.p.bars {
		ys, low, high = m.byCategory(ys), m.byCategory(low), m.byCategory(high)
		s.x, s.shape = m.categories, columns
		if s.axis > 0 {
			s.shape, s.marker = points, "diamond"
		}
	} else {
		s.x = m.positions()
		s.shape = line2d
		if m.s.Published || m.s.Style == book.Points {
			s.shape = points
		}
		if m.chart.Kind == book.Lines || s.shape == points {
			s.marker = []string{"circle", "square", "triangle", "diamond"}[m.number%4]
		}
	}
	at, above, below, open := whiskers(m.visible(ys, s.axis), low, high)
	s.open = open
	s.y = m.wb.plots.numbers(m.chart.Title, withUnit(s.name, m.unit()), at)
	if hasValue(above) || hasValue(below) {
		s.above = m.wb.plots.numbers(m.chart.Title, s.name+": "+m.wb.text("above"), above)
		s.below = m.wb.plots.numbers(m.chart.Title, s.name+": "+m.wb.text("below"), below)
	}
	if !m.s.Hidden {
		m.p.series = append(m.p.series, s)
	}
	m.runs(s)
}

// positions are the x values of the series.
func (m *maker) positions() data {
	xs := m.xs
	head := withUnit(m.chart.X.Title, m.chart.X.Unit)
	if m.chart.X.Scale == book.Percentile {
		xs = make([]float64, len(m.xs))
		for i, p := range m.xs {
			if xs[i] = math.NaN(); p < 100 {
				xs[i] = math.Round(1e6/(1-p/100)) / 1e6
			}
		}
		head = m.wb.text(oneIn)
	}
	if m.p.x.log {
		xs = positive(xs)
	}
	return m.wb.plots.numbers(m.chart.Title, head, xs)
}

// visible are values that an axis can show: a logarithmic one has none at 0 and below.
func (m *maker) visible(ys []float64, axis int) []float64 {
	if m.p.y[axis].log {
		return positive(ys)
	}
	return ys
}

func positive(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		if out[i] = x; !(x > 0) {
			out[i] = math.NaN()
		}
	}
	return out
}

// byCategory puts the values of a series of bars in the order of the categories.
func (m *maker) byCategory(values []float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	out := make([]float64, len(m.chart.X.Categories))
	for i := range out {
		out[i] = math.NaN()
	}
	for i, y := range values {
		at := i
		if len(m.xs) > i {
			at = int(math.Round(m.xs[i]))
		}
		if at >= 0 && at < len(out) {
			out[at] = y
		}
	}
	return out
}

// runs adds the values of the repeats as small points.
func (m *maker) runs(of series) {
	if len(m.s.Runs) == 0 || of.shape == columns && m.bars() > 1 && len(m.chart.X.Categories) > 0 {
		m.listRuns(of)
		return
	}
	var xs, ys []float64
	for i, runs := range m.s.Runs {
		for _, y := range runs {
			if i < len(m.xs) || m.p.bars {
				xs, ys = append(xs, m.position(i)), append(ys, y)
			}
		}
	}
	if len(ys) == 0 {
		return
	}
	s := series{
		name: of.name + ", " + m.wb.text("runs"), axis: of.axis, color: of.color, shape: points, marker: "circle", hollow: true,
	}
	if m.p.bars {
		m.listRuns(of)
		return
	}
	s.x = m.wb.plots.numbers(m.chart.Title, withUnit(m.chart.X.Title, m.chart.X.Unit), xs)
	s.y = m.wb.plots.numbers(m.chart.Title, withUnit(s.name, m.unit()), m.visible(ys, s.axis))
	if !m.s.Hidden {
		m.p.series = append(m.p.series, s)
	}
}

func (m *maker) position(i int) float64 {
	if i < len(m.xs) {
		return m.xs[i]
	}
	return float64(i)
}

// bars is how many series of the chart are bars.
func (m *maker) bars() int {
	n := 0
	for _, s := range m.chart.Series {
		if !s.Hidden && s.Axis == 0 {
			n++
		}
	}
	return n
}

// listRuns puts the values of the repeats beside those of the bars: a column for the first of each, one for the second, and so on.
// A chart with one series draws them, too.
func (m *maker) listRuns(of series) {
	most := 0
	for _, runs := range m.s.Runs {
		most = max(most, len(runs))
	}
	for k := range most {
		column := make([]float64, len(m.s.Runs))
		for i, runs := range m.s.Runs {
			if column[i] = math.NaN(); k < len(runs) {
				column[i] = runs[k]
			}
		}
		if m.p.bars {
			column = m.byCategory(column)
		}
		name := of.name + ", " + m.wb.text("runs")
		d := m.wb.plots.numbers(m.chart.Title, withUnit(name+" "+itoa(k+1), m.unit()), column)
		if m.p.bars && m.bars() == 1 && !m.s.Hidden {
			m.p.series = append(m.p.series, series{
				name: name, x: m.categories, y: d, axis: of.axis, color: ink, shape: points, marker: "circle", unlisted: k > 0,
			})
		}
	}
}

// whiskers are the values of a series with the lengths of the whiskers above and below them. Where there is no value, the middle of the
// bounds takes its place, or the only bound; open has the positions of these.
func whiskers(ys, low, high []float64) (at, above, below []float64, open []int) {
	if len(low) == 0 && len(high) == 0 {
		return ys, nil, nil, nil
	}
	get := func(of []float64, i int) float64 {
		if i < len(of) {
			return of[i]
		}
		return math.NaN()
	}
	n := max(len(ys), len(low), len(high))
	at, above, below = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		y, l, h := get(ys, i), get(low, i), get(high, i)
		switch {
		case !math.IsNaN(y):
		case !math.IsNaN(l) && !math.IsNaN(h):
			y, open = (l+h)/2, append(open, i)
		case !math.IsNaN(l):
			y, open = l, append(open, i)
		case !math.IsNaN(h):
			y, open = h, append(open, i)
		}
		at[i], above[i], below[i] = y, math.NaN(), math.NaN()
		if h-y > 0 {
			above[i] = h - y
		}
		if y-l > 0 {
			below[i] = y - l
		}
	}
	return at, above, below, open
}

func hasValue(values []float64) bool {
	for _, x := range values {
		if !math.IsNaN(x) {
			return true
		}
	}
	return false
}

// limits adds the lines across the chart.
func (wb *workbook) limits(p *plot, c book.Chart) {
	for _, l := range c.Limits {
		s := series{name: oneLine(l.Label, 120), axis: min(max(l.Axis, 0), len(p.y)-1), color: "B3174E", dashed: true}
		if p.bars {
			values := make([]float64, len(c.X.Categories))
			for i := range values {
				values[i] = l.Value
			}
			s.y = wb.plots.numbers(c.Title, s.name, values)
			for _, other := range p.series {
				s.x = other.x
			}
		} else {
			from, to := p.extent(func(s series) data { return s.x })
			s.x = wb.plots.numbers(c.Title, withUnit(c.X.Title, c.X.Unit), []float64{from, to})
			s.y = wb.plots.numbers(c.Title, s.name, []float64{l.Value, l.Value})
		}
		p.series = append(p.series, s)
	}
}

// extent is the range of the values of all series.
func (p *plot) extent(of func(series) data) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, x := range of(s).values {
			if !math.IsNaN(x) {
				from, to = min(from, x), max(to, x)
			}
		}
	}
	return from, to
}

// bounds sets the ends of axes: of logarithmic ones to powers of ten, and of x axes of lines to the values.
func (p *plot) bounds() {
	set := func(a *axis, from, to float64) {
		if !(from > 0) || math.IsInf(from, 0) || math.IsInf(to, 0) {
			return
		}
		a.min = math.Pow(10, math.Floor(math.Log10(from)+1e-9))
		a.max = max(math.Pow(10, math.Ceil(math.Log10(to)-1e-9)), 10*a.min)
	}
	if from, to := p.extent(func(s series) data { return s.x }); p.x.log {
		set(&p.x, from, to)
	} else if p.x.values && !math.IsInf(from, 0) && from < to {
		p.x.min, p.x.max = from, to
		if from > 0 && from < (to-from)/2 {
			p.x.min = 0
		}
	}
	for i := range p.y {
		from, to := p.extent(func(s series) data {
			if s.axis != i || s.lines > 0 {
				return data{}
			}
			return s.y
		})
		if p.y[i].log {
			set(&p.y[i], from, to)
		} else if from >= 0 {
			p.y[i].min = 0
		}
		if to >= 1000 && !math.IsInf(to, 0) {
			p.y[i].format = "#,##0"
		}
	}
}
