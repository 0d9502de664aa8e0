package xlsx

import (
	"fmt"
	"strconv"

	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// heat adds a heat map as a table of counts with a colour scale: excelize and Excel have no chart for it.
func (p *page) heat(c book.Chapter, chart book.Chart) {
	h := chart.Heat
	rows, columns := len(h.Y)-1, min(len(h.Counts), len(h.X)-1)
	if rows < 1 || columns < 1 {
		return
	}
	p.blank()
	title := chart.Title
	if c.Title != "" {
		title = c.Title + ": " + title
	}
	p.paragraph(title, look{size: 13, bold: true})
	p.paragraph(chart.How, look{italic: true, color: muted})
	p.paragraph(p.wb.text(heatText), look{italic: true, color: muted})
	unit := ""
	if len(chart.Y) > 0 && chart.Y[0].Unit != "" {
		unit = " (" + chart.Y[0].Unit + ")"
	}
	small := look{size: 6, color: muted, rotated: true, format: "0"}
	top := map[int]cell{
		0: {text: p.wb.text("from") + unit, look: look{size: 8, bold: true, color: muted, align: "right"}},
		1: {text: p.wb.text("to") + unit, look: look{size: 8, bold: true, color: muted, align: "right"}},
	}
	for i := range columns {
		top[2+i] = cell{number: &h.X[i], look: small}
		p.fixed(2+i, 1.7)
	}
	p.fixed(0, leastWidth)
	p.fixed(1, leastWidth)
	p.lines = append(p.lines, line{cells: top, height: 34})
	first := len(p.lines) + 1
	for y := rows - 1; y >= 0; y-- {
		bound := look{size: 8, color: muted, align: "right", format: format([]float64{h.Y[y], h.Y[y+1]})}
		cells := map[int]cell{0: {number: &h.Y[y], look: bound}, 1: {number: &h.Y[y+1], look: bound}}
		for x := range columns {
			if y < len(h.Counts[x]) && h.Counts[x][y] > 0 {
				n := float64(h.Counts[x][y])
				cells[2+x] = cell{number: &n, look: look{size: 6, format: ";;;"}}
			}
		}
		p.lines = append(p.lines, line{cells: cells, height: 11})
	}
	to, err := excelize.ColumnNumberToName(2 + columns)
	if err == nil {
		p.scales = append(p.scales, fmt.Sprintf("C%d:%s%s", first, to, strconv.Itoa(len(p.lines))))
	}
	p.paragraph(axisTitle(chart.X), look{size: 8, color: muted})
}

// fixed gives a column of heat maps its width.
func (p *page) fixed(column int, characters float64) {
	for len(p.widths) <= column {
		p.widths = append(p.widths, 0)
	}
	p.widths[column] = characters
}
