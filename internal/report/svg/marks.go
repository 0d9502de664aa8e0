package svg

import (
	"math"

	"github.com/benchd/benchd/internal/report/book"
)

// placed is a mark with its label in one of the lanes above the data.
type placed struct {
	book.Mark
	x, to  float64 // to is x unless it is a span
	l, r   float64 // of the label
	lane   int     // −1: there is no room for the label
	anchor anchor
}

const (
	maxLanes  = 5
	laneSize  = 14
	markRoom  = 190 // of a label
	markInset = 4
)

// lanes finds a place for the label of each mark: no label covers another one or the line of a mark, and lines begin beside
// their labels.
func (p *picture) lanes() []placed {
	var all []placed
	for _, m := range p.chart.Marks {
		at := placed{Mark: m, x: p.x.at(m.From), lane: -1}
		at.to = at.x
		if to := drawable(m.To); to > m.From {
			at.to = p.x.at(to)
		}
		if math.IsNaN(at.x) || math.IsNaN(at.to) || at.to < p.left-0.5 || at.x > p.right+0.5 {
			continue
		}
		at.x, at.to = max(at.x, p.left), min(at.to, p.right)
		w := widthOf(fit(m.Label, tickSize, markRoom), tickSize)
		at.l, at.r = at.x+markInset, at.x+markInset+w
		if at.r > p.right+8 {
			at.l, at.r, at.anchor = at.x-markInset-w, at.x-markInset, end
		}
		for lane := 0; lane < maxLanes && w > 0; lane++ {
			if free(all, at, lane) {
				at.lane = lane
				break
			}
		}
		all = append(all, at)
	}
	return all
}

// free reports whether a lane has room for a label. Lane 0 is the highest one.
func free(all []placed, at placed, lane int) bool {
	for _, o := range all {
		switch {
		case o.lane < 0:
		case o.lane == lane && at.l < o.r+6 && o.l < at.r+6,
			o.lane < lane && o.x > at.l-1 && o.x < at.r+1, // its line crosses this label
			o.lane > lane && at.x > o.l-1 && at.x < o.r+1:
			return false
		}
	}
	return true
}

func used(all []placed) int {
	n := 0
	for _, m := range all {
		n = max(n, m.lane+1)
	}
	return n
}

func markInk(k book.MarkKind) ink {
	switch k {
	case book.Action:
		return actionMark
	case book.Event:
		return eventMark
	case book.Dip:
		return dipMark
	case book.Phase:
		return phaseMark
	case book.Chosen:
		return chosenMark
	default:
		return eventMark
	}
}

// spans draws the marks that last, behind the data.
func (p *picture) spans(all []placed) {
	phases := 0
	for _, m := range all {
		if m.Kind == book.Phase {
			phases++
		}
		if m.to-m.x < 0.5 {
			continue
		}
		opacity := ` fill-opacity=".13"`
		if m.Kind == book.Phase {
			opacity = [2]string{` fill-opacity=".05"`, ` fill-opacity=".11"`}[phases%2]
		}
		p.rect(m.x, p.top, m.to-m.x, p.bottom-p.top, markInk(m.Kind), opacity)
	}
}

// markLines draws the lines of the marks with their labels, over the data.
func (p *picture) markLines(all []placed) {
	n := used(all)
	unnamed := 0
	for _, m := range all {
		k := markInk(m.Kind)
		from := p.top
		if m.lane >= 0 {
			from -= float64(n-m.lane)*laneSize - 2
		} else if m.Label != "" {
			unnamed++
		}
		style := ""
		switch m.Kind {
		case book.Event, book.Phase, book.Dip:
			style = ` stroke-dasharray="3 3"`
		case book.Chosen:
			style = ` stroke-width="1.6"`
		case book.Action:
		}
		p.add("<g>")
		p.tooltip(m.Label + map[bool]string{true: ": ", false: ""}[m.Text != ""] + m.Text)
		p.line(m.x, from, m.x, p.bottom, k, style)
		if m.Kind == book.Chosen {
			p.add("<path")
			p.ink(k, none)
			p.add(` d="`)
			p.pathOf(true, m.x-4, p.bottom, m.x+4, p.bottom, m.x, p.bottom-7)
			p.add(`"/>`)
		}
		if m.lane >= 0 {
			at := m.l
			if m.anchor == end {
				at = m.r
			}
			p.label(m.Label, at, from+laneSize-5, tickSize, markRoom, m.anchor, k, "")
		}
		p.add("</g>\n")
	}
	if unnamed > 0 {
		p.note("There is no room for the names of %d marks.", unnamed)
	}
}

// limits draws the lines across the data. Labels that would cover one another move up.
func (p *picture) limits() {
	var taken []float64
	for _, l := range p.chart.Limits {
		v := drawable(l.Value)
		if l.Axis < 0 || l.Axis >= len(p.y) || math.IsNaN(v) {
			continue
		}
		y := p.y[l.Axis].at(v)
		if math.IsNaN(y) || y < p.top-1 || y > p.bottom+1 {
			continue
		}
		p.line(p.left, y, p.right, y, limitLine, ` stroke-width="1.3" stroke-dasharray="8 4"`)
		text := y - 4
		if text < p.top+10 {
			text = y + 12
		}
		for range taken {
			for _, t := range taken {
				if math.Abs(t-text) < 12 {
					text = t - 12.5
				}
			}
		}
		taken = append(taken, text)
		p.label(l.Label, p.right-4, text, tickSize, (p.right-p.left)*0.7, end, limitLine, halo)
	}
}
