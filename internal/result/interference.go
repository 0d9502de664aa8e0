package result

import "github.com/benchd/benchd/internal/stats"

// Interference compares the groups of workers of a case with the cases in which each of them works alone. Package interference
// computes it.
type Interference struct {
	Scenario string              `json:"scenario"`
	Of       string              `json:"of,omitempty"` // the other settings of the cases
	Case     string              `json:"case"`         // in which the groups work together
	Groups   []GroupInterference `json:"groups"`
	Text     string              `json:"text"`
	Test     string              `json:"test"` // of the factors (law 8)
	// ClientBound are the compared runs whose load generator was the limit: their factors may be those of the agents (law 7).
	ClientBound []string `json:"client_bound,omitempty"`
}

// GroupInterference compares the figures of a group together with others and alone.
type GroupInterference struct {
	Group   string       `json:"group"`
	Loop    string       `json:"loop"`
	Alone   string       `json:"alone"`             // the case in which it works alone
	Because string       `json:"because,omitempty"` // why nothing is compared
	Figures []Interfered `json:"figures"`
}

// Interfered is a figure of a group: a mean over the runs, or the median of a percentile.
type Interfered struct {
	Name         string  `json:"name"` // without the group
	Unit         string  `json:"unit"`
	Alone        float64 `json:"alone"`
	AloneRuns    int     `json:"alone_runs"`
	Together     float64 `json:"together"`
	TogetherRuns int     `json:"together_runs"`
	// Shift is the factor from alone to together; null with too few runs.
	Shift *stats.Shift `json:"factor"`
}
