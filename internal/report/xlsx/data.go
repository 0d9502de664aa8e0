package xlsx

import (
	"math"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// dataTop is how many rows are above the figures of a sheet of data: title, how they were made, heads.
const dataTop = 3

// dataSheet is a sheet with the rows of a table of figures, or with a part of them.
type dataSheet struct {
	name     string
	table    *book.Table
	from, to int // rows
}

// index finds columns of figures in the tables of data, so that charts refer to them.
type index struct{ columns []indexed }

// indexed is a column of a sheet of data.
type indexed struct {
	sheet  *dataSheet
	column int // from 0
	values []float64
}

// newIndex makes the sheets of data. A table with more rows than a sheet takes several.
func newIndex(wb *workbook, tables []book.Table) *index {
	x := &index{}
	room := wb.rows - dataTop
	for i := range tables {
		t := &tables[i]
		for from := 0; from == 0 || from < len(t.Rows); from += room {
			d := &dataSheet{name: wb.names.add(wb.text("Data") + " " + shortTitle(t.Title)), table: t, from: from, to: min(from+room, len(t.Rows))}
			wb.tables = append(wb.tables, d)
			for column, c := range t.Columns {
				if c.Figure {
					x.columns = append(x.columns, indexed{d, column, valuesOf(t.Rows[d.from:d.to], column)})
				}
			}
		}
	}
	return x
}

// shortTitle is what of a title of the form "Every interval: operations" distinguishes tables.
func shortTitle(title string) string {
	for _, sep := range []string{": ", "："} {
		if _, after, ok := strings.Cut(title, sep); ok {
			return after
		}
	}
	return title
}

func valuesOf(rows [][]book.Cell, column int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = math.NaN()
		if column < len(row) && isNumber(row[column]) {
			out[i] = *row[column].Number
		}
	}
	return out
}

// longSeries is from how many values on a series is looked for in the tables: short ones may agree by chance.
const longSeries = 60

// find is the range that holds some values in a row; empty if there is none.
func (x *index) find(values []float64) string {
	n := len(values)
	if n < longSeries {
		return ""
	}
	for i := range x.columns {
		c := &x.columns[i]
		for at := 0; at+n <= len(c.values); at++ {
			if same(c.values[at], values[0]) && same(c.values[at+n-1], values[n-1]) && allSame(c.values[at:at+n], values) {
				return reference(c.sheet.name, c.column, dataTop+at, n)
			}
		}
	}
	return ""
}

func same(a, b float64) bool { return a == b || a != a && b != b }

func allSame(a, b []float64) bool {
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// reference is a range of n rows of a column; column and row count from 0.
func reference(sheet string, column, row, n int) string {
	name, err := excelize.ColumnNumberToName(column + 1)
	if err != nil {
		return ""
	}
	return quoted(sheet) + "!$" + name + "$" + itoa(row+1) + ":$" + name + "$" + itoa(row+n)
}

// emit writes the sheet.
func (d *dataSheet) emit(wb *workbook) error {
	if err := wb.sheet(d.name); err != nil {
		return err
	}
	t := d.table
	rows := t.Rows[d.from:d.to]
	formats := make([]int, len(t.Columns))
	widths := make([]float64, len(t.Columns))
	heads := make([]any, len(t.Columns))
	fixed := 0
	for i, c := range t.Columns {
		text := head(c, wb.text)
		values := valuesOf(rows, i)
		style := format(values)
		formats[i] = wb.styles.id(look{format: style, claimed: c.Published})
		l := look{bold: true, fill: headFill, wrap: true, headBelow: true}
		if c.Published {
			l.fill = claimFill
		}
		if !c.Figure {
			formats[i] = wb.styles.id(look{claimed: c.Published})
		} else if l.align = "right"; fixed == 0 {
			fixed = i + 1 // the first figures are times, or what the rows are about
		}
		heads[i] = excelize.Cell{StyleID: wb.styles.id(l), Value: clean(text)}
		widths[i] = min(max(longestWord(text)+2, width(text)/3+2, d.columnWidth(i, style), 7), 30)
	}
	if fixed = min(fixed, 3); len(t.Columns) <= fixed {
		fixed = 0
	}
	if err := d.view(wb, widths, fixed); err != nil {
		return err
	}
	sw, err := wb.file.NewStreamWriter(d.name)
	if err != nil {
		return err
	}
	for i, w := range widths {
		if err := sw.SetColWidth(i+1, i+1, w); err != nil {
			return err
		}
	}
	top := []struct {
		text string
		look look
	}{{t.Title, look{size: 13, bold: true, color: accent}}, {strings.Join(append([]string{t.How}, t.Notes...), " "), look{italic: true, color: muted}}}
	for i, text := range top {
		if err := sw.SetRow("A"+itoa(i+1), []any{excelize.Cell{StyleID: wb.styles.id(text.look), Value: clean(text.text)}}); err != nil {
			return err
		}
	}
	if err := sw.SetRow("A"+itoa(dataTop), heads, excelize.RowOpts{Height: 44}); err != nil {
		return err
	}
	if err := writeRows(sw, rows, formats, dataTop); err != nil {
		return err
	}
	return sw.Flush()
}

// writeRows writes rows of cells below others.
func writeRows(sw *excelize.StreamWriter, rows [][]book.Cell, styles []int, below int) error {
	cells := make([]excelize.Cell, len(styles))
	values := make([]any, len(styles))
	for i, row := range rows {
		for k := range cells {
			values[k] = nil
			if k >= len(row) {
				continue
			}
			c := &row[k]
			switch {
			case isNumber(*c):
				cells[k] = excelize.Cell{StyleID: styles[k], Value: *c.Number}
			case c.Text != "":
				cells[k] = excelize.Cell{StyleID: styles[k], Value: clean(c.Text)}
			default:
				continue
			}
			values[k] = &cells[k]
		}
		if err := sw.SetRow("A"+itoa(below+i+1), values); err != nil {
			return err
		}
	}
	return nil
}

// columnWidth is the width of the widest of the first figures.
func (d *dataSheet) columnWidth(column int, format string) float64 {
	most := 0.0
	for _, row := range d.table.Rows[d.from:min(d.to, d.from+200)] {
		if column >= len(row) {
			continue
		}
		if isNumber(row[column]) {
			most = max(most, float64(len(shown(*row[column].Number, format)))+1)
		} else {
			most = max(most, width(row[column].Text)+2)
		}
	}
	return most
}

// wideSheet is from how many characters on a sheet is not printed on the width of one page.
const wideSheet = 220

func (d *dataSheet) view(wb *workbook, widths []float64, fixed int) error {
	total := 0.0
	for _, w := range widths {
		total += w
	}
	last, err := excelize.CoordinatesToCellName(len(widths), dataTop+d.to-d.from)
	if err != nil {
		return err
	}
	if err := wb.file.SetSheetDimension(d.name, "A1:"+last); err != nil {
		return err
	}
	if err := wb.freeze(d.name, dataTop, fixed); err != nil {
		return err
	}
	if d.to > d.from {
		if err := wb.filter(d.name, filter{dataTop - 1, len(widths), d.to - d.from}); err != nil {
			return err
		}
	}
	return wb.printed(d.name, total > wideSheet, "$1:$"+itoa(dataTop))
}
