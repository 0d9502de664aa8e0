package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// sharedRows is the title of the cases that only write rows.
const sharedRows = "Rows that cases share"

// scenario is the cases of a suite that share a table: those of a scenario that have the same loop, and those that only write rows.
type scenario struct {
	title      string
	name, loop string // of its cases; empty if they only write rows
	cases      []result.Case
}

// scenarios are the scenarios of a suite, in their order.
func scenarios(s result.Suite) []scenario {
	loops := make(map[string][]string) // by scenario: cases of open and closed loops are not comparable (law 2)
	for _, c := range s.Cases {
		if !c.Fills && c.Loop != "" && !slices.Contains(loops[c.Scenario], c.Loop) {
			loops[c.Scenario] = append(loops[c.Scenario], c.Loop)
		}
	}
	var all []scenario
	for _, c := range s.Cases {
		of := scenario{title: c.Scenario, name: c.Scenario, loop: c.Loop}
		if c.Fills {
			of = scenario{title: sharedRows}
		} else if mixed := loops[c.Scenario]; len(mixed) > 1 {
			of.loop = cmp.Or(c.Loop, mixed[0])
			of.title = fmt.Sprintf("%s (%s loop)", c.Scenario, of.loop)
		}
		i := slices.IndexFunc(all, func(other scenario) bool { return other.title == of.title })
		if i < 0 {
			i = len(all)
			all = append(all, of)
		}
		all[i].cases = append(all[i].cases, c)
		all[i].loop = cmp.Or(all[i].loop, of.loop)
	}
	return all
}

// ScenarioTables has a table for each scenario of a suite, and one for the cases that only write rows: its cases with
// their figures over the repeats.
func ScenarioTables(s result.Suite) []book.Table {
	all := scenarios(s)
	tables := make([]book.Table, 0, len(all))
	for _, of := range all {
		tables = append(tables, of.table(s.Runs))
	}
	return tables
}

// table has a row for each case.
func (of scenario) table(runs []result.Run) book.Table {
	t := scenarioTable(of.title, of.cases)
	if note := bufferedNote(runs, func(name string) bool {
		return slices.ContainsFunc(of.cases, func(c result.Case) bool { return c.Name == name })
	}); note != "" {
		t.Notes = append(t.Notes, note)
	}
	return t
}

func scenarioTable(name string, cases []result.Case) book.Table {
	var axes, ops []string
	several, targets := false, make(map[string]bool)
	loops := make(map[string]bool)
	fills := false
	for _, c := range cases {
		for _, a := range c.Axes {
			if !slices.Contains(axes, a.Key) {
				axes = append(axes, a.Key)
			}
		}
		for _, f := range c.Figures {
			if op, ok := strings.CutSuffix(f.Name, "_avg_us"); ok && !slices.Contains(ops, op) {
				ops = append(ops, op)
			}
		}
		targets[c.Target] = true
		several = several || len(c.Runs) > 1
		fills = fills || c.Fills
		if c.Loop != "" {
			loops[c.Loop] = true
		}
	}
	t := book.Table{Title: name, Columns: scenarioColumns(axes, ops, fills, len(targets) > 1, several)}
	for _, c := range cases {
		t.Rows = append(t.Rows, scenarioRow(c, axes, ops, fills, len(targets) > 1, several))
		t.Notes = append(t.Notes, oddRuns(c)...)
		for _, l := range c.LeftOut {
			if c.Capacity != nil {
				break // the table of its probes has all of them
			}
			t.Notes = append(t.Notes, fmt.Sprintf("%s is %s and excluded from the means: %s", l.Run, l.Status, plainWords(l.Because)))
		}
	}
	if several {
		t.Notes = append(t.Notes, medianNote(cases))
	}
	for _, loop := range []string{"closed", "open", "mixed"} {
		if loops[loop] {
			t.Notes = append(t.Notes, loop+" loop")
		}
	}
	return t
}

// scenarioColumns are the columns of a scenario's table: what distinguishes its cases, their throughput, and the response times of
// each operation.
func scenarioColumns(axes, ops []string, fills, targets, several bool) []book.Column {
	all := names(axes...)
	if fills {
		all = append(all, names("dataset")...)
	}
	if targets {
		all = append(all, names("target")...)
	}
	all = append(all, slices.Concat(figures("", "runs"), figures("ops/s", "ops/s"))...)
	if several {
		all = append(all, figures("ops/s", "median (95 %)", "sd", "min", "max")...)
		for i := range 3 {
			all[len(all)-3+i].Spare = 7 - i
		}
	}
	for _, op := range ops {
		title := strings.ReplaceAll(op, "_", " ")
		of := figures("µs", title+" avg", title+" p50", title+" p99", title+" max")
		of[1].Spare, of[2].Spare, of[3].Spare = 3, 1, 2
		all = append(all, of...)
	}
	return all
}

func scenarioRow(c result.Case, axes, ops []string, fills, targets, several bool) []book.Cell {
	var cells []book.Cell
	for _, key := range axes {
		cell := book.Text(none)
		for _, a := range c.Axes {
			if a.Key == key {
				cell = settingCell(a.Value)
			}
		}
		cells = append(cells, cell)
	}
	if fills {
		cells = append(cells, book.Text(c.Dataset))
	}
	if targets {
		cells = append(cells, book.Text(c.Target))
	}
	cells = append(cells, book.Text(fmt.Sprintf("%d of %d", len(c.Runs), max(c.Repeats, len(c.Runs)+len(c.LeftOut)))))
	cells = append(cells, throughputCells(c, several)...)
	for _, op := range ops {
		for _, stat := range []string{"avg", "p50", "p99", "max"} {
			cells = append(cells, latencyOverRuns(c, op+"_"+stat+"_us", stat))
		}
	}
	return cells
}

// settingCell is the value of a setting; a plain number is one for calculations, too.
func settingCell(value string) book.Cell {
	if x, err := strconv.ParseFloat(value, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
		return book.Number(x, value)
	}
	return book.Text(value)
}

// throughputCells are the throughput of a case, and over several runs its median, deviation and bounds.
func throughputCells(c result.Case, several bool) []book.Cell {
	f, ok := overRuns(c, "throughput_ops")
	cells := texts(none)
	if ok {
		cells = []book.Cell{rateCell(*f.Mean)}
	}
	switch {
	case several && ok && f.StdDev != nil:
		_, all := valuesOf(c, f, "")
		return append(cells, book.Number(stats.Median(all), medianText(c, f)), rateCell(*f.StdDev), rateCell(f.Min), rateCell(f.Max))
	case several:
		return append(cells, texts(none, none, none, none)...)
	}
	return cells
}

// latencyOverRuns is a figure of response times over the repeats: the greatest maximum, the median of a percentile, or a mean.
func latencyOverRuns(c result.Case, name, stat string) book.Cell {
	f, ok := overRuns(c, name)
	switch {
	case !ok:
		return book.Text(none)
	case stat == "max":
		return timeCell(&f.Max)
	case f.Median != nil:
		return timeCell(f.Median)
	}
	return timeCell(f.Mean)
}

func overRuns(c result.Case, name string) (result.Figure, bool) {
	for _, f := range c.Figures {
		if f.Name == name {
			return f, true
		}
	}
	return result.Figure{}, false
}
