package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// suiteTable is a table of a suite's file as a table of its report.
func suiteTable(t result.Table) book.Table {
	out := book.Table{Title: t.Title}
	for _, note := range t.Notes {
		out.Notes = append(out.Notes, plainWords(note))
	}
	for i, c := range t.Columns {
		out.Columns = append(out.Columns, book.Column{Head: head(c), Unit: c.Unit, Figure: c.Figure || c.Unit != "", Names: !c.Figure && !describes(t, i), Published: c.Published})
	}
	status := unwell(t)
	if status {
		out.Columns = append(out.Columns, book.Column{Head: "status"})
	}
	for _, row := range t.Rows {
		cells := make([]book.Cell, 0, len(out.Columns))
		for i, cell := range row.Cells {
			cells = append(cells, book.Cell{Text: cellText(t.Columns[i], cell), Number: cell.Number})
		}
		if status {
			cells = append(cells, book.Text(string(row.Status)))
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// describes reports whether a column of a table contains texts that benchd wrote: over how many runs a row is, or at which
// value its peak was.
func describes(t result.Table, column int) bool {
	if slices.Contains([]string{"run", "repeat", "loop", "status"}, t.Columns[column].Name) {
		return true
	}
	return slices.ContainsFunc(t.Rows, func(r result.Row) bool { return strings.HasPrefix(r.Cells[column].Text, "peak") })
}

// names are columns of names and other texts.
func names(heads ...string) []book.Column {
	out := make([]book.Column, len(heads))
	for i, h := range heads {
		out[i] = book.Column{Head: h, Names: true}
	}
	return out
}

// words are columns of texts that benchd wrote.
func words(heads ...string) []book.Column {
	out := names(heads...)
	for i := range out {
		out[i].Names = false
	}
	return out
}

// figures are columns of figures with one unit.
func figures(unit string, heads ...string) []book.Column {
	out := make([]book.Column, len(heads))
	for i, h := range heads {
		out[i] = book.Column{Head: h, Unit: unit, Figure: true}
	}
	return out
}

// texts are cells without numbers.
func texts(all ...string) []book.Cell {
	out := make([]book.Cell, len(all))
	for i, s := range all {
		out[i] = book.Text(s)
	}
	return out
}

// rateCell is a cell of operations per second.
func rateCell(x float64) book.Cell { return book.Number(x, rate(x)) }

// countCell is a cell of a number of things.
func countCell(n uint64) book.Cell { return book.Number(float64(n), whole(n)) }

// timeCell is a cell of a time in microseconds; nil is a missing one.
func timeCell(us *float64) book.Cell {
	if us == nil {
		return book.Text(none)
	}
	return book.Number(*us, Micros(*us))
}

// secondsCell is a cell of a time in seconds.
func secondsCell(s float64) book.Cell { return book.Number(s, fixed(s, 1)+" s") }

// head is a column's title: insert_p999_us is "insert p99.9 (µs)".
func head(c result.Column) string {
	name := c.Name
	if c.Figure && strings.Contains(name, "_") {
		name = figure.Title(name)
	}
	if c.Unit != "" {
		name += " (" + c.Unit + ")"
	}
	if c.Published {
		name = "published: " + name
	}
	return name
}

// unwell reports whether a row of a table has an incomplete run: then the status is a column.
func unwell(t result.Table) bool {
	return slices.ContainsFunc(t.Rows, func(r result.Row) bool { return r.Status != "" && r.Status != result.Complete })
}

// cellText formats a cell with the digits that suit its unit.
func cellText(c result.Column, cell result.Cell) string {
	switch {
	case cell.Text != "":
		return cell.Text
	case cell.Number == nil:
		return none
	}
	x := *cell.Number
	switch {
	case !c.Figure:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case c.Unit == "ops/s":
		return rate(x)
	}
	decimals := 3
	for limit := 10.0; decimals > 0 && math.Abs(x) >= limit; limit *= 10 {
		decimals--
	}
	if x == math.Trunc(x) || decimals == 0 {
		if x >= 0 && x < math.MaxInt64 {
			return whole(uint64(math.Round(x)))
		}
		decimals = 0
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
