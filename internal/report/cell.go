package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
)

// heads are the titles of a table's columns.
func heads(t result.Table) []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = head(c)
	}
	return out
}

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
