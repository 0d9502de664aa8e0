package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// ScenarioTables has a table for each scenario of a suite, and one for the cases that only write rows: its cases with
// their figures over the repeats.
func ScenarioTables(s result.Suite) []result.Table {
	var order []string
	groups := make(map[string][]result.Case)
	loops := make(map[string][]string) // by scenario: cases of open and closed loops are not comparable (law 2)
	for _, c := range s.Cases {
		if !c.Fills && c.Loop != "" && !slices.Contains(loops[c.Scenario], c.Loop) {
			loops[c.Scenario] = append(loops[c.Scenario], c.Loop)
		}
	}
	for _, c := range s.Cases {
		name := c.Scenario
		if c.Fills {
			name = "Rows that cases share"
		} else if mixed := loops[c.Scenario]; len(mixed) > 1 {
			name = fmt.Sprintf("%s (%s loop)", name, cmp.Or(c.Loop, mixed[0]))
		}
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], c)
	}
	tables := make([]result.Table, 0, len(order))
	for _, name := range order {
		t := scenarioTable(name, groups[name])
		if note := bufferedNote(s.Runs, func(of string) bool {
			return slices.ContainsFunc(groups[name], func(c result.Case) bool { return c.Name == of })
		}); note != "" {
			t.Notes = append(t.Notes, note)
		}
		tables = append(tables, t)
	}
	return tables
}

func scenarioTable(name string, cases []result.Case) result.Table {
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
	head := slices.Clone(axes)
	if fills {
		head = append(head, "dataset")
	}
	if len(targets) > 1 {
		head = append(head, "target")
	}
	names := len(head)
	head = append(head, "runs", "ops/s")
	if several {
		head = append(head, "median (95 %)", "sd", "min", "max")
	}
	for _, op := range ops {
		title := strings.ReplaceAll(op, "_", " ")
		head = append(head, title+" avg", title+" p50", title+" p99", title+" max")
	}
	t := result.Table{Title: name, Columns: columns(head...)}
	for i := range t.Columns {
		t.Columns[i].Figure = i >= names
	}
	for _, c := range cases {
		t.Rows = append(t.Rows, scenarioRow(c, axes, ops, fills, len(targets) > 1, several))
		t.Notes = append(t.Notes, oddRuns(c)...)
		for _, l := range c.LeftOut {
			if c.Capacity != nil {
				break // the table of its probes has all of them
			}
			t.Notes = append(t.Notes, fmt.Sprintf("%s is %s and excluded from the means: %s", l.Run, l.Status, printable(l.Because)))
		}
	}
	if several {
		t.Notes = append(t.Notes, medianNote(cases))
	}
	for _, loop := range []string{"closed", "open"} {
		if loops[loop] {
			t.Notes = append(t.Notes, loop+" loop")
		}
	}
	return t
}

func scenarioRow(c result.Case, axes, ops []string, fills, targets, several bool) result.Row {
	var cells []string
	for _, key := range axes {
		text := none
		for _, a := range c.Axes {
			if a.Key == key {
				text = a.Value
			}
		}
		cells = append(cells, text)
	}
	if fills {
		cells = append(cells, c.Dataset)
	}
	if targets {
		cells = append(cells, c.Target)
	}
	runs := fmt.Sprintf("%d of %d", len(c.Runs), max(c.Repeats, len(c.Runs)+len(c.LeftOut)))
	cells = append(cells, runs)
	f, ok := overRuns(c, "throughput_ops")
	if ok {
		cells = append(cells, rate(*f.Mean))
	} else {
		cells = append(cells, none)
	}
	switch {
	case several && ok && f.StdDev != nil:
		cells = append(cells, medianText(c, f), rate(*f.StdDev), rate(f.Min), rate(f.Max))
	case several:
		cells = append(cells, none, none, none, none)
	}
	for _, op := range ops {
		for _, stat := range []string{"avg", "p50", "p99", "max"} {
			text := none
			if f, ok := overRuns(c, op+"_"+stat+"_us"); ok {
				switch {
				case stat == "max":
					text = Micros(f.Max)
				case f.Median != nil:
					text = Micros(*f.Median)
				case f.Mean != nil:
					text = Micros(*f.Mean)
				}
			}
			cells = append(cells, text)
		}
	}
	row := textRow(cells...)
	row.Case, row.Runs = c.Name, len(c.Runs)
	return row
}

func overRuns(c result.Case, name string) (result.Figure, bool) {
	for _, f := range c.Figures {
		if f.Name == name {
			return f, true
		}
	}
	return result.Figure{}, false
}
