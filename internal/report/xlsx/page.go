package xlsx

import (
	"cmp"
	"fmt"

	"github.com/xuri/excelize/v2"
)

// Sizes of pages: characters, points and pixels.
const (
	pageWidth    = 150 // of texts and charts, in characters
	lineHeight   = 13.5
	chartRow     = 15 // height of the rows below a chart
	chartRows    = 17
	rowPixels    = 18 // that excelize takes such a row for
	gap          = 12
	mostWidth    = 44 // of a column
	leastWidth   = 9
	defaultWidth = 10
)

// toEnd is the last column of a page.
const toEnd = -1

// cell is a cell of a page, or several that are merged.
type cell struct {
	text   string
	number *float64
	look   look
	merge  int // the last column that it covers, from 0; toEnd; 0 if it covers only its own
	link   string
}

// line is a row of a page.
type line struct {
	cells  map[int]cell
	height float64 // 0: what its texts need
}

// picture is a chart on a page.
type picture struct {
	row, x, width int
	chart         plot
}

// page is a sheet for readers: texts, charts and tables below each other.
type page struct {
	wb       *workbook
	name     string
	title    string
	about    []string // for the list of sheets
	color    string   // of its tab
	files    bool     // verbatim text
	lines    []line
	widths   []float64
	pictures []picture
	scales   []string // ranges with a colour scale
	filter   filter
	claims   bool     // it has published columns
	seen     []marked // whose marks are listed
}

// filter is the head of a table whose rows can be filtered, and how many columns and rows it has.
type filter struct{ at, columns, rows int }

func (wb *workbook) page(title string) *page {
	p := &page{wb: wb, name: wb.names.add(title)}
	wb.pages = append(wb.pages, p)
	return p
}

func (p *page) add(cells map[int]cell) { p.lines = append(p.lines, line{cells: cells}) }

func (p *page) blank() { p.lines = append(p.lines, line{height: 8}) }

// paragraph adds a text over the width of the page.
func (p *page) paragraph(text string, l look) {
	if text == "" {
		return
	}
	l.wrap = true
	p.add(map[int]cell{0: {text: clean(text), look: l, merge: toEnd}})
}

// labelled adds a text with a label before it.
func (p *page) labelled(label, text string, l look) {
	l.wrap = true
	p.need(0, width(label)+2)
	p.add(map[int]cell{0: {text: label, look: look{bold: true, color: muted}}, 1: {text: clean(text), look: l, merge: toEnd}})
}

// texts adds paragraphs; those that begin with "- " are items of a list.
func (p *page) texts(texts []string) {
	for _, text := range texts {
		if len(text) > 2 && text[:2] == "- " {
			text = "•  " + text[2:]
		}
		p.paragraph(text, look{})
	}
}

// need makes a column at least so wide, within bounds.
func (p *page) need(column int, characters float64) {
	for len(p.widths) <= column {
		p.widths = append(p.widths, 0)
	}
	p.widths[column] = max(p.widths[column], min(max(characters, leastWidth), mostWidth))
}

// end is the last column of the page's texts; the columns up to it are made wide enough.
func (p *page) end() int {
	total := 0.0
	for i := 0; ; i++ {
		if i == len(p.widths) {
			p.widths = append(p.widths, defaultWidth)
		}
		if p.widths[i] == 0 {
			p.widths[i] = defaultWidth
		}
		if total += p.widths[i]; total >= pageWidth {
			return i
		}
	}
}

// pixels is the width of a column on the screen.
func pixels(width float64) int { return int(width*7+0.5) + 5 }

// anchor is the cell at a distance from the left edge, and the rest of the distance.
func (p *page) anchor(x int) (column, rest int) {
	for column < len(p.widths) && x >= pixels(p.widths[column]) {
		x -= pixels(p.widths[column])
		column++
	}
	return column, x
}

// room is the width of a cell in characters.
func (p *page) room(from, to int) float64 {
	total := 0.0
	for i := from; i <= to && i < len(p.widths); i++ {
		total += p.widths[i]
	}
	return total
}

// emit writes the page to the file.
func (p *page) emit() error {
	f, wb := p.wb.file, p.wb
	if err := wb.sheet(p.name); err != nil {
		return err
	}
	end := p.end()
	for i, w := range p.widths {
		name, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		if err := f.SetColWidth(p.name, name, name, w); err != nil {
			return err
		}
	}
	if err := p.view(); err != nil {
		return err
	}
	for _, picture := range p.pictures {
		if err := p.draw(picture); err != nil {
			return fmt.Errorf("draw chart %q: %w", picture.chart.title, err)
		}
	}
	if err := p.decorate(); err != nil {
		return err
	}
	sw, err := f.NewStreamWriter(p.name)
	if err != nil {
		return err
	}
	for i := range p.lines {
		if err := p.emitLine(sw, i, end); err != nil {
			return err
		}
	}
	return sw.Flush()
}

// view sets what of the page is seen at first, and how it is printed.
func (p *page) view() error {
	if p.color != "" {
		opaque := "FF" + p.color
		if err := p.wb.file.SetSheetProps(p.name, &excelize.SheetPropsOptions{TabColorRGB: &opaque}); err != nil {
			return err
		}
	}
	grid, zoom := false, 100.0
	if err := p.wb.file.SetSheetView(p.name, 0, &excelize.ViewOptions{ShowGridLines: &grid, ZoomScale: &zoom}); err != nil {
		return err
	}
	if err := p.wb.freeze(p.name, 1, 0); err != nil {
		return err
	}
	last, err := excelize.CoordinatesToCellName(len(p.widths), max(len(p.lines), 1))
	if err != nil {
		return err
	}
	if err := p.wb.file.SetSheetDimension(p.name, "A1:"+last); err != nil {
		return err
	}
	return p.wb.printed(p.name, false, "$1:$1")
}

// decorate adds what belongs to cells but is not written with them.
func (p *page) decorate() error {
	f := p.wb.file
	for i, l := range p.lines {
		for column, c := range l.cells {
			if c.link == "" {
				continue
			}
			at, err := excelize.CoordinatesToCellName(column+1, i+1)
			if err != nil {
				return err
			}
			if err := f.SetCellHyperLink(p.name, at, quoted(c.link)+"!A1", "Location"); err != nil {
				return err
			}
		}
	}
	for _, cells := range p.scales {
		if err := f.SetConditionalFormat(p.name, cells, []excelize.ConditionalFormatOptions{{
			Type: "3_color_scale", Criteria: "=", MinType: "min", MidType: "percentile", MidValue: "60", MaxType: "max",
			MinColor: "#E8F1FB", MidColor: "#6BAED6", MaxColor: "#08306B",
		}}); err != nil {
			return err
		}
	}
	if p.filter.rows == 0 {
		return nil
	}
	return p.wb.filter(p.name, p.filter)
}

// emitLine writes a row.
func (p *page) emitLine(sw *excelize.StreamWriter, i, end int) error {
	l := p.lines[i]
	last := -1
	for column, c := range l.cells {
		last = max(last, column, c.merge)
	}
	values, height := make([]any, last+1), 0.0
	for column, c := range l.cells {
		to := max(c.merge, column)
		if c.merge == toEnd {
			to = max(end, column)
		}
		values[column] = excelize.Cell{StyleID: p.wb.styles.id(c.look), Value: c.value()}
		if c.look.wrap {
			size := cmp.Or(c.look.size, 10)
			if n := lines(c.text, p.room(column, to)*1.08*10/size-1); n > 1 || size > 11 {
				height = max(height, float64(n)*lineHeight*size/10)
			}
		}
		if to > column {
			from, err := excelize.CoordinatesToCellName(column+1, i+1)
			if err != nil {
				return err
			}
			until, err := excelize.CoordinatesToCellName(to+1, i+1)
			if err != nil {
				return err
			}
			if err := sw.MergeCell(from, until); err != nil {
				return err
			}
		}
	}
	if l.height > 0 {
		height = l.height
	} else if height > 0 {
		height = min(height+2, excelize.MaxRowHeight)
	}
	at, err := excelize.CoordinatesToCellName(1, i+1)
	if err != nil {
		return err
	}
	return sw.SetRow(at, values, excelize.RowOpts{Height: height})
}

// value is what a cell holds: a number or a text, and never a formula.
func (c cell) value() any {
	if c.number != nil {
		return *c.number
	}
	if c.text == "" {
		return nil
	}
	return c.text
}

// draw adds a chart to the page. Excelize links the part of the chart to the sheet, and its content is replaced.
func (p *page) draw(pic picture) error {
	column, rest := p.anchor(pic.x)
	at, err := excelize.CoordinatesToCellName(column+1, pic.row+1)
	if err != nil {
		return err
	}
	if err := p.wb.file.AddChart(p.name, at, &excelize.Chart{
		Type:      excelize.Scatter,
		Series:    []excelize.ChartSeries{{Name: "-", Values: quoted(p.name) + "!$A$1"}},
		Dimension: excelize.ChartDimension{Width: uint(pic.width), Height: chartRows * rowPixels},
		Format:    excelize.GraphicOptions{OffsetX: rest, AltText: oneLine(pic.chart.title+". "+pic.chart.how, 1000)},
	}); err != nil {
		return err
	}
	p.wb.charts++
	p.wb.file.Pkg.Store(fmt.Sprintf("xl/charts/chart%d.xml", p.wb.charts), pic.chart.xml())
	return nil
}
