package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/interference"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// Conclude computes the cases and the tables of a suite from its plan and its runs, which must have their Effects. It may
// be called repeatedly, also while runs are in progress. Runs have the columns of their target among targets.
func Conclude(s *result.Suite, targets descriptor.List) {
	s.Cases, s.Tables, s.Sweeps, s.Interference = nil, nil, nil, nil
	addTerms(s, targets)
	if s.Plan == nil {
		return
	}
	suite := newMeasured(*s, targets)
	for _, c := range suite.cases {
		s.Cases = append(s.Cases, c.conclude(suite.figures))
	}
	for _, t := range s.Plan.Tables {
		s.Tables = append(s.Tables, suite.tables(t)...)
	}
	s.Sweeps = capacity.Sweeps(s.Cases, s.Runs)
	s.Interference = interference.Of(s.Cases, s.Runs)
}

// PlanOf is the plan of runs that have none: a case for each name.
func PlanOf(runs []result.Run) *result.Plan {
	p := new(result.Plan)
	for _, r := range runs {
		if _, known := p.Case(r.Case); !known {
			p.Cases = append(p.Cases, result.PlannedCase{Name: r.Case, Repeats: 1})
		}
	}
	return p
}

// measured is the runs of a suite by case.
type measured struct {
	figures figure.Vocabulary // of all targets
	cases   []*caseRuns
}

// caseRuns is a case with its runs.
type caseRuns struct {
	result.PlannedCase
	runs     []oneRun // by repeat
	capacity *result.Capacity
}

// oneRun is a run with its figures; because is the reason why the figures of its case exclude it, and empty if they do not.
type oneRun struct {
	result.Run
	figures figure.Values
	because string
}

func newMeasured(s result.Suite, targets descriptor.List) measured {
	m := measured{figures: figure.New(targets.Columns())}
	byName := make(map[string]*caseRuns)
	for _, planned := range s.Plan.Cases {
		c := &caseRuns{PlannedCase: planned}
		m.cases = append(m.cases, c)
		byName[planned.Name] = c
	}
	for _, run := range s.Runs {
		if c := byName[run.Case]; c != nil {
			target, _ := targets.Find(run.Resolved["db"])
			c.runs = append(c.runs, oneRun{Run: run, figures: figure.New(target.Columns).Values(run.Measurement()), because: run.Unfit()})
		}
	}
	for _, c := range m.cases {
		slices.SortStableFunc(c.runs, func(a, b oneRun) int { return cmp.Compare(a.Repeat, b.Repeat) })
		c.refuseOtherLoop()
		c.searched()
	}
	return m
}

// searched computes the answer of a case's search. Only its confirmation runs are averaged: the others have other rates.
func (c *caseRuns) searched() {
	if c.Search == nil {
		return
	}
	runs := make([]result.Run, len(c.runs))
	for i, r := range c.runs {
		runs[i] = r.Run
	}
	answer := capacity.Of(*c.Search, runs)
	c.capacity = &answer
	confirming := capacity.Confirming(answer)
	for i := range c.runs {
		r := &c.runs[i]
		if r.because != "" || slices.Contains(confirming, r.ID) {
			continue
		}
		r.because = "it is a probe of the search"
		if value, ok := capacity.Value(c.Search.Vary, r.Run); ok {
			r.because = fmt.Sprintf("probe at %s", search.ValueText(value))
		}
	}
}

// loop is the loop of the case's first run with measurements; "" if there is none yet.
func (c *caseRuns) loop() string {
	for _, r := range c.runs {
		if p := r.Subject(); p != nil {
			return p.Loop
		}
	}
	return ""
}

// refuseOtherLoop keeps runs of an open and of a closed loop out of one mean (law 2).
func (c *caseRuns) refuseOtherLoop() {
	loop := c.loop()
	for i := range c.runs {
		r := &c.runs[i]
		if p := r.Subject(); p != nil && p.Loop != loop && r.because == "" {
			r.because = fmt.Sprintf("its loop is %s and that of the case's first run is %s: they are not comparable", p.Loop, loop)
		}
	}
}

// fit are the runs whose figures are those of the case.
func (c *caseRuns) fit() []oneRun {
	var out []oneRun
	for _, r := range c.runs {
		if r.because == "" {
			out = append(out, r)
		}
	}
	return out
}

func (c *caseRuns) conclude(figures figure.Vocabulary) result.Case {
	out := result.Case{
		Name: c.Name, Scenario: c.Scenario, Axes: c.Axes, Dataset: c.Dataset, Target: c.Target, Fills: c.Fills, Repeats: c.Repeats,
		Runs: []string{}, LeftOut: []result.LeftOut{}, Figures: []result.Figure{}, Published: c.Published,
		Capacity: c.capacity,
	}
	fit := c.fit()
	names := make(map[string]bool)
	for _, r := range c.runs {
		if r.because != "" {
			out.LeftOut = append(out.LeftOut, result.LeftOut{Run: r.ID, Status: r.Status, Because: r.because})
		}
	}
	var limits []*result.Bottleneck
	for _, r := range fit {
		phase := r.Subject()
		limits = append(limits, phase.Bottleneck)
		out.Phase, out.Loop = phase.Name, phase.Loop
		out.Runs = append(out.Runs, r.ID)
		for name := range r.figures {
			names[name] = true
		}
	}
	out.Bottleneck = bottleneck.OfRuns(limits)
	for _, name := range slices.SortedFunc(maps.Keys(names), figure.Order()) {
		out.Figures = append(out.Figures, overRuns(figures, name, fit))
	}
	return out
}

// overRuns is a figure over the runs of a case; at least one of them has it.
func overRuns(figures figure.Vocabulary, name string, runs []oneRun) result.Figure {
	out := result.Figure{Name: name, Unit: figures.UnitOf(name), Values: make([]*float64, len(runs))}
	var values []float64
	var ids []string
	for i, r := range runs {
		if v, ok := r.figures.Get(name); ok {
			out.Values[i] = &v
			values, ids = append(values, v), append(ids, r.ID)
		}
	}
	for _, i := range stats.Odd(values) {
		out.Odd = append(out.Odd, ids[i])
	}
	if figures.Parse(name).Over() == figure.Median {
		out.Spread = stats.Percentiles(values)
	} else {
		out.Spread = stats.Repeats(values)
	}
	return out
}

// represent is the value that represents a figure in a row over several runs: the median of percentiles, the minimum of
// minima, the maximum of maxima, and otherwise the mean.
func represent(f result.Figure, over figure.Over) float64 {
	switch {
	case f.Median != nil:
		return *f.Median
	case over == figure.Greatest:
		return f.Max
	case over == figure.Mean && f.Mean != nil:
		return *f.Mean
	}
	return f.Min
}
