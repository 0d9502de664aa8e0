package svg

import (
	"math"

	"github.com/benchd/benchd/internal/report/book"
)

// curve draws the line and the points of a series, and reports whether there is any.
func (p *picture) curve(s *series) bool {
	y := p.y[s.Axis]
	xs, ys := make([]float64, 0, len(s.X)), make([]float64, 0, len(s.X))
	values := make([]int, 0, len(s.X))
	for i := range s.X {
		px, py := p.x.at(s.X[i]), y.at(s.Y[i])
		if math.IsNaN(px) {
			continue
		}
		if xs, ys = append(xs, px), append(ys, py); !math.IsNaN(py) {
			values = append(values, i)
		}
	}
	if len(values) == 0 {
		return false
	}
	if s.lined() {
		p.stroke(s, xs, ys)
	}
	switch {
	case !s.marked():
	case p.chart.Kind == book.Lines && len(values) <= manyPoints:
		p.namedPoints(s, values)
	case !s.lined():
		p.cloud(s, xs, ys)
	case p.several():
		p.sparse(s, xs, ys)
	}
	return true
}

// stroke draws a line with gaps. A line with more points than columns has the lowest and highest value of each column.
func (p *picture) stroke(s *series, xs, ys []float64) {
	p.add("<path")
	p.ink(none, s.colour)
	width := ` stroke-width="2"`
	if p.chart.Kind != book.Lines {
		width = ` stroke-width="1.5"`
	}
	if float64(len(xs)) > 2*(p.right-p.left) {
		width = ` stroke-width="1.1"`
	}
	p.add(` stroke-linejoin="round" stroke-linecap="round"`, width, s.dash(), ` d="`)
	d := path{out: p.out}
	switch {
	case float64(len(xs)) > 2*(p.right-p.left):
		d.columns(xs, ys)
	default:
		d.points(xs, ys, s.Style == book.Steps)
	}
	p.out = d.out
	p.add("\"/>\n")
	p.alone(s, xs, ys)
}

// alone draws the values without neighbours, which no line shows, unless they have markers.
func (p *picture) alone(s *series, xs, ys []float64) {
	if p.chart.Kind == book.Lines && s.marked() {
		return
	}
	missing := func(i int) bool { return i < 0 || i >= len(ys) || math.IsNaN(ys[i]) }
	d := path{}
	for i := range xs {
		if !missing(i) && missing(i-1) && missing(i+1) {
			d.dot(xs[i], ys[i])
		}
	}
	if len(d.out) == 0 {
		return
	}
	p.add("<path")
	p.ink(none, s.colour)
	p.add(` stroke-width="4" stroke-linecap="round" d="`, string(d.out), "\"/>\n")
}

// points adds a line through all points.
func (d *path) points(xs, ys []float64, steps bool) {
	begun := false
	for i := range xs {
		if math.IsNaN(ys[i]) {
			begun = false
			continue
		}
		switch {
		case begun && steps:
			d.line(xs[i], ys[i-1])
			d.line(xs[i], ys[i])
		case begun:
			d.line(xs[i], ys[i])
		default:
			d.move(xs[i], ys[i])
		}
		begun = true
	}
}

// columns adds a line through the lowest and the highest value of each column of pixels.
func (d *path) columns(xs, ys []float64) {
	column, some, gap := 0, false, true
	var lowX, lowY, highX, highY float64
	flush := func() {
		if !some {
			return
		}
		draw := d.line
		if gap {
			draw = d.dot
		}
		switch {
		case lowX == highX && lowY == highY:
			draw(lowX, lowY)
		case lowX <= highX:
			draw(lowX, lowY)
			d.line(highX, highY)
		default:
			draw(highX, highY)
			d.line(lowX, lowY)
		}
		some, gap = false, false
	}
	missing := false
	for i := range xs {
		x, y := xs[i], ys[i]
		if math.IsNaN(y) {
			missing = true
			continue
		}
		at := int(math.Floor(x))
		if !some || at != column {
			flush()
			gap = gap || missing
			column, some = at, true
			lowX, lowY, highX, highY = x, y, x, y
		}
		missing = false
		if y > lowY {
			lowX, lowY = x, y
		}
		if y < highY {
			highX, highY = x, y
		}
	}
	flush()
}

// namedPoints draws a marker at each value, with the value as a tooltip.
func (p *picture) namedPoints(s *series, values []int) {
	p.add("<g")
	p.markerInks(s)
	p.add(">\n")
	const apart = 9 // markers that are closer cannot be distinguished
	lastX, lastY := math.Inf(-1), 0.0
	for k, i := range values {
		x, y := p.x.at(s.X[i]), p.y[s.Axis].at(s.Y[i])
		if k+1 < len(values) && s.lined() && len(values) > 14 && math.Hypot(x-lastX, y-lastY) < apart {
			continue
		}
		lastX, lastY = x, y
		p.add(`<path d="`)
		p.marker(s.shape, x, y, 4)
		p.add(`">`)
		p.tooltip(s.name + ": " + p.described(s, i))
		p.add("</path>\n")
	}
	p.add("</g>\n")
}

// described is a value with its position.
func (p *picture) described(s *series, i int) string {
	text := figure(s.X[i], p.chart.X.Unit) + " → " + figure(s.Y[i], p.chart.Y[s.Axis].Unit)
	if len(s.Low) > 0 && !math.IsNaN(s.Low[i]) && !math.IsNaN(s.High[i]) {
		text += " (" + figure(s.Low[i], p.chart.Y[s.Axis].Unit) + " – " + figure(s.High[i], p.chart.Y[s.Axis].Unit) + ")"
	}
	return text
}

// cloud draws points without a line, each pixel once.
func (p *picture) cloud(s *series, xs, ys []float64) {
	p.add("<path")
	p.ink(none, s.colour)
	p.add(` stroke-width="4" stroke-linecap="round" stroke-opacity=".7" d="`)
	d := path{out: p.out}
	type pixel struct{ x, y int }
	seen := make(map[pixel]bool)
	for i := range xs {
		at := pixel{int(xs[i]), 0}
		if math.IsNaN(ys[i]) {
			continue
		}
		if at.y = int(ys[i]); seen[at] {
			continue
		}
		seen[at] = true
		d.dot(xs[i], ys[i])
	}
	p.out = d.out
	p.add("\"/>\n")
}

// sparse draws some markers on a line over time, so that series differ without colours.
func (p *picture) sparse(s *series, xs, ys []float64) {
	const distance = 110
	next := p.left + 20 + float64(s.shape%6)*distance/6
	var x, y []float64
	for i := range xs {
		if xs[i] >= next && !math.IsNaN(ys[i]) {
			x, y = append(x, xs[i]), append(y, ys[i])
			next = xs[i] + distance
		}
	}
	if len(x) > 0 {
		p.markers(s, x, y, 3.2)
	}
}
