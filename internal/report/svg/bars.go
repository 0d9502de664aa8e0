package svg

import (
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/report/book"
)

// barChart is a chart of bars while it is drawn. Its bars are upright, or lie beside long names of categories.
type barChart struct {
	*picture
	lying      bool
	categories []string
	bars       []*series // all series: each has a place of its own in a group
	value      *axis     // of the values
	labels     float64   // the greatest width of a value, or 0 if there is no room for values
	names0     float64   // the width of the names of the categories of lying bars
	units      []measure // of the values on each axis
	ranks      [][]int   // the place of each series in the group of each category
	sizes      []int     // the number of places in each group
	places     int       // the greatest one
}

const hatches = 5

func (p *picture) bars() {
	b := barChart{picture: p, categories: p.categories()}
	for i := range p.series {
		b.bars = append(b.bars, &p.series[i])
	}
	p.chart.X.Scale = book.Linear
	for i, def := range p.chart.Y {
		e := p.extent(i)
		b.units = append(b.units, measureOf(def.Unit, max(math.Abs(e.lo), math.Abs(e.hi))))
	}
	b.rank()
	b.lying = b.long()
	if b.lying {
		b.drawLying()
	} else {
		b.drawUpright()
	}
	p.footer()
}

// rank gives the series their places in the groups: all have the same ones, unless many would be empty.
func (b *barChart) rank() {
	n := len(b.categories)
	b.sizes, b.ranks = make([]int, n), make([][]int, len(b.bars))
	filled := 0
	for i, s := range b.bars {
		b.ranks[i] = make([]int, n)
		for c := range n {
			b.ranks[i][c] = b.sizes[c]
			if s.has(c) {
				b.sizes[c]++
				filled++
			}
		}
	}
	if 5*filled >= 3*n*len(b.bars) {
		for c := range n {
			b.sizes[c] = len(b.bars)
			for i := range b.bars {
				b.ranks[i][c] = i
			}
		}
	}
	b.places = 1
	for _, size := range b.sizes {
		b.places = max(b.places, size)
	}
}

// has reports whether there is anything to draw in a category.
func (s *series) has(category int) bool {
	for i, x := range s.X {
		if x < float64(category) || x >= float64(category+1) {
			continue
		}
		if !math.IsNaN(s.Y[i]) || i < len(s.Runs) && len(s.Runs[i]) > 0 || len(s.Low) > 0 && !(math.IsNaN(s.Low[i]) && math.IsNaN(s.High[i])) {
			return true
		}
	}
	return false
}

// categories are the names on the x axis, with as many as can be drawn.
func (p *picture) categories() []string {
	names := p.chart.X.Categories
	n := len(names)
	for i := range p.series {
		for _, x := range p.series[i].X {
			if x >= float64(n) && x < 10_000 {
				n = int(x) + 1
			}
		}
	}
	shown := min(n, maxCategories, max(4, maxBars/max(len(p.series), 1)))
	out := make([]string, shown)
	for i := range out {
		if out[i] = strconv.Itoa(i + 1); i < len(names) {
			out[i] = plain(names[i])
		}
	}
	if shown < n {
		p.note("%d of %d groups of bars are drawn.", shown, n)
		for i := range p.series { // so that the axis is that of the bars that are drawn
			s := &p.series[i]
			for k, x := range s.X {
				if x < float64(shown) {
					continue
				}
				if s.Y[k] = math.NaN(); len(s.Low) > 0 {
					s.Low[k], s.High[k] = math.NaN(), math.NaN()
				}
				if k < len(s.Runs) {
					s.Runs[k] = nil
				}
			}
		}
	}
	return out
}

// long reports whether upright bars have no room for the names below them, or for themselves.
func (b *barChart) long() bool {
	n := len(b.categories)
	if n == 0 {
		return false
	}
	slot := (b.width - 80) / float64(n)
	if len(b.y2()) > 0 {
		slot -= 50 / float64(n)
	}
	if slot*0.8/float64(b.places) < 7 {
		return len(b.y2()) == 0
	}
	for _, name := range b.categories {
		lines := wrap(name, tickSize, slot-6, 2)
		for _, line := range lines {
			if widthOf(line, tickSize) > slot-4 {
				return len(b.y2()) == 0
			}
		}
	}
	return false
}

// y2 are the series of the right axis, which lying bars do not have.
func (b *barChart) y2() []*series {
	var out []*series
	for i := range b.series {
		if b.series[i].Axis == 1 {
			out = append(out, &b.series[i])
		}
	}
	return out
}

func (b *barChart) drawUpright() {
	const height = 280
	p := b.picture
	p.measureSides(height)
	b.value = &p.y[0]
	slot := (p.right - p.left) / float64(max(len(b.categories), 1))
	p.x = axis{lo: -0.5, hi: max(float64(len(b.categories)), 1) - 0.5, a: p.left, b: p.right}
	w := b.thickness(slot)
	if b.labels = b.widest(); b.labels > w+3 {
		b.labels = 0
	}
	p.heading()
	b.hatchPatterns()
	p.legend(b.sample)
	p.axisTitles()
	marks := p.lanes()
	p.top += float64(used(marks))*laneSize + 6
	if b.labels > 0 {
		p.top += 10
	}
	p.place(height)
	b.slots(marks)
	p.gridAndTicks()
	p.clip()
	some := b.drawBars(slot)
	p.add("</g>\n")
	b.names(slot)
	if b.labels > 0 {
		b.values(slot)
	}
	p.limits()
	b.slotNames(marks)
	if !some {
		p.empty()
	}
}

// names writes the categories below upright bars.
func (b *barChart) names(slot float64) {
	p := b.picture
	y := p.y[0].base()
	p.line(p.left, y, p.right, y, axisLine, "")
	rows := 1
	for i, name := range b.categories {
		lines := wrap(name, tickSize, slot-6, 2)
		for k, line := range lines {
			p.label(line, p.x.at(float64(i)), p.bottom+16+float64(k)*14, tickSize, slot-2, middle, foreground, "")
		}
		rows = max(rows, len(lines))
	}
	p.height = p.bottom + 10 + 14*float64(rows)
	if p.chart.X.Title != "" {
		p.label(p.chart.X.Title, (p.left+p.right)/2, p.height+13, textSize, p.right-p.left, middle, muted, "")
		p.height += lineHeight + 2
	}
}

func (b *barChart) drawLying() {
	p := b.picture
	k := float64(b.places)
	thick := min(max(80/k, 9), 18)
	slot := thick*k + 12
	height := slot * float64(len(b.categories))
	widestName := 0.0
	for _, name := range b.categories {
		widestName = max(widestName, widthOf(name, textSize))
	}
	b.names0 = min(widestName, 0.36*p.width)
	b.labels = b.widest()
	p.left = edge + b.names0 + 8
	p.right = p.width - edge - b.labels - 8
	value := valueAxis(p.chart.Y[0], p.extent(0), max(2, int((p.right-p.left)/90)), false)
	p.y = []axis{value}
	b.value = &p.y[0]
	p.heading()
	b.hatchPatterns()
	p.legend(b.sample)
	if p.top += 4; len(p.chart.Limits) > 0 {
		p.top += 14
	}
	p.bottom = p.top + height
	p.y[0].a, p.y[0].b = p.left, p.right
	p.x = axis{lo: -0.5, hi: float64(len(b.categories)) - 0.5, a: p.top, b: p.bottom}
	b.lyingMarks(slot)
	p.add("<path")
	p.ink(none, grid)
	p.add(` d="`)
	d := path{out: p.out}
	for _, t := range value.ticks {
		d.move(p.y[0].at(t.value), p.top)
		d.line(p.y[0].at(t.value), p.bottom)
	}
	p.out = d.out
	p.add("\"/>\n")
	p.clip()
	some := b.drawBars(slot)
	p.add("</g>\n")
	for i, name := range b.categories {
		p.label(name, p.left-8, p.x.at(float64(i))+4, textSize, b.names0, end, foreground, "")
	}
	b.values(slot)
	b.lyingLimits()
	if !some {
		p.empty()
	}
	p.line(p.y[0].base(), p.top, p.y[0].base(), p.bottom, axisLine, "")
	p.tickLabels(middle)
	for _, t := range value.ticks {
		p.plainText(t.label, p.y[0].at(t.value), p.bottom+16)
	}
	p.add("</g>\n")
	p.height = p.bottom + 24
	if name := p.y[0].name(); name != "" {
		p.label(name, (p.left+p.right)/2, p.height+11, textSize, p.width-2*edge, middle, muted, "")
		p.height += lineHeight + 1
	}
}

// thickness is that of a bar in a slot.
func (b *barChart) thickness(slot float64) float64 {
	k := float64(b.places)
	if b.lying {
		return (slot - 12) / k
	}
	return min(slot*0.82/k, 64)
}

// at is the middle of a bar across its direction.
func (b *barChart) at(category float64, order int, slot float64) float64 {
	w := b.thickness(slot)
	c := int(category)
	return b.x.at(category) + (float64(b.ranks[order][c])-float64(b.sizes[c]-1)/2)*w
}

// hatchPatterns defines the hatches by which series differ without colours.
func (b *barChart) hatchPatterns() {
	if len(b.bars) < 2 {
		return
	}
	b.add("<defs>\n")
	for i, d := range [hatches]string{"", "M-1 1l2-2M0 6l6-6M5 7l2-2", "M0 3h6", "M-1 5l2 2M0 0l6 6M5-1l2 2", "M3 0v6"} {
		if d == "" || i >= len(b.bars) {
			continue
		}
		b.add(`<pattern id="`, b.id, `-hatch-`, strconv.Itoa(i), `" width="6" height="6" patternUnits="userSpaceOnUse"><path`)
		b.ink(none, background)
		b.add(` stroke-opacity=".4" d="`, d, `"/></pattern>`, "\n")
	}
	b.add("</defs>\n")
}

// fill adds what the inside of a bar is painted with. Published bars are hollow.
func (b *barChart) fill(s *series) {
	b.ink(s.colour, s.colour)
	switch {
	case s.Published:
		b.add(` fill-opacity=".1" stroke-width="1.4" stroke-dasharray="4 2"`)
	case s.Style == book.Dashed:
		b.add(` fill-opacity=".25" stroke-width="1.4" stroke-dasharray="2 2"`)
	default:
		b.add(` stroke-width=".6"`)
	}
}

func (b *barChart) hatch(s *series) string {
	if k := s.shape % hatches; k > 0 && !s.Published && s.Style != book.Points && len(b.bars) > 1 && k < len(b.bars) {
		return ` stroke="none" pointer-events="none" fill="url(#` + b.id + "-hatch-" + strconv.Itoa(k) + `)"`
	}
	return ""
}

func (b *barChart) sample(s *series, x, y float64) {
	if s.Style == book.Points {
		b.markers(s, []float64{x + 15}, []float64{y}, 4)
		return
	}
	box := func() {
		b.attr("x", x+10)
		b.attr("y", y-6)
		b.add(` width="14" height="12"`)
	}
	b.add("<rect")
	box()
	b.fill(s)
	b.add("/>\n")
	if hatch := b.hatch(s); hatch != "" {
		b.add("<rect")
		box()
		b.add(hatch, "/>\n")
	}
}

// shown calls f for each value that is drawn.
func (b *barChart) shown(s *series, f func(i int)) {
	for i, x := range s.X {
		if x >= 0 && x < float64(len(b.categories)) && !math.IsNaN(b.y[s.Axis].at(s.Y[i])) {
			f(i)
		}
	}
}

// along turns a position across the bars and one along them into x and y.
func (b *barChart) along(across, value float64) (x, y float64) {
	if b.lying {
		return value, across
	}
	return across, value
}

func (b *barChart) drawBars(slot float64) bool {
	some := false
	for c := range b.categories {
		some = some || slices.ContainsFunc(b.bars, func(s *series) bool { return s.has(c) })
	}
	w := b.thickness(slot)
	gap := min(1.5, w*0.12)
	for order, s := range b.bars {
		axis := b.y[s.Axis]
		box := func(i int) []float64 {
			from, to := axis.base(), axis.within(s.Y[i])
			at := b.at(s.X[i], order, slot)
			x1, y1 := b.along(at-w/2+gap, from)
			x2, y2 := b.along(at+w/2-gap, to)
			return []float64{x1, y1, x2, y1, x2, y2, x1, y2}
		}
		if s.Style == book.Points {
			b.spread(s, order, slot) // below its point
		}
		b.add("<g")
		if s.Style == book.Points {
			b.markerInks(s)
		} else {
			b.fill(s)
		}
		b.add(">\n")
		b.shown(s, func(i int) {
			b.add(`<path d="`)
			if s.Style == book.Points {
				x, y := b.along(b.at(s.X[i], order, slot), axis.within(s.Y[i]))
				b.marker(s.shape, x, y, min(4.5, w/2.6))
			} else {
				b.pathOf(true, box(i)...)
			}
			b.add(`">`)
			b.tooltip(b.named(s, i))
			b.add("</path>\n")
		})
		b.add("</g>\n")
		if hatch := b.hatch(s); hatch != "" {
			b.add("<path", hatch, ` d="`)
			b.shown(s, func(i int) { b.pathOf(true, box(i)...) })
			b.add("\"/>\n")
		}
		if s.Style != book.Points {
			b.spread(s, order, slot)
		}
	}
	return some
}

// named is a value with the names of its series and category.
func (b *barChart) named(s *series, i int) string {
	text := s.name + ", " + b.categories[int(s.X[i])] + ": " + figure(s.Y[i], b.chart.Y[s.Axis].Unit)
	if len(s.Low) > 0 && !math.IsNaN(s.Low[i]) && !math.IsNaN(s.High[i]) {
		text += " (" + figure(s.Low[i], b.chart.Y[s.Axis].Unit) + " – " + figure(s.High[i], b.chart.Y[s.Axis].Unit) + ")"
	}
	return text
}

// spread draws the intervals and the repeats of a series.
func (b *barChart) spread(s *series, order int, slot float64) {
	axis := b.y[s.Axis]
	width := ` stroke-width="1.2" d="`
	k, dots := foreground, ` stroke-width="3.2" stroke-linecap="round" stroke-opacity=".55" d="`
	if s.Style == book.Points {
		width = ` stroke-width="1.8" d="`
		k, dots = s.colour, ` stroke-width="4.5" stroke-linecap="round" stroke-opacity=".8" d="`
	}
	left := maxRepeats / max(len(b.bars), 1)
	if len(s.Runs) > 0 {
		b.add("<path")
		b.ink(none, k)
		b.add(dots)
		d := path{out: b.out}
		for i, runs := range s.Runs {
			for _, v := range runs {
				at := axis.at(v)
				if x := s.X[i]; math.IsNaN(at) || !(x >= 0 && x < float64(len(b.categories))) || left == 0 {
					continue
				}
				left--
				d.dot(b.along(b.at(s.X[i], order, slot), at))
			}
		}
		b.out = d.out
		b.add("\"/>\n")
	}
	if len(s.Low) == 0 {
		return
	}
	b.add("<path")
	b.ink(none, k)
	b.add(width)
	d := path{out: b.out}
	half := min(4, b.thickness(slot)/3)
	for i, x := range s.X {
		if x >= 0 && x < float64(len(b.categories)) {
			at := b.at(x, order, slot)
			d.whisker(&axis, s.Low[i], s.High[i], half, func(across, along float64) (float64, float64) { return b.along(at+across, along) })
		}
	}
	b.out = d.out
	b.add("\"/>\n")
}
