package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/suggest"
	"github.com/benchd/benchd/internal/table"
)

// Side is one of the two that are compared: the runs of some results, by case.
type Side struct {
	Name  string
	cases []group
}

// group is the runs of a case.
type group struct {
	Name   string
	runs   []result.Run
	left   []result.LeftOut
	values map[string][]value // of each figure, of the runs that have it
	units  map[string]string
	phase  string
	loop   string
}

type value struct {
	run string
	x   float64
}

// NoCaseError reports that a result has no case of a name.
type NoCaseError struct {
	Side, Case string
	Have       []string
}

// Error names the cases that there are.
func (e *NoCaseError) Error() string {
	text := fmt.Sprintf("%s: unknown case %q", e.Side, e.Case)
	if near := suggest.Nearest(e.Case, e.Have); near != "" {
		return text + fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text + fmt.Sprintf(" (one of %s)", strings.Join(e.Have, ", "))
}

// NewSide makes a side of some results, whose runs of the same case are put together. Where only is not empty, it is the
// name of the case whose runs are taken.
func NewSide(name string, suites []result.Suite, only string, targets descriptor.List) (Side, error) {
	side := Side{Name: name}
	var have []string
	for _, suite := range suites {
		if suite.Plan == nil {
			suite.Plan = planOf(suite.Runs)
		}
		table.Conclude(&suite, targets)
		for _, c := range suite.Cases {
			if c.Fills {
				continue
			}
			have = append(have, c.Name)
			if only == "" || c.Name == only {
				side.add(c, suite.Runs)
			}
		}
	}
	if len(side.cases) == 0 {
		return Side{}, &NoCaseError{Side: name, Case: only, Have: have}
	}
	return side, nil
}

// planOf is the plan of runs that have none: a case for each name.
func planOf(runs []result.Run) *result.Plan {
	p := new(result.Plan)
	for _, r := range runs {
		if _, known := p.Case(r.Case); !known {
			p.Cases = append(p.Cases, result.PlannedCase{Name: r.Case, Repeats: 1})
		}
	}
	return p
}

func (s *Side) find(name string) *group {
	for i := range s.cases {
		if s.cases[i].Name == name {
			return &s.cases[i]
		}
	}
	return nil
}

// add adds the runs of a case.
func (s *Side) add(c result.Case, runs []result.Run) {
	g := s.find(c.Name)
	if g == nil {
		s.cases = append(s.cases, group{Name: c.Name, values: make(map[string][]value), units: make(map[string]string), phase: c.Phase, loop: c.Loop})
		g = &s.cases[len(s.cases)-1]
	}
	g.left = append(g.left, c.LeftOut...)
	for _, id := range c.Runs {
		if i := slices.IndexFunc(runs, func(r result.Run) bool { return r.ID == id }); i >= 0 {
			g.runs = append(g.runs, runs[i])
		}
	}
	for _, f := range c.Figures {
		g.units[f.Name] = f.Unit
		for i, v := range f.Values {
			if v != nil {
				g.values[f.Name] = append(g.values[f.Name], value{c.Runs[i], *v})
			}
		}
	}
}

func (g *group) ids() []string {
	ids := []string{}
	for _, r := range g.runs {
		ids = append(ids, r.ID)
	}
	return ids
}

// began returns when the first and the last of the runs began.
func (g *group) began() (first, last time.Time, ok bool) {
	for _, r := range g.runs {
		if r.Start == nil {
			return first, last, false
		}
		if at := r.Start.Planned; !ok {
			first, last, ok = at, at, true
		} else if at.Before(first) {
			first = at
		} else if at.After(last) {
			last = at
		}
	}
	return first, last, ok
}

// failures is the share of operations that failed, over all runs.
func (g *group) failures() float64 {
	var failed, all float64
	for _, v := range g.values["failed_ops"] {
		failed += v.x
	}
	for _, v := range g.values["ops"] {
		all += v.x
	}
	if all == 0 {
		return 0
	}
	return failed / all
}

// notes are what a reader must know of the runs of a side.
func (g *group) notes(side string) []string {
	var out []string
	for _, l := range g.left {
		out = append(out, fmt.Sprintf("%s: run %s is left out: %s", side, l.Run, l.Because))
	}
	if share := g.failures(); share > 0.001 {
		out = append(out, fmt.Sprintf("%s: %.3g %% of the operations failed: latencies are those of the others", side, 100*share))
	}
	raised := make(map[string][]string)
	var order []string
	for _, r := range g.runs {
		for _, v := range r.Verdicts {
			if v.Bad() && v.Test != "" {
				if raised[v.Name] == nil {
					order = append(order, v.Name)
				}
				raised[v.Name] = append(raised[v.Name], r.ID)
			}
		}
	}
	for _, name := range order {
		out = append(out, fmt.Sprintf("%s: verdict %s in %d of %d runs: %s", side, name, len(raised[name]), len(g.runs), strings.Join(raised[name], ", ")))
	}
	return out
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }
