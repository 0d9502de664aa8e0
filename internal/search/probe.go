package search

// Outcome is what a run at one value has shown.
type Outcome string

// The outcomes. Only the first three are evidence about the system.
const (
	Kept   Outcome = "kept"    // the objective was kept
	Missed Outcome = "missed"  // the objective was missed, and a higher value would miss it too
	TooLow Outcome = "too_low" // only the throughput was below the objective's limit: a higher value may keep it

	ClientBound Outcome = "client_bound"    // the load generator was the limit
	TooFew      Outcome = "too_few_samples" // a percentile of the objective has too few samples
	Failed      Outcome = "failed"          // the run did not end complete
)

// Usable reports whether the outcome is evidence about the system.
func (o Outcome) Usable() bool { return o == Kept || o == Missed || o == TooLow }

// Probe is one ended run of a search.
type Probe struct {
	Value      float64 `json:"value"` // of the setting that varies
	Outcome    Outcome `json:"outcome"`
	Because    string  `json:"because"`
	Throughput float64 `json:"throughput"` // operations per second; 0 if it is not known
	// ClientBound is set if the load generator was close to its limit, also in a probe that kept the objective: its
	// throughput may then be that of the generator.
	ClientBound bool `json:"client_bound"`
}

// Purpose is the reason for a probe.
type Purpose string

// The purposes.
const (
	Scan    Purpose = "scan"    // to find where the objective is missed
	Narrow  Purpose = "narrow"  // to narrow down the answer
	Repeat  Purpose = "repeat"  // a value whose outcome is in doubt, or was not usable
	Confirm Purpose = "confirm" // the answer
	Extra   Purpose = "extra"   // a run at a value that the search did not ask for
)

// Step is what a search does next.
type Step struct {
	Done    bool
	Next    float64 // the value of the next run; 0 if the search is done
	Purpose Purpose // of the next run
	Answer  Answer  // as far as it is known
	// Purposes are those of the probes so far.
	Purposes []Purpose
}

// Status is the state of an answer.
type Status string

// The statuses of an answer.
const (
	Found   Status = "found"
	AtLeast Status = "at_least" // the system may sustain more: see Answer.Because
	None    Status = "none"     // no value keeps the objective
	// Unfinished is the status of an answer before the search is done, and of a search that had to stop before.
	Unfinished Status = "unfinished"
)

// Answer is the highest throughput that keeps the objective.
type Answer struct {
	Status Status `json:"status"`
	// Value is the highest value that confirmation runs have kept or, if none has, the highest that a probe has kept;
	// null if none has. Where threads vary it is the one with the highest throughput instead.
	Value *float64 `json:"value"`
	// MissedAt is the lowest value above Value that missed the objective: the limit is between both. It is null if the
	// limit was not seen.
	MissedAt  *float64 `json:"missed_at"`
	Confirmed int      `json:"confirmed"` // how many confirmation runs at Value kept the objective
	// Confirmations are the confirmation runs at Value, as indexes of the probes.
	Confirmations []int    `json:"confirmations"`
	Because       string   `json:"because"` // why the search ended with this status
	Notes         []string `json:"notes"`   // what a reader must know besides: unusable probes, contradictions
}
