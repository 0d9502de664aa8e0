package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// asked is a column that a suite's file requests.
type asked struct {
	figure.Column
	// figure: it holds figures; otherwise labels of cases.
	figure bool
}

// newAsked classifies a name; published are the names of published figures.
func (m measured) newAsked(name string, published map[string]bool) asked {
	c := m.figures.Parse(name)
	return asked{c, c.Class != figure.Identity && (c.LooksLikeFigure() || published[name])}
}

// tables makes the tables for one table of the suite's file: one, or one for each loop if its cases ran in closed and open
// loops, because these are not compared, averaged or searched for a peak together (law 2).
func (m measured) tables(t plan.Table) []result.Table {
	if m.ofGroups(t) {
		return []result.Table{m.table(t, func(*caseRuns) bool { return true })}
	}
	var loops []string
	for _, scenario := range t.Scenarios {
		for _, c := range m.of(scenario) {
			if loop := c.loop(); loop != "" && !slices.Contains(loops, loop) {
				loops = append(loops, loop)
			}
		}
	}
	if len(loops) < 2 {
		return []result.Table{m.table(t, func(*caseRuns) bool { return true })}
	}
	var out []result.Table
	for i, loop := range loops {
		part := t
		part.Title = fmt.Sprintf("%s (%s loop)", t.Title, loop)
		one := m.table(part, func(c *caseRuns) bool { return c.loop() == loop || c.loop() == "" && i == 0 })
		one.Notes = append(one.Notes, "Cases of this table ran in open and in closed loops, which are not comparable: each loop has a table of its own.")
		out = append(out, one)
	}
	return out
}

// ofGroups reports whether all figures of a table are those of groups of workers, and each group has the same loop in all runs.
// Then the loop of a whole run does not matter.
func (m measured) ofGroups(t plan.Table) bool {
	for _, name := range t.Columns {
		if c := m.newAsked(name, nil); c.figure && c.Group == "" {
			return false
		}
	}
	loops := make(map[string]string) // by group
	for _, scenario := range t.Scenarios {
		for _, c := range m.of(scenario) {
			for _, r := range c.runs {
				p := r.Subject()
				if p == nil {
					continue
				}
				if len(p.Groups) == 0 {
					return false
				}
				for _, g := range p.Groups {
					if loop := loops[g.Name]; loop != "" && loop != g.Loop {
						return false
					}
					loops[g.Name] = g.Loop
				}
			}
		}
	}
	return len(loops) > 0
}

// table makes a table of the cases that fit.
func (m measured) table(t plan.Table, fits func(*caseRuns) bool) result.Table {
	b := tableBuilder{figures: m.figures, repeats: t.Repeats, groups: m.ofGroups(t)}
	not := func(c *caseRuns) bool { return !fits(c) }
	published := make(map[string]bool)
	for _, scenario := range t.Scenarios {
		for _, c := range slices.DeleteFunc(m.of(scenario), not) {
			c.addPublished(published)
		}
	}
	for _, name := range t.Columns {
		b.columns = append(b.columns, m.newAsked(name, published))
		b.clients = b.clients || name == "client"
	}
	for _, scenario := range t.Scenarios {
		if cases := slices.DeleteFunc(m.of(scenario), not); len(cases) > 0 {
			b.scenario(cases)
		}
	}
	out := result.Table{Title: t.Title, Rows: []result.Row{}}
	b.finish(&out)
	return out
}

// addPublished adds the names of a case's published figures, without the labels of the case.
func (c *caseRuns) addPublished(names map[string]bool) {
	for _, e := range c.Published {
		for name := range e {
			names[name] = true
		}
	}
	for _, a := range c.Axes {
		delete(names, a.Key)
	}
	for _, r := range c.runs {
		for name := range r.Resolved {
			delete(names, name)
		}
	}
}

// of are the cases of a scenario that measure something.
func (m measured) of(scenario string) []*caseRuns {
	var out []*caseRuns
	for _, c := range m.cases {
		if c.Scenario == scenario && !c.Fills {
			out = append(out, c)
		}
	}
	return out
}

// tableBuilder collects the rows of a table. Each column has a measured and a published cell, until finish removes empty
// columns.
type tableBuilder struct {
	figures figure.Vocabulary
	columns []asked
	repeats bool
	clients bool // a row for each agent
	groups  bool // all figures are those of groups of workers
	rows    []doubleRow
	loop    string
	notes   []string
}

type doubleRow struct {
	result.Row
	measured, published []result.Cell
}

func (b *tableBuilder) scenario(cases []*caseRuns) {
	for _, c := range cases {
		switch {
		case b.clients:
			b.agents(c)
		case b.repeats:
			b.everyRun(c)
		default:
			b.over(c)
		}
		for _, r := range c.runs {
			if p := r.Subject(); p != nil && b.loop == "" {
				b.loop = p.Loop
			}
			if r.because != "" {
				b.notes = append(b.notes, fmt.Sprintf("%s (%s, repeat %d) is %s and excluded from the means: %s", r.ID, c.Name, r.Repeat, r.Status, r.because))
			}
		}
		b.strangers(c)
	}
	b.peak(cases)
}

// strangers adds a row for each published system that the suite does not measure.
func (b *tableBuilder) strangers(c *caseRuns) {
	for _, e := range c.Published {
		if name := targetOf(e); name != "" && name != c.Target {
			stranger := *c
			stranger.runs, stranger.Agents, stranger.Target = nil, 0, name
			row := result.Row{Kind: result.OfRuns, Case: c.Name}
			b.add(row, &stranger, 0, 0, figure.Values(nil).Get, e)
		}
	}
}

// everyRun adds a row for each repeat, including those that are only published, and one over all.
func (b *tableBuilder) everyRun(c *caseRuns) {
	most := len(c.runs)
	for _, e := range c.Published {
		if n, ok := figure.Number(e["run"]); ok && n >= 1 && n <= plan.MaxPublished {
			most = max(most, int(n))
		}
	}
	for i := range most {
		row := result.Row{Kind: result.OneRun, Case: c.Name}
		var f figure.Values
		if i < len(c.runs) {
			r := c.runs[i]
			row.Run, row.Status, f = r.ID, r.Status, r.figures
			if r.because == "" {
				row.Runs = 1
			}
		}
		said := entry(c.Published, "run", i+1)
		if said == nil && most == 1 {
			said = average(c.Published, c.Target) // the only run is the case
		}
		b.add(row, c, i+1, 0, f.Get, said)
	}
	if most > 1 {
		b.over(c)
	}
}

// over adds a row over the repeats of a case.
func (b *tableBuilder) over(c *caseRuns) {
	fit := c.fit()
	row := result.Row{Kind: result.OfRuns, Case: c.Name, Runs: len(fit)}
	if len(fit) == 0 && len(c.runs) > 0 {
		row.Status = c.runs[len(c.runs)-1].Status
	}
	b.add(row, c, 0, 0, b.represented(fit), average(c.Published, c.Target))
}

// represented returns the values that represent the figures of several runs.
func (b *tableBuilder) represented(runs []oneRun) func(name string) (float64, bool) {
	return func(name string) (float64, bool) {
		for _, r := range runs {
			if _, ok := r.figures.Get(name); ok {
				return represent(overRuns(b.figures, name, runs), b.figures.Parse(name).Over()), true
			}
		}
		return 0, false
	}
}

// agents adds a row for each agent of each run.
func (b *tableBuilder) agents(c *caseRuns) {
	for _, r := range c.runs {
		for i, a := range r.Provenance.Agents {
			row := result.Row{Kind: result.OneRun, Case: c.Name, Run: r.ID, Status: r.Status, Runs: 1}
			b.add(row, c, r.Repeat, i+1, r.AgentMeasurement(a.Name).AgentValues().Get, entry(c.Published, "client", i+1))
		}
	}
	for _, e := range c.Published { // machines that this run does not have
		n, ok := figure.Number(e["client"])
		if most := c.mostAgents(); ok && n <= plan.MaxPublished && int(n) > most {
			b.add(result.Row{Kind: result.OneRun, Case: c.Name}, c, 0, int(n), figure.Values(nil).Get, e)
		}
	}
}

func (c *caseRuns) mostAgents() int {
	most := 0
	for _, r := range c.runs {
		most = max(most, len(r.Provenance.Agents))
	}
	return most
}

// peak adds a row for the highest throughput of a scenario if a report has it.
func (b *tableBuilder) peak(cases []*caseRuns) {
	var said map[string]any
	for _, c := range cases {
		for _, e := range c.Published {
			if e["at"] == "peak" {
				said = e
			}
		}
	}
	if said == nil {
		return
	}
	best, highest := cases[0], -1.0
	for _, c := range cases {
		if fit := c.fit(); len(fit) > 0 {
			if mean := *overRuns(b.figures, "throughput_ops", fit).Mean; mean > highest {
				best, highest = c, mean
			}
		}
	}
	fit := best.fit()
	b.add(result.Row{Kind: result.Highest, Case: best.Name, Runs: len(fit)}, best, 0, 0, b.represented(fit), said)
}

// add adds a row: its labels, its measured and its published figures.
func (b *tableBuilder) add(row result.Row, c *caseRuns, repeat, client int, get func(string) (float64, bool), published map[string]any) {
	r := doubleRow{Row: row}
	for _, col := range b.columns {
		var own, theirs result.Cell
		if col.figure {
			if v, ok := get(col.Name); ok {
				own.Number = &v
			}
			theirs = publishedCell(published, col.Name)
		} else {
			own = c.identity(col.Name, row, repeat, client)
		}
		r.measured, r.published = append(r.measured, own), append(r.published, theirs)
	}
	b.rows = append(b.rows, r)
}

// finish puts the columns side by side.
func (b *tableBuilder) finish(t *result.Table) {
	var keep []func(doubleRow) result.Cell
	medians := false
	for i, col := range b.columns {
		some := func(cells func(doubleRow) []result.Cell) bool {
			return slices.ContainsFunc(b.rows, func(r doubleRow) bool { return !cells(r)[i].Empty() })
		}
		if col.Measured() || !col.figure || some(func(r doubleRow) []result.Cell { return r.measured }) {
			t.Columns = append(t.Columns, result.Column{Name: col.Name, Unit: b.figures.UnitOf(col.Name), Figure: col.figure})
			keep = append(keep, func(r doubleRow) result.Cell { return r.measured[i] })
			medians = medians || figure.IsPercentile(col.Name)
		}
		if some(func(r doubleRow) []result.Cell { return r.published }) {
			t.Columns = append(t.Columns, result.Column{Name: col.Name, Unit: b.figures.UnitOf(col.Name), Figure: true, Published: true})
			keep = append(keep, func(r doubleRow) result.Cell { return r.published[i] })
		}
	}
	several := false
	for _, r := range b.rows {
		for _, cell := range keep {
			r.Cells = append(r.Cells, cell(r))
		}
		several = several || r.Runs > 1
		t.Rows = append(t.Rows, r.Row)
	}
	switch {
	case b.loop == "":
	case b.groups:
		t.Notes = append(t.Notes, "Each group of workers has a loop of its own: compare its figures only with its own in another row.")
	case b.loop == string(plan.Open):
		t.Notes = append(t.Notes, "Measured in an open loop.")
	default:
		t.Notes = append(t.Notes, "Measured in a "+b.loop+" loop.")
	}
	if several && medians {
		t.Notes = append(t.Notes, "Over several runs: the mean of a figure, the median of a percentile, the lowest min and the highest max.")
	}
	t.Notes = append(t.Notes, b.notes...)
}

// identity is what distinguishes a row from others.
func (c *caseRuns) identity(name string, row result.Row, repeat, client int) result.Cell {
	switch name {
	case "scenario":
		return result.Cell{Text: c.Scenario}
	case "case":
		return result.Cell{Text: c.Name}
	case "target", "mode", "product":
		return result.Cell{Text: c.Target}
	case "dataset":
		return result.Cell{Text: c.Dataset}
	case "run", "repeat":
		if row.Kind == result.OneRun && repeat > 0 {
			return count(repeat)
		}
		return result.Cell{Text: overText(row)}
	case "client":
		return count(client)
	case "agents", "clients":
		if n := c.mostAgents(); n > 0 {
			return count(n)
		}
		return count(c.Agents)
	case "loop":
		return result.Cell{Text: c.loop()}
	case "status":
		return result.Cell{Text: string(row.Status)}
	case "threads":
		text := c.property("threads.total")
		if text == "" || text == "0" {
			text = c.property("threadcount")
		}
		return peakOr(row, text)
	}
	return peakOr(row, c.property(name))
}

// peakOr is the cell of a setting that the matrix may vary: for a scenario's highest throughput it shows its position.
func peakOr(row result.Row, text string) result.Cell {
	if row.Kind == result.Highest {
		if row.Runs == 0 {
			return result.Cell{Text: "peak"}
		}
		return result.Cell{Text: "peak, at " + text}
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return result.Cell{Number: &v}
	}
	return result.Cell{Text: text}
}

func overText(row result.Row) string {
	switch row.Runs {
	case 0:
		return ""
	case 1:
		return "one run"
	}
	return fmt.Sprintf("mean of %d", row.Runs)
}

func count(n int) result.Cell {
	if n == 0 {
		return result.Cell{}
	}
	v := float64(n)
	return result.Cell{Number: &v}
}

// property is a setting of the case, spelled as in its file if it varies.
func (c *caseRuns) property(name string) string {
	for _, a := range c.Axes {
		if a.Key == name {
			return a.Value
		}
	}
	for _, r := range c.runs {
		if v, ok := r.Resolved[name]; ok {
			return v
		}
	}
	return ""
}
