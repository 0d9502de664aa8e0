package svg

import (
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
