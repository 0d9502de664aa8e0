package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/spec"
)

// storedPlan is the archived form of a plan: what results show and, of a suite with searches, the source of its runs. Such a
// suite is archived with the runs up to its first search; the others are added when that has ended, so that runs are
// numbered in the order of their execution.
type storedPlan struct {
	result.Plan
	Turns   []turn             `json:"turns,omitempty"`
	Sources map[string]*source `json:"sources,omitempty"` // by case
	OnLoss  lifecycle.Policy   `json:"on_loss,omitempty"`
	Select  map[string]string  `json:"select,omitempty"`
}

// turn is a repeat of a case in the order of execution, or a whole search.
type turn struct {
	Case   string `json:"case"`
	Repeat int    `json:"repeat"`
}

// source has what the runs of a case are made of.
type source struct {
	Agents     int               `json:"agents"`
	Properties map[string]string `json:"properties"`
}

// EncodePlan returns the archived form of a suite's plan.
func EncodePlan(suite plan.Suite, ask Ask) (json.RawMessage, error) {
	stored := storedPlan{Plan: result.NewPlan(suite)}
	if suite.Searches() {
		stored.OnLoss, stored.Select, stored.Sources = ask.OnLoss, ask.Select, make(map[string]*source)
		for _, r := range plan.Runs("", suite) {
			stored.Turns = append(stored.Turns, turn{r.Case, r.Repeat})
		}
		for _, c := range suite.Cases {
			stored.Sources[c.Name] = &source{Agents: cmp.Or(c.Agents, ask.Agents), Properties: c.Properties}
		}
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return text, nil
}

// Cases returns what repetitions of the runs of a suite are made of, those of its searches that are not planned yet included. A suite may
// have been imported: then the state of a run can ask for other properties than the run shows.
func Cases(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord) ([]plan.Case, error) {
	var cases []plan.Case
	for _, archived := range runs {
		r, err := Open(reader, suite, archived)
		if err != nil {
			return nil, err
		}
		if r.State.Foreign != nil {
			continue // it is never repeated
		}
		asked := r.Asked()
		settings, err := reader.Resolve(asked)
		if err != nil {
			return nil, fmt.Errorf("read the requested settings of run %s: %w", archived.ID, err)
		}
		cases = append(cases, plan.Case{Name: archived.Case, Properties: asked, Settings: settings})
	}
	planner, err := NewPlanner(reader, suite)
	if err != nil || planner == nil {
		return cases, err
	}
	for name, source := range planner.plan.Sources {
		settings, err := reader.Resolve(source.Properties)
		if err != nil {
			return nil, fmt.Errorf("read case %s of suite %s: %w", name, suite.ID, err)
		}
		cases = append(cases, plan.Case{Name: name, Properties: source.Properties, Settings: settings})
	}
	return cases, nil
}

// Planner plans the runs of a suite with searches, from the records of its runs alone: it continues after any
// interruption.
type Planner struct {
	reader *spec.Reader
	suite  archive.Suite
	plan   storedPlan
}

// NewPlanner returns the planner of a suite; nil if the suite has no search.
func NewPlanner(reader *spec.Reader, suite archive.Suite) (*Planner, error) {
	p := &Planner{reader: reader, suite: suite}
	if suite.Plan == nil {
		return nil, nil //nolint:nilnil // a suite of an older benchd
	}
	if err := json.Unmarshal(suite.Plan, &p.plan); err != nil {
		return nil, fmt.Errorf("read plan of suite %s: %w", suite.ID, err)
	}
	if len(p.plan.Turns) == 0 {
		return nil, nil //nolint:nilnil // all its runs were archived when it was submitted
	}
	return p, nil
}

// Decide returns what a search does after all runs of its case, which have ended.
type Decide func(of result.PlannedCase, runs []archive.RunRecord) (search.Step, error)

// More returns the runs that follow those of the archive, all of which have ended; none if the plan is executed. A probe
// that failed or is partial is repeated once; if it fails again, its search ends.
func (p *Planner) More(runs []archive.RunRecord, decide Decide) ([]archive.RunRecord, error) {
	states := RunsOf(p.suite, runs)
	b := batch{planner: p, last: lifecycle.LastNumber(states)}
	for _, t := range p.plan.Turns {
		of, ok := p.plan.Case(t.Case)
		if !ok {
			return nil, fmt.Errorf("plan of suite %s has no case %q", p.suite.ID, t.Case)
		}
		if of.Search == nil {
			if !slices.ContainsFunc(runs, func(r archive.RunRecord) bool { return r.Case == t.Case && r.Repeat == t.Repeat }) {
				if err := b.add(of, t.Repeat, nil); err != nil {
					return nil, err
				}
			}
			continue
		}
		begun := ofCase(runs, t.Case)
		if len(b.runs) > 0 && len(begun) > 0 {
			return b.runs, nil // the search continues after the runs that precede it
		}
		done, err := b.follow(of, begun, states, decide)
		if err != nil || !done {
			return b.runs, err
		}
	}
	return b.runs, nil
}

// ofCase returns the runs of a case, also those that another run replaces.
func ofCase(runs []archive.RunRecord, name string) []archive.RunRecord {
	return slices.DeleteFunc(slices.Clone(runs), func(r archive.RunRecord) bool { return r.Case != name })
}

// batch is runs that are to be added to a suite.
type batch struct {
	planner *Planner
	last    int // the number of the last run
	runs    []archive.RunRecord
}

// first adds the first probe of a search.
func (b *batch) first(of result.PlannedCase) error {
	step := of.Search.Decide(nil)
	return b.add(of, 1, &step.Next)
}

// follow adds the next probe of a search with these runs; done reports that the search has ended.
func (b *batch) follow(of result.PlannedCase, begun []archive.RunRecord, states []lifecycle.SuiteRun, decide Decide) (done bool, err error) {
	if len(begun) == 0 {
		return false, b.first(of)
	}
	repeats := 0
	for _, r := range Standing(begun) {
		repeats = max(repeats, r.Repeat)
		if r.Status == result.Complete {
			continue
		}
		state := states[slices.IndexFunc(states, func(s lifecycle.SuiteRun) bool { return s.ID == r.ID })]
		if r.Status == result.Cancelled || lifecycle.MayRepeat(states, state) {
			return false, b.again(r)
		}
		return true, nil // it has failed for good
	}
	step, err := decide(of, begun)
	if err != nil || step.Done {
		return true, err
	}
	return false, b.add(of, repeats+1, &step.Next)
}

// add adds a run of a case; value is that of a probe, and nil for other runs.
func (b *batch) add(of result.PlannedCase, repeat int, value *float64) error {
	p := b.planner
	from, ok := p.plan.Sources[of.Name]
	if !ok {
		return fmt.Errorf("plan of suite %s has no source of case %q", p.suite.ID, of.Name)
	}
	properties := maps.Clone(from.Properties)
	if value != nil {
		properties = plan.ProbeProperties(properties, of.Search.Vary, *value)
	}
	settings, err := p.reader.Resolve(properties)
	if err != nil {
		return fmt.Errorf("read settings of case %q: %w", of.Name, err)
	}
	b.last++
	c := plan.Case{Name: of.Name, Properties: properties, Settings: settings}
	rec, err := newRun(p.suite.ID, plan.NewRun(p.suite.ID, b.last, c, repeat), c, Ask{Agents: from.Agents, Select: p.plan.Select, OnLoss: p.plan.OnLoss})
	if err != nil {
		return err
	}
	b.runs = append(b.runs, rec)
	return nil
}

// again adds a run that replaces another one.
func (b *batch) again(r archive.RunRecord) error {
	before, err := Open(b.planner.reader, b.planner.suite, r)
	if err != nil {
		return err
	}
	b.last++
	rec, err := before.again(fmt.Sprintf("%s.%d", b.planner.suite.ID, b.last))
	if err != nil {
		return err
	}
	b.runs = append(b.runs, rec)
	return nil
}

// later is a number of runs of a case that may follow.
type later struct {
	name string
	runs int
	once map[string]string // properties of one of them
}

// later returns the maximum number of runs that may be added to the suite, by case.
func (p *Planner) later(runs []archive.RunRecord) []later {
	begun := -1 // the last turn with a run: the searches before it have ended
	for i, t := range p.plan.Turns {
		if slices.ContainsFunc(runs, func(r archive.RunRecord) bool { return r.Case == t.Case && r.Repeat == t.Repeat }) {
			begun = i
		}
	}
	var out []later
	for i, t := range p.plan.Turns {
		of, _ := p.plan.Case(t.Case)
		from := p.plan.Sources[t.Case]
		if i < begun || from == nil {
			continue
		}
		l := later{name: t.Case, once: from.Properties}
		switch {
		case of.Search != nil:
			l.runs = max(0, of.Search.Most-len(ofCase(runs, t.Case)))
		case i > begun:
			l.runs = 1
		}
		out = append(out, l)
	}
	return out
}
