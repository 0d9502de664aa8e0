package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// A picture with more than these is not readable, or has more bytes than a reader wants to wait for.
const (
	maxSeries     = 16
	maxCategories = 40
	maxBars       = 160
	maxMarks      = 200
	maxPoints     = 100_000 // of a series
	maxRepeats    = 3000    // small points of a picture
)

// series is a series as it is drawn.
type series struct {
	book.Series
	name   string // in the legend
	colour ink
	shape  int // of markers and hatches
}

// prepare makes the chart drawable: every series has positions, values that cannot be drawn are NaN, and there is not too much of
// anything. Notes say what is left out.
func (p *picture) prepare(c book.Chart) {
	p.chart = c
	p.chart.Title, p.chart.How = plain(c.Title), plain(c.How)
	p.chart.Y = slices.Clone(c.Y[:min(len(c.Y), 2)])
	if len(p.chart.Y) == 0 {
		p.chart.Y = []book.Axis{{}}
	}
	for _, a := range []*book.Axis{&p.chart.X, &p.chart.Y[0], &p.chart.Y[len(p.chart.Y)-1]} {
		a.Title, a.Unit = plain(a.Title), plain(shortened(a.Unit, 20))
		if a.Max = drawable(a.Max); !(a.Max > 0) {
			a.Max = 0
		}
	}
	shown := c.Series
	if slices.ContainsFunc(c.Series, func(s book.Series) bool { return s.Hidden }) {
		shown = slices.DeleteFunc(slices.Clone(c.Series), func(s book.Series) bool { return s.Hidden })
	}
	if len(shown) > maxSeries {
		p.note("%d of %d series are drawn.", maxSeries, len(shown))
		shown = shown[:maxSeries]
	}
	var common []float64
	if len(c.Series) > 0 {
		common = c.Series[0].X
	}
	for _, s := range shown {
		p.series = append(p.series, p.prepared(s, common))
	}
	p.dye()
	marks := slices.DeleteFunc(slices.Clone(c.Marks), func(m book.Mark) bool { return math.IsNaN(drawable(m.From)) })
	if len(marks) > maxMarks {
		p.note("%d of %d marks are drawn.", maxMarks, len(marks))
		marks = marks[:maxMarks]
	}
	slices.SortStableFunc(marks, func(a, b book.Mark) int { return cmp.Compare(a.From, b.From) })
	p.chart.Marks = marks
}

func (p *picture) note(format string, values ...any) {
	p.notes = append(p.notes, p.text(fmt.Sprintf(format, values...)))
}

// drawable is a value, or NaN if it is beyond anything measured. Values that are too small for any axis are 0.
func drawable(v float64) float64 {
	switch a := math.Abs(v); {
	case a < 1e-30:
		return 0
	case a < 1e30:
		return v
	}
	return math.NaN()
}

func drawables(values []float64, n int) []float64 {
	if len(values) == 0 {
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		if out[i] = math.NaN(); i < len(values) {
			out[i] = drawable(values[i])
		}
	}
	return out
}

func (p *picture) prepared(s book.Series, common []float64) series {
	n := min(len(s.Y), maxPoints)
	x := s.X
	if len(x) == 0 {
		x = common
	}
	if len(x) == 0 {
		x = make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
	}
	n = min(n, len(x))
	s.X, s.Y, s.Low, s.High = drawables(x[:n], n), drawables(s.Y[:n], n), drawables(s.Low, n), drawables(s.High, n)
	runs := make([][]float64, min(len(s.Runs), n))
	for i := range runs {
		runs[i] = drawables(s.Runs[i], len(s.Runs[i]))
	}
	s.Runs = runs
	if len(s.Low) == 0 || len(s.High) == 0 {
		s.Low, s.High = nil, nil
	}
	if s.Axis < 0 || s.Axis >= len(p.chart.Y) {
		s.Axis = 0
	}
	if p.chart.Kind == book.Time || p.chart.Kind == book.Density {
		s = inOrder(s)
	}
	out := series{Series: s, name: plain(s.Name)}
	if word := p.text("published"); s.Published && !strings.Contains(strings.ToLower(out.name), strings.ToLower(word)) {
		out.name = strings.TrimSpace(out.name + " (" + word + ")")
	}
	if s.Axis == 1 {
		out.name += rightwards
	}
	return out
}

// rightwards marks the right axis and the names of its series.
const rightwards = " →"

// inOrder sorts a series over time. Values without a time go.
func inOrder(s book.Series) book.Series {
	sorted := true
	for i, x := range s.X {
		if math.IsNaN(x) || i > 0 && x < s.X[i-1] {
			sorted = false
			break
		}
	}
	if sorted {
		return s
	}
	order := make([]int, 0, len(s.X))
	for i, x := range s.X {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.X[a], s.X[b]) })
	pick := func(values []float64) []float64 {
		if len(values) == 0 {
			return nil
		}
		out := make([]float64, len(order))
		for i, k := range order {
			out[i] = values[k]
		}
		return out
	}
	s.X, s.Y, s.Low, s.High, s.Runs = pick(s.X), pick(s.Y), pick(s.Low), pick(s.High), nil
	return s
}

// dye gives every series a colour and a shape. Published figures have those of the measured series with the same name.
func (p *picture) dye() {
	next := 0
	for i := range p.series {
		s := &p.series[i]
		at := -1
		if s.Published {
			at = slices.IndexFunc(p.series, func(other series) bool { return !other.Published && p.bare(other.name) == p.bare(s.name) })
		}
		if at >= 0 && at < i {
			s.colour, s.shape = p.series[at].colour, p.series[at].shape
			continue
		}
		s.colour, s.shape = firstSeries+ink(next%numSeriesInks), next
		next++
	}
}

// bare is a name without the word that marks published figures.
func (p *picture) bare(name string) string {
	s := strings.ReplaceAll(strings.ToLower(name), strings.ToLower(p.text("published")), "")
	s = strings.ReplaceAll(s, strings.ToLower(p.text("measured")), "")
	return strings.Trim(s, " ()（）,，:：-–→")
}

// extent is the range of the values on a y axis, with the limits that are not far above them.
func (p *picture) extent(axis int) span {
	log := p.chart.Y[axis].Scale == book.Log
	var e span
	add := func(values []float64) {
		for _, v := range values {
			if !log || v > 0 {
				e.add(v)
			}
		}
	}
	for i := range p.series {
		s := &p.series[i]
		if s.Axis != axis {
			continue
		}
		add(s.Y)
		add(s.Low)
		add(s.High)
		for k := range s.Low {
			if math.IsNaN(s.High[k]) && s.Low[k] > 0 {
				e.add(1.15 * s.Low[k]) // for the arrow of an open interval
			}
		}
		for _, runs := range s.Runs {
			add(runs)
		}
	}
	reach := e
	for _, l := range p.chart.Limits {
		v := drawable(l.Value)
		if l.Axis != axis || math.IsNaN(v) || log && v <= 0 {
			continue
		}
		if factor := map[bool]float64{true: 100, false: 4}[log]; e.some && v > factor*e.hi && e.hi > 0 {
			p.note("Above the axis: %s, %s.", plain(l.Label), figure(v, p.chart.Y[axis].Unit))
			continue
		}
		reach.add(v)
	}
	return reach
}

// positions are the different x values of all series, in order, and their range. They include those without a value, so that
// charts over the same time line up.
func (p *picture) positions() ([]float64, span) {
	var e span
	var all []float64
	for i := range p.series {
		for _, v := range p.series[i].X {
			if p.chart.X.Scale == book.Log && v <= 0 || math.IsNaN(v) {
				continue
			}
			if e.add(v); len(all) < 10_000 && p.chart.Kind == book.Lines {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), e
}
