package svg

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
)

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
