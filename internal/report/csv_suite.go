package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// TablesCSV writes the tables of a suite's report, a line for each cell that is not empty, with its origin: measured or
// published.
func TablesCSV(w io.Writer, s result.Suite) error {
	t := newTable(w, "table", "row", "row_kind", "case", "run", "runs", "status", "column", "unit", "origin", "value")
	for _, table := range s.Tables {
		for i, row := range table.Rows {
			for k, cell := range row.Cells {
				if cell.Empty() {
					continue
				}
				column := table.Columns[k]
				origin := "case"
				switch {
				case column.Published:
					origin = "published"
				case column.Figure:
					origin = "measured"
				}
				value := cell.Text
				if cell.Number != nil {
					value = exact(*cell.Number)
				}
				t.row(table.Title, strconv.Itoa(i+1), string(row.Kind), row.Case, row.Run, strconv.Itoa(row.Runs), string(row.Status), column.Name, column.Unit, origin, value)
			}
		}
	}
	return t.end("suite " + s.ID)
}

// CasesCSV writes a line for each figure of each case over its repeats. Percentiles have a median and no mean.
func CasesCSV(w io.Writer, s result.Suite) error {
	t := newTable(w, "case", "scenario", "axes", "dataset", "target", "phase", "loop", "figure", "unit", "runs", "left_out",
		"mean", "median", "min", "max", "stddev", "ci95_low", "ci95_high", "median_low", "median_high", "odd")
	for _, c := range s.Cases {
		axes := make([]string, len(c.Axes))
		for i, a := range c.Axes {
			axes[i] = a.Key + "=" + a.Value
		}
		left := make([]string, len(c.LeftOut))
		for i, l := range c.LeftOut {
			left[i] = l.Run + " (" + string(l.Status) + ")"
		}
		where := []string{c.Name, c.Scenario, strings.Join(axes, " "), c.Dataset, c.Target, c.Phase, c.Loop}
		for _, f := range c.Figures {
			var low, high *float64
			if f.Interval != nil {
				low, high = &f.Interval.Low, &f.Interval.High
			}
			t.row(append(slices.Clip(where), f.Name, f.Unit, strconv.Itoa(f.N), strings.Join(left, " "),
				known(f.Mean), known(f.Median), exact(f.Min), exact(f.Max), known(f.StdDev), known(f.Low), known(f.High),
				known(low), known(high), strings.Join(f.Odd, " "))...)
		}
		if len(c.Figures) == 0 {
			t.row(append(slices.Clip(where), "", "", "0", strings.Join(left, " "), "", "", "", "", "", "", "", "", "", "")...)
		}
	}
	return t.end("suite " + s.ID)
}
