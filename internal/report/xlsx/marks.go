package xlsx

import (
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// marked is a list of marks that charts of a page have in common.
type marked struct {
	group string
	marks []book.Mark
}

// kinds are the kinds of marks with their names and colours.
func kinds() []struct {
	kind        book.MarkKind
	name, color string
} {
	return []struct {
		kind        book.MarkKind
		name, color string
	}{
		{book.Action, "action or fault", "C2410C"},
		{book.Event, "event", "5C6570"},
		{book.Dip, "dip until recovery", "B3174E"},
		{book.Phase, "phase", "9AA3AF"},
		{book.Chosen, "answer", "00806A"},
	}
}

// marks adds a series of points for each kind of marks, with a line up from each point.
func (wb *workbook) marks(p *plot, c book.Chart) {
	if p.bars || len(p.series) == 0 {
		return
	}
	_, top := p.extent(func(s series) data {
		if s.axis > 0 {
			return data{}
		}
		return s.y
	})
	if math.IsInf(top, 0) || top <= 0 {
		return
	}
	bottom := 0.0
	if p.y[0].log {
		from, _ := p.extent(func(s series) data {
			if s.axis > 0 {
				return data{}
			}
			return s.y
		})
		bottom = math.Pow(10, math.Floor(math.Log10(from)+1e-9))
	}
	for _, k := range kinds() {
		var xs, ys []float64
		for _, m := range c.Marks {
			if m.Kind == k.kind {
				xs, ys = append(xs, m.From), append(ys, bottom)
			}
		}
		if len(xs) == 0 {
			continue
		}
		name := wb.text(k.name)
		p.series = append(p.series, series{
			name: name, color: k.color, shape: points, marker: "triangle", lines: top - bottom,
			x: wb.plots.numbers(c.Title, name, xs), y: wb.plots.numbers(c.Title, name+" (y)", ys),
		})
	}
}

// draws adds charts, two beside each other, with how they were made and what happened in them.
func (p *page) draws(charts []book.Chart) {
	if len(charts) == 0 {
		return
	}
	p.blank()
	full := 0
	p.end()
	for _, w := range p.widths[:p.end()+1] {
		full += pixels(w)
	}
	side := (min(full, pageWidth*7+80) - gap) / 2
	for pair := range slices.Chunk(charts, 2) {
		row := len(p.lines)
		for range chartRows + 1 {
			p.lines = append(p.lines, line{height: chartRow})
		}
		for i, c := range pair {
			drawn, left := p.wb.newPlot(c)
			wide := side
			if len(charts) == 1 {
				wide = side * 3 / 2
			}
			p.pictures = append(p.pictures, picture{row: row, x: i * (side + gap), width: wide, chart: drawn})
			how := clean(c.Title)
			if c.How != "" {
				how += ": " + c.How
			}
			if len(left) > 0 {
				how += " " + p.wb.text(hiddenText) + " " + oneLine(strings.Join(left, ", "), 300) + "."
			}
			p.paragraph(how, look{size: 9, color: muted})
		}
		for _, c := range pair {
			p.marks(c)
		}
	}
}

// marks adds the table of the marks of a chart, once for charts that have the same.
func (p *page) marks(c book.Chart) {
	if len(c.Marks) == 0 || slices.ContainsFunc(p.seen, func(m marked) bool { return m.group == c.Group && slices.Equal(m.marks, c.Marks) }) {
		return
	}
	p.seen = append(p.seen, marked{c.Group, c.Marks})
	unit := c.X.Unit
	t := book.Table{Columns: []book.Column{
		{Head: p.wb.text("from"), Unit: unit, Figure: true},
		{Head: p.wb.text("until"), Unit: unit, Figure: true},
		{Head: p.wb.text("kind")},
		{Head: p.wb.text("what")},
		{Head: p.wb.text("details")},
	}}
	for _, m := range c.Marks {
		until := book.Cell{}
		if m.To > m.From {
			until = book.Number(m.To, "")
		}
		kind := ""
		for _, k := range kinds() {
			if k.kind == m.Kind {
				kind = p.wb.text(k.name)
			}
		}
		t.Rows = append(t.Rows, []book.Cell{book.Number(m.From, ""), until, book.Text(kind), book.Text(m.Label), book.Text(m.Text)})
	}
	p.table(t)
}
