package svg

import (
	"math"
	"strconv"

	"github.com/benchd/benchd/internal/report/book"
)

// barChart is a chart of bars while it is drawn. Its bars are upright, or lie beside long names of categories.
type barChart struct {
	*picture
	lying      bool
	categories []string
	bars       []*series // those of the series that are drawn as bars
	value      *axis     // of the values
	labels     float64   // the greatest width of a value, or 0 if there is no room for values
	names0     float64   // the width of the names of the categories of lying bars
	units      []measure // of the values on each axis
}

const hatches = 5

func (p *picture) bars() {
	b := barChart{picture: p, categories: p.categories()}
	for i := range p.series {
		if s := &p.series[i]; s.Style != book.Points {
			b.bars = append(b.bars, s)
		}
	}
	p.chart.X.Scale = book.Linear
	for i, def := range p.chart.Y {
		e := p.extent(i)
		b.units = append(b.units, measureOf(def.Unit, max(math.Abs(e.lo), math.Abs(e.hi))))
	}
	b.lying = b.long()
	if b.lying {
		b.drawLying()
	} else {
		b.drawUpright()
	}
	p.footer()
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
	if slot*0.8/float64(max(len(b.bars), 1)) < 7 {
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
	k := float64(max(len(b.bars), 1))
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
	k := float64(max(len(b.bars), 1))
	if b.lying {
		return (slot - 12) / k
	}
	return min(slot*0.82/k, 64)
}

// at is the middle of a bar across its direction.
func (b *barChart) at(category float64, order int, slot float64) float64 {
	w := b.thickness(slot)
	return b.x.at(category) + (float64(order)-float64(len(b.bars)-1)/2)*w
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
	if k := s.shape % hatches; k > 0 && !s.Published && len(b.bars) > 1 && k < len(b.bars) {
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
		b.add("<g")
		b.fill(s)
		b.add(">\n")
		b.shown(s, func(i int) {
			some = true
			b.add(`<path d="`)
			b.pathOf(true, box(i)...)
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
		b.spread(s, order, slot)
	}
	for i := range b.series {
		if s := &b.series[i]; s.Style == book.Points {
			var xs, ys []float64
			b.shown(s, func(i int) {
				some = true
				x, y := b.along(b.x.at(s.X[i]), b.y[s.Axis].within(s.Y[i]))
				xs, ys = append(xs, x), append(ys, y)
			})
			b.markers(s, xs, ys, 4.5)
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
	left := maxRepeats / max(len(b.bars), 1)
	if len(s.Runs) > 0 {
		b.add("<path")
		b.ink(none, foreground)
		b.add(` stroke-width="3.2" stroke-linecap="round" stroke-opacity=".55" d="`)
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
	b.ink(none, foreground)
	b.add(` stroke-width="1.2" d="`)
	d := path{out: b.out}
	b.shown(s, func(i int) {
		low, high, at := axis.within(s.Low[i]), axis.at(s.High[i]), b.at(s.X[i], order, slot)
		if math.IsNaN(low) || math.IsNaN(high) {
			return
		}
		half := min(4, b.thickness(slot)/3)
		for _, l := range [][4]float64{{at - half, low, at + half, low}, {at, low, at, high}, {at - half, high, at + half, high}} {
			d.move(b.along(l[0], l[1]))
			d.line(b.along(l[2], l[3]))
		}
	})
	b.out = d.out
	b.add("\"/>\n")
}

// valueText is the value of a bar in the unit of its axis.
func (b *barChart) valueText(s *series, i int) string {
	def := b.chart.Y[s.Axis]
	if def.Scale == book.Log {
		return figure(s.Y[i], def.Unit)
	}
	return digits(s.Y[i] / b.units[s.Axis].by)
}

// widest is the width of the widest value.
func (b *barChart) widest() float64 {
	w := 0.0
	for _, s := range b.bars {
		for i, x := range s.X {
			if x >= 0 && x < float64(len(b.categories)) && !math.IsNaN(s.Y[i]) {
				w = max(w, widthOf(b.valueText(s, i), tickSize))
			}
		}
	}
	return w
}

// values writes the values at the ends of the bars, their intervals and their repeats.
func (b *barChart) values(slot float64) {
	b.tickLabels(map[bool]anchor{true: start, false: middle}[b.lying])
	for order, s := range b.bars {
		axis := b.y[s.Axis]
		b.shown(s, func(i int) {
			reach := math.Max(s.Y[i], 0)
			if len(s.High) > 0 && s.High[i] > reach {
				reach = s.High[i]
			}
			if i < len(s.Runs) {
				for _, v := range s.Runs[i] {
					if v > reach {
						reach = v
					}
				}
			}
			at, to := b.at(s.X[i], order, slot), axis.within(reach)
			if math.IsNaN(to) {
				to = axis.base()
			}
			if b.lying {
				b.plainText(b.valueText(s, i), to+5, at+4)
			} else {
				b.plainText(b.valueText(s, i), at, to-5)
			}
		})
	}
	b.add("</g>\n")
}
