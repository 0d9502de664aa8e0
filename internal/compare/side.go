package compare

import (
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// Side is one of the two that are compared: the runs of some results, by case.
type Side struct {
	Name  string
	only  Selection
	cases []group
}

// group is the runs of a case.
type group struct {
	Name   string
	of     result.Case
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

// NewSide makes a side of what is selected of some results, whose runs of the same case are put together.
func NewSide(name string, suites []result.Suite, only Selection, targets descriptor.List) (Side, error) {
	side := Side{Name: name, only: only}
	var have []result.Case
	for _, suite := range suites {
		if suite.Plan == nil {
			suite.Plan = table.PlanOf(suite.Runs)
		}
		table.Conclude(&suite, targets)
		runs := make(map[string]*result.Run, len(suite.Runs))
		for i := range suite.Runs {
			runs[suite.Runs[i].ID] = &suite.Runs[i]
		}
		for _, c := range suite.Cases {
			if c.Fills {
				continue
			}
			have = append(have, c)
			if only.has(c) {
				side.add(c, runs)
			}
		}
	}
	if len(side.cases) == 0 {
		return Side{}, only.nothing(name, have)
	}
	return side, nil
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
func (s *Side) add(c result.Case, runs map[string]*result.Run) {
	g := s.find(c.Name)
	if g == nil {
		s.cases = append(s.cases, group{
			Name: c.Name, of: c, values: make(map[string][]value), units: make(map[string]string), phase: c.Phase, loop: c.Loop,
		})
		g = &s.cases[len(s.cases)-1]
	}
	g.left = append(g.left, c.LeftOut...)
	for _, id := range c.Runs {
		if run := runs[id]; run != nil {
			g.runs = append(g.runs, *run)
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
