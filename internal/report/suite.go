package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// SuiteTable writes a suite for people: a table for each scenario, with the figures of its cases over their repeats. For
// a suite without a plan it lists the runs, without averages over them.
func SuiteTable(w io.Writer, suite result.Suite, o Options) error {
	p := newPage(o)
	title := p.t("suite") + " " + suite.ID
	if suite.Name != "" {
		title += "  " + cut(suite.Name, longName)
	}
	p.line(p.bold(title), "  ", p.status(suite.Status))
	if suite.Note != "" {
		p.wrap("note     ", suite.Note, plain)
	}
	if text := foreignSuite(suite.Runs); text != "" {
		p.wrap("foreign  ", text, plain)
	}
	if suite.Plan != nil && suite.Plan.Trial {
		p.wrap("trial    ", "small sizes: shows that the suite works, not how fast the target is", plain)
	}
	p.terms(suite)
	if len(suite.Cases) > 0 {
		p.capacities(suite)
		p.interferences(suite)
		p.scenarios(suite)
	} else {
		p.runs(suite)
	}
	for _, run := range suite.Runs {
		for _, text := range run.Missing {
			p.wrap("missing  ", run.ID+": "+text, p.red)
		}
		if run.RowGap != nil {
			p.wrap("row gap  ", run.ID+": "+rowGap(run.RowGap), plain)
		}
	}
	for _, text := range caseBottlenecks(suite) {
		p.wrap("limit    ", text, plain)
	}
	for _, f := range findings(suite.Runs) {
		p.wrap("! ", f.runs()+": "+f.Name+": "+printable(f.Because), p.red)
	}
	return p.write(w)
}

// scenarios writes a table for each scenario, and the incidents.
func (p *page) scenarios(suite result.Suite) {
	left := make(map[string]bool)
	for _, c := range suite.Cases {
		for _, l := range c.LeftOut {
			left[fmt.Sprintf("%s is %s and excluded from the means: %s", l.Run, l.Status, plainWords(l.Because))] = true
		}
	}
	tables := ScenarioTables(suite)
	for _, t := range tables {
		p.line()
		p.line(p.bold(p.t(t.Title)))
		p.table(t)
		for _, note := range t.Notes {
			if left[note] {
				p.wrap("! ", note, p.red)
			} else {
				p.wrap("", note, p.dim)
			}
		}
	}
	p.incidents(suite.Runs)
}

// table writes a table of texts; if it is too wide, the less important columns are left out.
func (p *page) table(t book.Table) {
	t = t.Map(p.t)
	g := &grid{}
	for g.left < len(t.Columns) && !t.Columns[g.left].Figure {
		g.left++
	}
	var head []string
	var spare []book.Column
	for _, c := range t.Columns {
		head = append(head, c.Head)
		if c.Spare > 0 {
			spare = append(spare, c)
		}
	}
	g.add(head...)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = short(printable(cell.Text), 40)
		}
		g.add(cells...)
	}
	slices.SortStableFunc(spare, func(a, b book.Column) int { return cmp.Compare(b.Spare, a.Spare) })
	var first []string
	for _, c := range spare {
		first = append(first, c.Head)
	}
	p.grid(g, first...)
}

// runs writes the runs of a suite side by side, with the figures of each good operation.
func (p *page) runs(suite result.Suite) {
	p.line()
	g := &grid{left: 6}
	g.add("run", "case", "status", "phase", "loop", "operation", "ops/s", "count", "p50", "p99", "max")
	for _, run := range suite.Runs {
		g.run(run, p.t)
	}
	p.grid(g, "max", "count", "status")
}

// run adds the rows of a run; cells that repeat the row above are empty.
func (g *grid) run(run result.Run, text func(string) string) {
	id, name, status := run.ID, short(run.Case, 16), text(string(run.Status))
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		title, loop, speed := text(phase.Name), text(phase.Loop), rate(phase.Throughput)
		for _, o := range phase.Operations {
			if o.PartOf != nil || !result.Good(o.Outcome) {
				continue
			}
			g.add(id, name, status, title, loop, o.Op, speed, whole(o.Count), percentile(o.P50), percentile(o.P99), Micros(o.Max))
			id, name, status, title, loop, speed = "", "", "", "", "", ""
		}
	}
	if id != "" {
		g.add(id, name, status, none, none, none, none, none, none, none, none)
	}
}

// short truncates a text to n characters.
func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
