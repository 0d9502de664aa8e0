package xlsx

import (
	"math"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// filterFrom is how many rows a table has at least that gets a filter.
const filterFrom = 16

// column is a column of a table on a sheet. A column of the book whose texts say more than their numbers, such as an interval, has two.
type column struct {
	book.Column
	of     int // index in the book's table
	text   bool
	format string
}

// table adds a table with its title, how it was made and its notes.
func (p *page) table(t book.Table) {
	p.blank()
	p.paragraph(t.Title, look{size: 11, bold: true})
	p.paragraph(t.How, look{italic: true, color: muted})
	columns := p.columnsOf(t)
	for _, c := range columns {
		if c.Published && !p.claims {
			p.claims = true
			p.paragraph(p.wb.text(claimText), look{color: claimInk, claimed: true})
		}
	}
	top := len(p.lines)
	p.heads(columns)
	for _, row := range t.Rows {
		p.row(columns, row)
	}
	if n := len(t.Rows); n >= filterFrom && n > p.filter.rows {
		p.filter = filter{top, len(columns), n}
	}
	for _, note := range t.Notes {
		p.paragraph("•  "+note, look{color: muted})
	}
}

// columnsOf are the columns of a table on a sheet.
func (p *page) columnsOf(t book.Table) []column {
	var out []column
	for i, c := range t.Columns {
		values, more := numbers(t.Rows, i)
		one := column{Column: c, of: i, format: format(values)}
		one.Head = head(c, p.wb.text)
		out = append(out, one)
		if more {
			out = append(out, column{Column: book.Column{Head: head(c, p.wb.text) + ", " + p.wb.text("as shown"), Published: c.Published}, of: i, text: true})
		}
	}
	return out
}

// numbers are the figures of a column, and whether the texts of some say more than the figure.
func numbers(rows [][]book.Cell, column int) (values []float64, more bool) {
	for _, row := range rows {
		if column < len(row) && isNumber(row[column]) {
			values = append(values, *row[column].Number)
			more = more || compound(row[column].Text)
		}
	}
	return values, more
}

func isNumber(c book.Cell) bool {
	return c.Number != nil && !math.IsNaN(*c.Number) && !math.IsInf(*c.Number, 0)
}

// compound reports whether a text of a figure is more than a number with its unit.
func compound(text string) bool {
	rest := strings.TrimLeft(text, "-−+")
	rest = strings.TrimSpace(strings.TrimLeft(rest, "0123456789.,\u00a0\u202f"))
	return rest != "" && (len([]rune(rest)) > 8 || strings.ContainsAny(rest, "0123456789 "))
}

// heads adds the heads of a table.
func (p *page) heads(columns []column) {
	cells := make(map[int]cell)
	for i, c := range columns {
		l := look{bold: true, fill: headFill, wrap: true, headBelow: true, claimed: c.Published}
		if c.Published {
			l.fill = claimFill
		}
		if c.Figure && !c.text {
			l.align = "right"
		}
		l.indent = l.align == "" && i > 0
		p.need(i, max(longestWord(c.Head)+3, math.Ceil(width(c.Head)/2)+2))
		cells[i] = cell{text: c.Head, look: l}
		if i == len(columns)-1 && !c.Figure && i > 0 {
			cells[i] = cell{text: c.Head, look: l, merge: toEnd}
		}
	}
	p.add(cells)
}

// row adds a row of a table.
func (p *page) row(columns []column, row []book.Cell) {
	cells := make(map[int]cell)
	for i, c := range columns {
		if c.of >= len(row) {
			continue
		}
		value := row[c.of]
		l := look{border: true, claimed: c.Published}
		if !c.text && isNumber(value) {
			l.format, l.align = c.format, "right"
			cells[i] = cell{number: value.Number, look: l}
			p.need(i, float64(len(shown(*value.Number, c.format)))+2)
			continue
		}
		text := clean(value.Text)
		if c.Figure && !c.text {
			l.align = "right"
		}
		l.wrap, l.indent = true, l.align == "" && i > 0
		out := cell{text: text, look: l}
		if i == len(columns)-1 && !c.Figure && i > 0 {
			out.merge = toEnd
		} else {
			p.need(i, width(text)+2)
		}
		cells[i] = out
	}
	p.add(cells)
}

// shown is about how a number is shown in a format: its digits, and separators of thousands.
func shown(x float64, format string) string {
	_, decimals, _ := strings.Cut(format, ".")
	digits := 1
	if a := math.Abs(x); a >= 10 {
		digits = int(math.Log10(a)) + 1
	}
	return strings.Repeat("0", 1+digits+(digits-1)/3+len(decimals))
}
