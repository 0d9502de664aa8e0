package report

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/result"
)

// SuiteTable writes the runs of a suite side by side: what each of them did, and of each good operation the
// figures. Nothing is averaged over runs.
func SuiteTable(w io.Writer, suite result.Suite, o Options) error {
	p := newPage(o)
	title := "suite " + suite.ID
	if suite.Name != "" {
		title += "  " + suite.Name
	}
	p.line(p.bold(title), "  ", p.status(suite.Status))
	p.line()
	g := &grid{left: 6}
	g.add("run", "case", "status", "phase", "loop", "operation", "ops/s", "count", "p50", "p99", "max")
	for _, run := range suite.Runs {
		g.run(run)
	}
	p.grid(g, "max", "count", "status")
	for _, run := range suite.Runs {
		for _, text := range run.Missing {
			p.wrap("missing  ", run.ID+": "+text, p.red)
		}
		for _, v := range run.Verdicts {
			if v.Bad() {
				p.wrap("! ", fmt.Sprintf("%s: %s: %s", run.ID, v.Name, printable(v.Because)), p.red)
			}
		}
	}
	return p.write(w)
}

// run adds the rows of a run; what stands above is not said again.
func (g *grid) run(run result.Run) {
	id, name, status := run.ID, short(run.Case, 16), string(run.Status)
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		title, loop, speed := phase.Name, phase.Loop, rate(phase.Throughput)
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

// short cuts a text to n characters.
func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
