package result

import (
	"slices"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/search"
)

// Plan is the plan of a suite of several runs, as archived at its submission.
type Plan struct {
	Order     plan.Order     `json:"order"`
	OnFailure plan.OnFailure `json:"on_failure"`
	Trial     bool           `json:"trial,omitempty"`
	Cases     []PlannedCase  `json:"cases"`
	Tables    []plan.Table   `json:"tables,omitempty"`
	Charts    []plan.Chart   `json:"charts,omitempty"`
}

// PlannedCase is a case of a Plan. Its settings are those of its runs.
type PlannedCase struct {
	Name     string         `json:"name"`
	Scenario string         `json:"scenario,omitempty"`
	Axes     []plan.Setting `json:"axes,omitempty"`
	Dataset  string         `json:"dataset,omitempty"`
	Target   string         `json:"target,omitempty"`
	Fills    bool           `json:"fills,omitempty"` // it only writes the dataset
	Agents   int            `json:"agents,omitempty"`
	// Published is what a report printed for it, an entry for each of its runs; see plan.Case.
	Published []map[string]any `json:"published,omitempty"`
	Repeats   int              `json:"repeats"`
	// Search asks for the highest throughput of the case; nil: its repeats are measured.
	Search *search.Space `json:"search,omitempty"`
}

// NewPlan returns the plan that is kept of a suite.
func NewPlan(s plan.Suite) Plan {
	p := Plan{Order: s.Order, OnFailure: s.OnFailure, Trial: s.Trial, Cases: []PlannedCase{}, Tables: s.Tables, Charts: s.Charts}
	for _, c := range s.Cases {
		p.Cases = append(p.Cases, PlannedCase{
			Name: c.Name, Scenario: c.Scenario, Axes: c.Axes, Dataset: c.Dataset, Target: c.Target, Fills: c.Fills,
			Agents: c.Agents, Published: c.Published, Repeats: max(c.Repeats, 1), Search: c.Search,
		})
	}
	return p
}

// Case finds a case by its name.
func (p *Plan) Case(name string) (PlannedCase, bool) {
	if p != nil {
		for _, c := range p.Cases {
			if c.Name == name {
				return c, true
			}
		}
	}
	return PlannedCase{}, false
}

// Searches reports whether a case of the plan is a search.
func (p *Plan) Searches() bool {
	return p != nil && slices.ContainsFunc(p.Cases, func(c PlannedCase) bool { return c.Search != nil })
}

// Turn is a run in the order in which the runs of a suite really began.
type Turn struct {
	Run     string    `json:"run"`
	Case    string    `json:"case"`
	Target  string    `json:"target,omitempty"`
	Repeat  int       `json:"repeat"`
	Started time.Time `json:"started"`
}
