package svg

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
)

// manyPoints is the number of points from which a line has no marker at each of them.
const manyPoints = 80

// lines draws the kinds Lines and Time.
func (p *picture) lines() {
	height := 300.0
	if p.chart.Kind == book.Time {
		height = 220
	}
	p.measureSides(height)
	p.horizontal()
	p.heading()
	p.legend(p.lineSample)
	p.axisTitles()
	marks := p.lanes()
	p.top += float64(used(marks))*laneSize + 6
	p.place(height)
	p.spans(marks)
	p.gridAndTicks()
	p.clip()
	some := p.intervals()
	some = p.repeats() || some
	for i := range p.series {
		some = p.curve(&p.series[i]) || some
	}
	p.add("</g>\n")
	p.limits()
	p.markLines(marks)
	if !some {
		p.empty()
	}
	p.xAxis()
	p.footer()
}

// horizontal sets the x axis between the sides.
func (p *picture) horizontal() {
	positions, values := p.positions()
	if p.chart.Kind == book.Lines {
		p.x = positionAxis(p.chart.X, values, positions, p.right-p.left)
	} else {
		p.x = seconds(p.chart.X, values, p.right-p.left)
	}
	p.x.a, p.x.b = p.left, p.right
}

// dash is the pattern of a series' line. Solid lines are measured.
func (s *series) dash() string {
	switch {
	case s.Published:
		return ` stroke-dasharray="7 4"`
	case s.Style == book.Dashed:
		return ` stroke-dasharray="2 3"`
	}
	return ""
}

func (s *series) lined() bool { return s.Style != book.Points }

// marked reports whether the series has markers: fitted and offered lines have none.
func (s *series) marked() bool { return s.Style != book.Dashed }

func (p *picture) lineSample(s *series, x, y float64) {
	if s.lined() {
		p.line(x, y, x+24, y, s.colour, ` stroke-width="2"`+s.dash())
	}
	if s.marked() && (p.chart.Kind == book.Lines || p.several() || !s.lined()) {
		p.markers(s, []float64{x + 12}, []float64{y}, 3.5)
	}
}

// several reports whether there are series to distinguish.
func (p *picture) several() bool { return len(p.series) > 1 }

// markers draws markers in one element.
func (p *picture) markers(s *series, x, y []float64, r float64) {
	p.add("<path")
	p.markerInks(s)
	p.add(` d="`)
	for i := range x {
		p.marker(s.shape, x[i], y[i], r)
	}
	p.add("\"/>\n")
}

// markerInks adds the colours of markers. Those of published figures are hollow.
func (p *picture) markerInks(s *series) {
	if s.Published {
		p.ink(background, s.colour)
		p.add(` stroke-width="1.6"`)
	} else {
		p.ink(s.colour, background)
	}
}

// marker adds the path of a marker.
func (p *picture) marker(shape int, x, y, r float64) {
	switch shape % 6 {
	case 0:
		d := path{out: p.out}
		d.move(x-r, y)
		p.out = d.out
		for _, way := range []float64{2 * r, -2 * r} {
			p.add("a")
			p.out = appendTenths(p.out, tenths(r))
			p.add(" ")
			p.out = appendTenths(p.out, tenths(r))
			p.add(" 0 1 0 ")
			p.out = appendTenths(p.out, tenths(way))
			p.add(" 0")
		}
		p.add("z")
	case 1:
		r *= 0.9
		p.pathOf(true, x-r, y-r, x+r, y-r, x+r, y+r, x-r, y+r)
	case 2:
		r *= 1.25
		p.pathOf(true, x, y-r, x+r, y+r*0.8, x-r, y+r*0.8)
	case 3:
		r *= 1.3
		p.pathOf(true, x, y-r, x+r, y, x, y+r, x-r, y)
	case 4:
		r *= 1.25
		p.pathOf(true, x, y+r, x+r, y-r*0.8, x-r, y-r*0.8)
	default:
		r *= 1.15
		t := r / 2.6
		p.pathOf(true, x-t, y-r, x+t, y-r, x+t, y-t, x+r, y-t, x+r, y+t, x+t, y+t, x+t, y+r, x-t, y+r, x-t, y+t, x-r, y+t, x-r, y-t, x-t, y-t)
	}
}

// intervals draws the intervals of all series: as bars at few positions, otherwise as bands.
func (p *picture) intervals() bool {
	some := false
	for i := range p.series {
		s := &p.series[i]
		if len(s.Low) == 0 {
			continue
		}
		some = true
		if p.chart.Kind == book.Lines && len(s.X) <= 40 {
			p.whiskers(s)
		} else {
			p.band(s)
		}
	}
	return some
}

func (p *picture) whiskers(s *series) {
	y := p.y[s.Axis]
	p.add("<path")
	p.ink(none, s.colour)
	p.add(` stroke-width="1.3" stroke-opacity=".75" d="`)
	d := path{out: p.out}
	for i, v := range s.X {
		if x := p.x.at(v); !math.IsNaN(x) {
			d.whisker(&y, s.Low[i], s.High[i], 3.5, func(across, at float64) (float64, float64) { return x + across, at })
		}
	}
	p.out = d.out
	p.add("\"/>\n")
}

// openLength is the length of an open interval.
const openLength = 16

// whisker draws an interval with a line across each bound. An interval with one bound is open: it ends in an arrow. The function
// place makes positions of those across and along the axis.
func (d *path) whisker(y *axis, low, high, half float64, place func(across, along float64) (float64, float64)) {
	if math.IsNaN(low) && math.IsNaN(high) {
		return
	}
	out := math.Copysign(openLength, y.b-y.a)
	from, to := y.within(low), y.within(high)
	if low <= 0 && y.Scale == book.Log {
		from = y.a
	}
	open := 0.0
	switch {
	case math.IsNaN(high):
		to, open = from+out, 1
	case math.IsNaN(low):
		from, to, open = to, to-out, -1
	}
	if math.IsNaN(from) || math.IsNaN(to) {
		return
	}
	line := func(points ...float64) {
		for i := 0; i < len(points); i += 2 {
			x, y := place(points[i], points[i+1])
			if i == 0 {
				d.move(x, y)
			} else {
				d.line(x, y)
			}
		}
	}
	line(-half, from, half, from)
	line(0, from, 0, to)
	if open == 0 {
		line(-half, to, half, to)
		return
	}
	back := to - open*math.Copysign(5, out)
	line(-half, back, 0, to, half, back)
}

// band draws the area between the bounds, with a value for each column of pixels.
func (p *picture) band(s *series) {
	var xs, low, high []float64
	y := p.y[s.Axis]
	p.add("<path")
	p.ink(s.colour, none)
	p.add(` fill-opacity=".16" d="`)
	d := path{out: p.out}
	flush := func() {
		for i := range xs {
			if i == 0 {
				d.move(xs[0], high[0])
			} else {
				d.line(xs[i], high[i])
			}
		}
		for i, x := range slices.Backward(xs) {
			d.line(x, low[i])
		}
		if len(xs) > 0 {
			d.out = append(d.out, 'z')
			d.command = 'z'
		}
		xs, low, high = xs[:0], low[:0], high[:0]
	}
	for i, v := range s.X {
		x, l, h := p.x.at(v), y.within(s.Low[i]), y.at(s.High[i])
		if math.IsNaN(l) && s.Low[i] <= 0 {
			l = y.a
		}
		n := len(xs)
		switch {
		case math.IsNaN(x) || math.IsNaN(l) || math.IsNaN(h):
			flush()
		case n > 0 && math.Floor(xs[n-1]) == math.Floor(x) && len(s.X) > manyPoints:
			low[n-1], high[n-1] = max(low[n-1], l), min(high[n-1], h)
		default:
			xs, low, high = append(xs, x), append(low, l), append(high, h)
		}
	}
	flush()
	p.out = d.out
	p.add("\"/>\n")
}

// repeats draws the values of the repeats as small points.
func (p *picture) repeats() bool {
	left := maxRepeats
	some := false
	for i := range p.series {
		s := &p.series[i]
		if len(s.Runs) == 0 {
			continue
		}
		p.add("<path")
		p.ink(none, s.colour)
		p.add(` stroke-width="4" stroke-linecap="round" stroke-opacity=".45" d="`)
		d := path{out: p.out}
		beside := 0.0
		if len(s.Low) > 0 {
			beside = 6 // of the interval
		}
		for k, runs := range s.Runs {
			for _, v := range runs {
				if x, y := p.x.at(s.X[k]), p.y[s.Axis].at(v); !math.IsNaN(x) && !math.IsNaN(y) && left > 0 {
					d.dot(x+beside, y)
					some = true
					left--
				}
			}
		}
		p.out = d.out
		p.add("\"/>\n")
	}
	return some
}

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
