package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// suiteQuestion is what a suite was to find out, by what it does: a search, a sweep, targets side by side, actions, or cases.
func suiteQuestion(s result.Suite) string {
	measured := measuredCases(s)
	scenarios, targets := scenariosOf(measured), targetsOf(measured)
	var parts []string
	if names := searched(measured); len(names) > 0 {
		parts = append(parts, "what is the highest throughput that keeps "+listed(names))
	}
	if axes := sweptAxes(s); len(axes) > 0 {
		parts = append(parts, "how do throughput and response time change with "+listed(axes))
	}
	if len(targets) > 1 {
		parts = append(parts, "how do "+listed(targets)+" compare")
	}
	if actions := actionsOf(s.Runs); len(actions) > 0 {
		parts = append(parts, "what is the cost of "+listed(actions)+" while clients work")
	}
	if len(parts) == 0 {
		what := several(len(measured), "case")
		if len(scenarios) == 1 && len(measured) == 1 {
			what = scenarios[0]
		}
		parts = append(parts, "what throughput and which response times does the target reach in "+what)
	}
	return question(parts)
}

// runQuestion is that of a single run.
func runQuestion(r result.Run) string {
	if actions := actionsOf([]result.Run{r}); len(actions) > 0 {
		return question([]string{"what is the cost of " + listed(actions) + " while clients work"})
	}
	for _, p := range r.Phases {
		if p.Offered != nil {
			return question([]string{fmt.Sprintf("does the target keep %s ops/s, and with which response times", rate(*p.Offered))})
		}
	}
	return question([]string{"what throughput and which response times does the target reach"})
}

// question makes one of some parts, which begin in lower case.
func question(parts []string) string {
	text := strings.Join(parts, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "?"
}

// measuredCases are the cases whose figures are the result; those that only write rows are left out.
func measuredCases(s result.Suite) []result.Case {
	return slices.DeleteFunc(slices.Clone(s.Cases), func(c result.Case) bool { return c.Fills })
}

func scenariosOf(cases []result.Case) []string {
	return distinct(cases, func(c result.Case) string { return c.Scenario })
}

func targetsOf(cases []result.Case) []string {
	return distinct(cases, func(c result.Case) string { return c.Target })
}

// searched are the objectives of searches.
func searched(cases []result.Case) []string {
	return distinct(cases, func(c result.Case) string {
		if c.Capacity == nil {
			return ""
		}
		return c.Capacity.Search.Keep.String()
	})
}

func sweptAxes(s result.Suite) []string {
	return distinct(s.Sweeps, func(w result.Sweep) string { return w.Axis })
}

// actionsOf are the actions and faults that runs asked for.
func actionsOf(runs []result.Run) []string {
	var all []string
	for _, r := range runs {
		for _, p := range r.Phases {
			for _, a := range p.Actions {
				all = append(all, a.Do)
			}
		}
	}
	return distinct(all, func(s string) string { return s })
}

// distinct are the texts of things, each once, in their order; empty ones are left out.
func distinct[T any](of []T, text func(T) string) []string {
	var out []string
	for _, x := range of {
		if s := printable(text(x)); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// mostListed is how many names a sentence has.
const mostListed = 6

// listed joins names: a, b and c.
func listed(names []string) string {
	if len(names) > mostListed {
		names = append(slices.Clone(names[:mostListed]), fmt.Sprintf("%d more", len(names)-mostListed))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
