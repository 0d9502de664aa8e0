package svg

import (
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// heading writes what is above the area of the data, and begins the picture's layout: p.top is the first free line.
func (p *picture) heading() {
	p.top = edge
	if p.inline {
		p.top = 4
		return
	}
	const bold = 1.1 // as wide as other letters
	room := (p.width - 2*edge) / bold
	for i, line := range wrap(p.chart.Title, titleSize, room, 2) {
		p.label(line, edge, p.top+titleSize, titleSize, room, start, foreground, ` font-weight="600"`)
		p.top += 20
		if i > 0 {
			p.top += 2
		}
	}
	p.top += 6
}

// wrap breaks a text into lines of a width, between words or wide characters. The last line may be too long.
func wrap(s string, size, room float64, most int) []string {
	s = strings.TrimSpace(plain(s))
	var lines []string
	for s != "" && len(lines) < most-1 && widthOf(s, size) > room {
		used, cut := 0.0, 0
		for i, r := range s {
			if i > 0 && (r == ' ' || wide(r) && r > 0x7f && !strings.ContainsRune("，。：；）、", r)) {
				cut = i
			}
			if used += ems(r) * size; used > room {
				break
			}
		}
		if cut == 0 {
			break
		}
		lines = append(lines, strings.TrimSpace(s[:cut]))
		s = strings.TrimSpace(s[cut:])
	}
	if s != "" {
		lines = append(lines, s)
	}
	return lines
}

// legend names the series, in as many rows as they need.
func (p *picture) legend(sample func(s *series, x, y float64)) {
	if len(p.series) == 0 || len(p.series) == 1 && !p.series[0].Published && (p.series[0].name == "" || p.series[0].name == p.chart.Y[0].Title) {
		return
	}
	const swatch, gap = 30, 18
	room := min(p.width-2*edge-swatch, 340)
	if len(p.series) > 6 {
		room = min(room, 220)
	}
	x := float64(edge)
	for i := range p.series {
		s := &p.series[i]
		name := fit(s.name, textSize, room)
		w := swatch + widthOf(name, textSize) + gap
		if x > edge && x+w-gap > p.width-edge {
			x, p.top = edge, p.top+lineHeight+1
		}
		sample(s, x, p.top+8)
		p.label(s.name, x+swatch, p.top+12, textSize, room, start, foreground, "")
		x += w
	}
	p.top += lineHeight + 8
}

// axisTitles names the y axes above them.
func (p *picture) axisTitles() {
	left, right := p.y[0].name(), ""
	if len(p.y) > 1 {
		right = strings.TrimSpace(p.y[1].name() + rightwards)
	}
	if left == "" && right == "" {
		return
	}
	room := p.width - 2*edge
	if right != "" {
		room = room/2 - 8
		p.label(right, p.width-edge, p.top+11, textSize, room, end, muted, "")
	}
	p.label(left, edge, p.top+11, textSize, room, start, muted, "")
	p.top += lineHeight + 3
}

// gridAndTicks draws the lines of the y axes with their labels.
func (p *picture) gridAndTicks() {
	d := path{out: p.out}
	d.out = append(d.out, "<path"...)
	p.out = d.out
	p.ink(none, grid)
	p.add(` d="`)
	d.out = p.out
	for _, t := range p.y[0].ticks {
		if y := p.y[0].at(t.value); !math.IsNaN(y) {
			d.move(p.left, y)
			d.line(p.right, y)
		}
	}
	p.out = d.out
	p.add("\"/>\n")
	for i := range p.y {
		x, at := p.left-7, end
		if i == 1 {
			x, at = p.right+7, start
		}
		p.tickLabels(at)
		for _, t := range p.y[i].ticks {
			p.plainText(t.label, x, p.y[i].at(t.value)+4)
		}
		p.add("</g>\n")
	}
}

// tickLabels begins a group of small texts.
func (p *picture) tickLabels(at anchor) {
	p.add("<g")
	p.attr("font-size", tickSize)
	p.add(string(at))
	p.ink(muted, inherited)
	p.add(">\n")
}

func (p *picture) plainText(s string, x, y float64) {
	p.add("<text")
	p.attr("x", x)
	p.attr("y", y)
	p.add(">", escape(s), "</text>\n")
}

// xAxis draws the x axis with its labels and its title below the data.
func (p *picture) xAxis() {
	p.line(p.left, p.bottom, p.right, p.bottom, axisLine, "")
	p.add("<path")
	p.ink(none, axisLine)
	p.add(` d="`)
	d := path{out: p.out}
	for _, t := range p.x.ticks {
		d.move(p.x.at(t.value), p.bottom)
		d.line(p.x.at(t.value), p.bottom+4)
	}
	p.out = d.out
	p.add("\"/>\n")
	p.tickLabels(middle)
	free := math.Inf(-1)
	for _, t := range p.x.ticks {
		at, half := p.x.at(t.value), widthOf(t.label, tickSize)/2
		if at-half < free {
			continue
		}
		free = at + half + 3
		p.plainText(t.label, at, p.bottom+17)
	}
	p.add("</g>\n")
	p.height = p.bottom + 24
	if name := p.x.name(); name != "" {
		p.label(name, (p.left+p.right)/2, p.height+11, textSize, p.right-p.left+p.left-edge, middle, muted, "")
		p.height += lineHeight + 1
	}
}

// footer writes the notes below the picture, and ends its layout.
func (p *picture) footer() {
	for _, note := range p.notes {
		for _, line := range wrap(note, tickSize, p.width-2*edge, 3) {
			p.label(line, edge, p.height+12, tickSize, p.width-2*edge, start, muted, ` font-style="italic"`)
			p.height += 15
		}
	}
	p.height += map[bool]float64{true: 2, false: 8}[p.inline]
}

// empty writes that there is nothing to see.
func (p *picture) empty() {
	p.label(p.text("no data"), (p.left+p.right)/2, (p.top+p.bottom)/2, textSize, p.right-p.left, middle, muted, "")
}

// measureSides sets the y axes for a height of the data, and the left and right end of the data.
func (p *picture) measureSides(height float64) {
	n := max(2, int(height/42))
	p.y = []axis{valueAxis(p.chart.Y[0], p.extent(0), n, false)}
	p.left = edge + p.y[0].reach() + 7
	p.right = p.width - edge - 8
	second := slices.ContainsFunc(p.series, func(s series) bool { return s.Axis == 1 })
	if len(p.chart.Y) > 1 && second {
		force := p.chart.Y[0].Scale == book.Linear && p.chart.Y[1].Scale == book.Linear && p.chart.Y[1].Max == 0
		if force {
			n = len(p.y[0].ticks) - 1
		}
		p.y = append(p.y, valueAxis(p.chart.Y[1], p.extent(1), n, force && n > 0))
		p.right = p.width - edge - p.y[1].reach() - 7
	}
}

// place sets the positions of the y axes.
func (p *picture) place(height float64) {
	p.bottom = p.top + height
	for i := range p.y {
		p.y[i].a, p.y[i].b = p.bottom, p.top
	}
}

// clip begins a group that is visible only within the data, with a margin for points at its edge.
func (p *picture) clip() {
	const margin = 6
	p.add(`<clipPath id="`, p.id, `-clip"><rect`)
	p.attr("x", p.left-margin)
	p.attr("y", p.top-margin)
	p.attr("width", p.right-p.left+2*margin)
	p.attr("height", p.bottom-p.top+2*margin)
	p.add(`/></clipPath>`, "\n", `<g clip-path="url(#`, p.id, `-clip)">`, "\n")
}
