package result

// Bottleneck is what limited the throughput of a phase.
type Bottleneck struct {
	Name     string `json:"name"`     // of the limit; package bottleneck lists them
	Sentence string `json:"sentence"` // what limited it, with its evidence
	Test     string `json:"test"`     // how the limit was recognized
	// Evidence has the rules that could be tested, those that hold first, in the order of causes.
	Evidence []Evidence `json:"evidence"`
	// Observe lists what would have to be observed to test the other rules, if nothing was found.
	Observe []string `json:"observe,omitempty"`
}

// Evidence is one rule, tested on the part of the system or the agent that came closest to its limit.
type Evidence struct {
	Rule   string  `json:"rule"` // the limit that it recognizes
	Holds  bool    `json:"holds"`
	Source string  `json:"source"`
	Figure string  `json:"figure"`
	Value  float64 `json:"value"` // mean over the phase
	Limit  float64 `json:"threshold"`
	Unit   string  `json:"unit"`
	// Share is the share of its points that are beyond the threshold.
	Share  float64 `json:"share_of_points"`
	Points int     `json:"points"`
	// Note is why the rule does not hold although its points are beyond the threshold, or what else was tested.
	Note string `json:"note,omitempty"`
}
