package result

import (
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// Capacity is the result of the search of a case: the highest throughput that keeps an objective. Package capacity
// computes it from the runs of the case.
type Capacity struct {
	Text   string       `json:"text"` // the answer as a sentence, with its evidence
	Search search.Space `json:"search"`
	search.Answer
	// Throughput is that of the confirmation runs at Value, in operations per second; null if there are none.
	Throughput *stats.Spread   `json:"throughput"`
	Probes     []CapacityProbe `json:"probes"` // in the order of their runs
	// Seconds is the time from the start of the first probe to the end of the last one.
	Seconds float64 `json:"seconds"`
}

// CapacityProbe is a run of a search.
type CapacityProbe struct {
	Run string `json:"run"`
	search.Probe
	Purpose search.Purpose `json:"purpose"`
	Seconds float64        `json:"seconds"` // of all phases
	// Op is the operation whose latency follows: that of the objective, or else the one with the highest p99; percentiles
	// are null if there are too few samples.
	Op   string   `json:"op"`
	Mean *float64 `json:"mean_us"`
	P50  *float64 `json:"p50_us"`
	P99  *float64 `json:"p99_us"`
}

// Sweep is the course of throughput and latency over the cases of a scenario that differ in their threads or their rate.
type Sweep struct {
	Scenario string       `json:"scenario"`
	Of       string       `json:"of"`   // the other settings and the target of these cases; empty if there are none
	Axis     string       `json:"axis"` // the setting that varies: threadcount, threads.total, target or rate
	Text     string       `json:"text"` // the conclusion as a sentence, with its evidence
	Points   []SweepPoint `json:"points"`
	// Fit is the Universal Scalability Law fitted to the points; null if it cannot be fitted.
	Fit *stats.Scalability `json:"fit"`
	// Plateau is where more threads, or a higher rate, gain nothing; null if there is none.
	Plateau *stats.Plateau `json:"plateau"`
	Notes   []string       `json:"notes"` // why Fit or Plateau is null, and how they were tested
}

// SweepPoint is a case of a Sweep.
type SweepPoint struct {
	Case       string    `json:"case"`
	Value      float64   `json:"value"` // of the axis
	Throughput []float64 `json:"throughput"`
	Op         string    `json:"op"`     // the operation with the most samples
	Mean       *float64  `json:"avg_us"` // over the runs
	P99        *float64  `json:"p99_us"` // the median over the runs
	// ClientBound is set if the load generator was the limit in one of the runs.
	ClientBound bool `json:"client_bound"`
}
