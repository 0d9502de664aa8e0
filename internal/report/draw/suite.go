package draw

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// SuitePictures are the charts of a suite.
type SuitePictures struct {
	// Scenarios are the charts of each scenario, in the order of the suite. A scenario without charts is left out.
	Scenarios []ScenarioPictures
	// Across compare scenarios that have one case each, or one for each target.
	Across []book.Chart
	// Requested are the charts that the suite's file asks for.
	Requested []book.Chart
	// Course is the telemetry of all runs on one axis of time, with the cases marked.
	Course []book.Chart
}

// ScenarioPictures are the charts of the cases of a scenario that have the same loop.
type ScenarioPictures struct {
	// Scenario is its name, and Loop the loop of its cases (law 2).
	Scenario, Loop string
	Charts         []book.Chart
}

// Suite makes the charts of a suite from its cases.
func Suite(s result.Suite) SuitePictures {
	var p SuitePictures
	groups := scenarios(s)
	targets := make(map[string]bool)
	for _, g := range groups {
		for _, target := range g.targets {
			targets[target] = true
		}
	}
	for _, g := range groups {
		if charts := g.charts(len(targets) > 1); len(charts) > 0 {
			p.Scenarios = append(p.Scenarios, ScenarioPictures{Scenario: g.name, Loop: g.loop, Charts: charts})
		}
	}
	p.Across = across(groups)
	p.Requested = Requested(s)
	p.Course = suiteCourse(s)
	return p
}

// scenario is the cases of a scenario that have one loop: those of open and closed loops share no chart.
type scenario struct {
	name, loop string
	cases      []result.Case
	sweeps     []result.Sweep
	layout
}

// scenarios are the scenarios of a suite with the cases that charts compare: not those that only write rows, nor searches, which
// have charts of their own.
func scenarios(s result.Suite) []*scenario {
	var out []*scenario
	for _, c := range s.Cases {
		if c.Fills || c.Capacity != nil || len(c.Runs) == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(g *scenario) bool { return g.name == c.Scenario && g.loop == c.Loop })
		if i < 0 {
			i = len(out)
			out = append(out, &scenario{name: c.Scenario, loop: c.Loop})
		}
		out[i].cases = append(out[i].cases, c)
	}
	for _, g := range out {
		g.sweeps = s.Sweeps
		g.layout = lay(g.cases)
	}
	return out
}

// charts are the charts of a scenario: over a number where its cases differ in one, by case otherwise, and by product where others
// were published. Where the suite compares targets, a scenario with one case has the charts of its response times.
func (g *scenario) charts(compared bool) []book.Chart {
	var charts []book.Chart
	switch {
	case g.x != "":
		charts = g.overNumber()
	case len(g.categories) > 1 || compared:
		charts = g.byCase()
	}
	return g.titled(drawable(append(charts, g.byProduct()...)...))
}

// titled adds the scenario to the titles of charts.
func (g *scenario) titled(charts []book.Chart) []book.Chart {
	for i := range charts {
		if name := cmp.Or(g.name, "all cases"); g.loop == "open" || g.loop == "mixed" {
			charts[i].Title += fmt.Sprintf(": %s (%s loop)", name, g.loop)
		} else {
			charts[i].Title += ": " + name
		}
	}
	return charts
}

// drawable returns the charts that show something measured.
func drawable(charts ...book.Chart) []book.Chart {
	return slices.DeleteFunc(charts, func(c book.Chart) bool {
		return !slices.ContainsFunc(c.Series, func(s book.Series) bool { return !s.Published && anyKnown(s.Y) })
	})
}
