package plan

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/workload"
)

// Outline describes what a suite will do, as far as that is known before it runs.
type Outline struct {
	Suite      string        `json:"suite"`
	Order      Order         `json:"order,omitempty"`
	OnFailure  OnFailure     `json:"on_failure,omitempty"`
	Trial      bool          `json:"trial,omitempty"`
	Cases      []CaseOutline `json:"cases"`
	Runs       int           `json:"runs"`                   // with the expected number of probes of each search
	RunsAtMost int           `json:"runs_at_most,omitempty"` // of a suite with searches
	Rows       int64         `json:"rows_written"`           // by loads and inserts with known numbers
	Operations int64         `json:"operations"`             // of all runs that end after a number of operations
	Seconds    float64       `json:"seconds"`                // of all runs whose length is known
	// SecondsAtMost is Seconds with the maximum number of probes of each search.
	SecondsAtMost float64 `json:"seconds_at_most,omitempty"`
	Unknown       int     `json:"runs_of_unknown_length"`
}

// CaseOutline describes what a case will do. Its figures are those of one run.
type CaseOutline struct {
	Name          string             `json:"case"`
	Scenario      string             `json:"scenario,omitempty"`
	Axes          []Setting          `json:"axes,omitempty"`
	Dataset       string             `json:"dataset,omitempty"`
	Target        string             `json:"target,omitempty"`
	DB            string             `json:"db"`
	Table         string             `json:"table,omitempty"`
	Fills         bool               `json:"fills,omitempty"`
	Phase         string             `json:"phase"` // load, run, or load,run
	Agents        int                `json:"agents"`
	Threads       int                `json:"threads"`       // of each agent; 0 where a total is given
	ThreadsTotal  int                `json:"threads_total"` // over all agents; 0 if unknown
	Rows          int64              `json:"rows"`          // rows that requests are drawn from, or that a load writes
	RowsWritten   int64              `json:"rows_written"`
	Operations    int64              `json:"operations"` // 0: it does not end after a number of operations
	Mix           map[string]float64 `json:"mix,omitempty"`
	Distribution  string             `json:"distribution,omitempty"`
	Splits        string             `json:"splits,omitempty"`
	Repeats       int                `json:"repeats"`
	Seconds       float64            `json:"seconds"` // 0: unknown
	Basis         string             `json:"basis"`   // of the estimate
	AssumedRate   float64            `json:"assumed_rate,omitempty"`
	WarmupSeconds float64            `json:"warmup_seconds,omitempty"`
	Properties    map[string]string  `json:"properties"` // resolved
	// Search is set for a search, whose Repeats are the expected number of probes.
	Search *search.Space `json:"search,omitempty"`
}

// Bases of an estimated time.
const (
	ByDuration  = "duration"  // it ends by time, at the latest
	ByRate      = "rate"      // its operations at the offered rate, if the target keeps up
	ByPublished = "published" // its operations at the published throughput
	ByNothing   = "unknown"
)

// Outlined returns what a suite will do on the given number of agents; 0 means unknown.
func Outlined(s Suite, agents int) Outline {
	o := Outline{Suite: s.Name, Order: s.Order, OnFailure: s.OnFailure, Trial: s.Trial, Cases: make([]CaseOutline, 0, len(s.Cases))}
	for _, c := range s.Cases {
		one := outlined(c, agents)
		o.Cases = append(o.Cases, one)
		o.Runs += one.Repeats
		o.Rows += one.RowsWritten * int64(one.Repeats)
		o.Operations += one.Operations * int64(one.Repeats)
		if one.Basis == ByNothing {
			o.Unknown += one.Repeats
		}
		o.Seconds += one.Seconds * float64(one.Repeats)
		most := one.Repeats
		if one.Search != nil {
			most = one.Search.Most
		}
		o.RunsAtMost += most
		o.SecondsAtMost += one.Seconds * float64(most)
	}
	if !s.Searches() {
		o.RunsAtMost, o.SecondsAtMost = 0, 0
	}
	return o
}

func outlined(c Case, agents int) CaseOutline {
	s := c.Settings
	o := CaseOutline{
		Name: c.Name, Scenario: c.Scenario, Axes: c.Axes, Dataset: c.Dataset, Target: c.Target, DB: s.DB, Table: c.Properties["table"],
		Fills: c.Fills, Phase: c.Properties["phase"], Agents: agents, Threads: s.Threads, ThreadsTotal: s.ThreadsTotal,
		Rows: s.Workload.RecordCount, Splits: s.Splits, Repeats: max(c.Repeats, 1), WarmupSeconds: s.Warmup.Seconds(),
		Properties: c.Properties,
	}
	if c.Agents > 0 {
		o.Agents = c.Agents
	}
	if c.Search != nil {
		o.Search, o.Repeats = c.Search, ExpectedProbes(*c.Search)
	}
	switch {
	case o.ThreadsTotal > 0:
		o.Threads = 0
	case o.Agents > 0:
		o.ThreadsTotal = o.Threads * o.Agents
	}
	if s.Load {
		o.RowsWritten += s.Workload.LoadCount()
		if !s.Run {
			o.Rows = s.Workload.LoadCount()
		}
	}
	if s.Run {
		o.Operations = s.Workload.OperationCount
		o.Distribution = string(s.Workload.RequestDistribution)
		o.Mix = shares(s.Workload.Proportions)
		o.RowsWritten += int64(math.Round(float64(o.Operations) * o.Mix["INSERT"]))
	}
	o.estimate(c)
	return o
}

// estimate sets the expected time of a run: each phase takes its duration, or its operations at a known rate.
func (o *CaseOutline) estimate(c Case) {
	o.Basis = ByDuration
	for _, p := range Phases(c.Settings) {
		seconds, basis, rate := math.Inf(1), ByNothing, 0.0
		if p.Duration > 0 {
			seconds, basis = p.Duration.Seconds(), ByDuration
		}
		if p.Ops > 0 {
			if r, by := assumedRate(c, p); r > 0 && float64(p.Ops)/r < seconds {
				seconds, basis, rate = float64(p.Ops)/r, by, r
			}
		}
		if basis == ByNothing {
			o.Basis, o.Seconds, o.AssumedRate = ByNothing, 0, 0
			return
		}
		o.Seconds += seconds
		if basis != ByDuration {
			o.Basis, o.AssumedRate = basis, rate
		}
	}
	o.Seconds = math.Round(o.Seconds*1000) / 1000
}

// assumedRate returns the expected rate of a phase in operations per second, and the basis of the estimate.
func assumedRate(c Case, p Phase) (perSecond float64, by string) {
	pace := c.Settings.PacingOf(p.Name)
	if pace.Arrival != "" && pace.Arrival != pacing.ClosedLoop {
		if seconds := until(pace.Rate, float64(p.Ops)); seconds > 0 {
			return float64(p.Ops) / seconds, ByRate
		}
	}
	if pace.CatchUp > 0 {
		return pace.CatchUp, ByRate
	}
	sum, n := 0.0, 0
	for _, entry := range c.Published {
		if f, ok := figure(entry["throughput_ops"]); ok && f > 0 {
			sum, n = sum+f, n+1
		}
	}
	if n > 0 {
		return sum / float64(n), ByPublished
	}
	return 0, ByNothing
}

// until returns how many seconds a rate takes to intend ops operations; 0 if it never does.
func until(rate pacing.Rate, ops float64) float64 {
	low, high := 0.0, 1.0
	for ; rate.Area(high) < ops; high *= 2 {
		if high > 1e10 {
			return 0
		}
	}
	for range 60 {
		if middle := (low + high) / 2; rate.Area(middle) < ops {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func figure(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// shares returns the proportions divided by their sum, without zeros, by the operations' names.
func shares(p workload.Proportions) map[string]float64 {
	sum := p.Sum()
	mix := make(map[string]float64)
	for _, share := range p.Shares() {
		if share.Value > 0 {
			mix[share.Kind.String()] = math.Round(share.Value/sum*1e6) / 1e6
		}
	}
	return mix
}

// Issues reports whether the phase with the run's figures issues an operation: the measured phase, or a load that no
// phase follows.
func (s Settings) Issues(op workload.Kind) bool {
	if s.Run {
		return slices.ContainsFunc(s.Workload.Proportions.Shares(), func(share workload.Share) bool { return share.Kind == op && share.Value > 0 })
	}
	return s.Load && op == workload.Insert
}
