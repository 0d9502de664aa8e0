package xlsx

import (
	"hash/maphash"
	"math"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// plotTop is how many rows are above the figures of charts: what the sheet is, titles of charts, heads.
const plotTop = 3

// columnsOfPlots is how many columns a sheet of chart data has at most.
const columnsOfPlots = 4000

// plots are the figures that charts refer to and that are on no other sheet. Equal columns are there once.
type plots struct {
	wb     *workbook
	index  *index
	seed   maphash.Seed
	sheets []*plotSheet
	known  map[uint64][]known
}

// plotSheet is a sheet of chart data.
type plotSheet struct {
	name    string
	columns []plotColumn
}

// plotColumn is a column of a chart: numbers, or names of categories.
type plotColumn struct {
	chart   string // its title, at the first column of a chart
	head    string
	numbers []float64
	texts   []string
}

// known is a column that is there.
type known struct {
	values []float64
	ref    string
}

func (p *plots) init(wb *workbook, x *index) {
	*p = plots{wb: wb, index: x, seed: maphash.MakeSeed(), known: make(map[uint64][]known)}
}

func (p *plots) used() bool { return len(p.sheets) > 0 }

// name is the name of the first sheet.
func (p *plots) name() string { return p.sheets[0].name }

// numbers is the range that holds some values. It is a column of a table if there is one.
func (p *plots) numbers(chart, head string, values []float64) data {
	d := data{values: values}
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, x := range values {
		maphash.WriteComparable(&h, math.Float64bits(x))
	}
	key := h.Sum64()
	for _, k := range p.known[key] {
		if allSame(k.values, values) {
			d.ref = k.ref
			return d
		}
	}
	if d.ref = p.index.find(values); d.ref == "" {
		d.ref = p.add(plotColumn{chart: chart, head: head, numbers: values}, len(values))
	}
	p.known[key] = append(p.known[key], known{values, d.ref})
	return d
}

// texts is the range that holds some names.
func (p *plots) texts(chart, head string, texts []string) data {
	return data{texts: texts, ref: p.add(plotColumn{chart: chart, head: head, texts: texts}, len(texts))}
}

func (p *plots) add(c plotColumn, n int) string {
	if len(p.sheets) == 0 || len(p.sheets[len(p.sheets)-1].columns) >= columnsOfPlots {
		p.sheets = append(p.sheets, &plotSheet{name: p.wb.names.add(p.wb.text("Chart data"))})
	}
	s := p.sheets[len(p.sheets)-1]
	s.columns = append(s.columns, c)
	return reference(s.name, len(s.columns)-1, plotTop, max(n, 1))
}

func (p *plots) emit(wb *workbook) error {
	for _, s := range p.sheets {
		if err := s.emit(wb); err != nil {
			return err
		}
	}
	return nil
}

func (s *plotSheet) emit(wb *workbook) error {
	if err := wb.sheet(s.name); err != nil {
		return err
	}
	n, total := 0, 0.0
	titles, heads := make([]any, len(s.columns)), make([]any, len(s.columns))
	formats, widths := make([]int, len(s.columns)), make([]float64, len(s.columns))
	before := ""
	for i, c := range s.columns {
		n = max(n, len(c.numbers), len(c.texts))
		if c.chart != before {
			titles[i] = excelize.Cell{StyleID: wb.styles.id(look{bold: true, color: accent}), Value: oneLine(c.chart, 250)}
			before = c.chart
		}
		l := look{bold: true, fill: headFill, wrap: true, headBelow: true}
		widths[i] = 11
		if c.texts == nil {
			l.align = "right"
		}
		for _, text := range c.texts {
			widths[i] = min(max(widths[i], width(text)+2), 40)
		}
		heads[i] = excelize.Cell{StyleID: wb.styles.id(l), Value: oneLine(c.head, 250)}
		widths[i] = min(max(widths[i], longestWord(c.head)+2, width(c.head)/2+2), 40)
		formats[i] = wb.styles.id(look{format: format(c.numbers)})
		total += widths[i]
	}
	last, err := excelize.CoordinatesToCellName(len(s.columns), plotTop+n)
	if err != nil {
		return err
	}
	if err := wb.file.SetSheetDimension(s.name, "A1:"+last); err != nil {
		return err
	}
	if err := wb.freeze(s.name, plotTop, 0); err != nil {
		return err
	}
	if err := wb.printed(s.name, total > wideSheet, "$1:$"+itoa(plotTop)); err != nil {
		return err
	}
	sw, err := wb.file.NewStreamWriter(s.name)
	if err != nil {
		return err
	}
	for i, w := range widths {
		if err := sw.SetColWidth(i+1, i+1, w); err != nil {
			return err
		}
	}
	top := []any{excelize.Cell{StyleID: wb.styles.id(look{italic: true, color: muted}), Value: wb.text(plotText)}}
	for i, row := range [][]any{top, titles, heads} {
		if err := sw.SetRow("A"+itoa(i+1), row, excelize.RowOpts{Height: []float64{18, 18, 44}[i]}); err != nil {
			return err
		}
	}
	if err := s.rows(sw, n, formats); err != nil {
		return err
	}
	return sw.Flush()
}

// rows writes the figures.
func (s *plotSheet) rows(sw *excelize.StreamWriter, n int, formats []int) error {
	cells, values := make([]excelize.Cell, len(s.columns)), make([]any, len(s.columns))
	for row := range n {
		for i := range s.columns {
			c := &s.columns[i]
			values[i] = nil
			switch {
			case row < len(c.numbers) && !math.IsNaN(c.numbers[row]) && !math.IsInf(c.numbers[row], 0):
				cells[i] = excelize.Cell{StyleID: formats[i], Value: c.numbers[row]}
			case row < len(c.texts):
				cells[i] = excelize.Cell{StyleID: formats[i], Value: clean(c.texts[row])}
			default:
				continue
			}
			values[i] = &cells[i]
		}
		if err := sw.SetRow("A"+itoa(plotTop+row+1), values); err != nil {
			return err
		}
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
