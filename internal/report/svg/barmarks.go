package svg

import (
	"math"
)

// slots shades the categories that marks are about.
func (b *barChart) slots(marks []placed) {
	half := (b.right - b.left) / float64(max(len(b.categories), 1)) / 2
	for _, m := range marks {
		b.rect(m.x-half, b.top, m.to-m.x+2*half, b.bottom-b.top, markInk(m.Kind), ` fill-opacity=".1"`)
	}
}

// slotNames writes the labels of marks above their categories.
func (b *barChart) slotNames(marks []placed) {
	n := used(marks)
	for _, m := range marks {
		if m.lane < 0 {
			continue
		}
		at := m.l
		if m.anchor == end {
			at = m.r
		}
		b.label(m.Label, at, b.top-float64(n-m.lane)*laneSize+laneSize-8, tickSize, markRoom, m.anchor, markInk(m.Kind), "")
	}
}

// lyingMarks shades the categories of lying bars, with the labels of marks at their right end.
func (b *barChart) lyingMarks(slot float64) {
	for _, m := range b.chart.Marks {
		from, to := m.From, math.Max(m.From, drawable(m.To))
		if math.IsNaN(to) {
			to = from
		}
		if from < 0 || to > float64(len(b.categories))-1 {
			continue
		}
		y := b.x.at(from) - slot/2
		b.rect(b.left, y, b.right-b.left, b.x.at(to)+slot/2-y, markInk(m.Kind), ` fill-opacity=".1"`)
		b.label(m.Label, b.right-4, y+12, tickSize, markRoom, end, markInk(m.Kind), "")
	}
}

// lyingLimits draws limits across lying bars.
func (b *barChart) lyingLimits() {
	for _, l := range b.chart.Limits {
		v := drawable(l.Value)
		if l.Axis != 0 || math.IsNaN(v) || math.IsNaN(b.y[0].at(v)) || b.y[0].at(v) > b.right+1 || b.y[0].at(v) < b.left-1 {
			continue
		}
		x := b.y[0].at(v)
		b.line(x, b.top, x, b.bottom, limitLine, ` stroke-width="1.3" stroke-dasharray="8 4"`)
		at, to := end, x-4
		if x < (b.left+b.right)/2 {
			at, to = start, x+4
		}
		b.line(x, b.top-12, x, b.top, limitLine, ` stroke-width="1.3"`)
		b.label(l.Label, to, b.top-4, tickSize, (b.right-b.left)/2, at, limitLine, "")
	}
}
