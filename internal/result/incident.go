package result

// ByAction is the kind of an Incident whose first cause is an action. Otherwise it is the kind of an Event.
const ByAction = "action"

// Incident is an action on the target or an event of the cluster or the agents, with all that followed from it, and its
// cost. Package incident computes it. Throughput counts the operations that did not fail, in operations per second; times
// are in seconds since the phase's start.
type Incident struct {
	T       float64 `json:"t"`       // when its first cause began or was noticed
	Seconds float64 `json:"seconds"` // until its last cause had ended and the throughput had recovered, as far as it was measured
	Kind    string  `json:"kind"`    // of its first cause: ByAction, or the kind of an event
	Cause   string  `json:"cause"`   // the action with its arguments, or the text of the event
	Outcome string  `json:"outcome,omitempty"`
	Events  []Event `json:"events"` // the other causes and events that belong to it

	Before *Baseline `json:"before"` // null if there are too few intervals before it
	// Dip reports whether the throughput fell by more than its noise; null if that could not be determined. Because is the
	// evidence, or the reason why it was not determined; Test contains the rules.
	Dip     *bool  `json:"dip"`
	Because string `json:"because"`
	Test    string `json:"test"`

	// Worst is the interval with the lowest throughput, and Depth how far that is below the mean before, in percent.
	Worst   *float64 `json:"worst"`
	WorstAt float64  `json:"worst_at"`
	Depth   *float64 `json:"depth_percent"`
	// DipAt is when the dip began; null without a dip, like the next three.
	DipAt *float64 `json:"dip_at"`
	// Recovery is how long after the cause, or after the dip began if that was earlier, the throughput had recovered; null
	// if it had not when the phase or the time until the next incident ended, Measured seconds after the same instant.
	Recovery *float64 `json:"recovery_seconds"`
	Measured float64  `json:"measured_seconds"`
	// Lost is the area between the mean before and the throughput, from the dip's begin until the recovery: so many
	// operations fewer succeeded. In an open loop they were due all the same: CaughtUp of them were done after the recovery,
	// in the intervals in a row above the mean before.
	Lost     *float64 `json:"lost_ops"`
	CaughtUp *float64 `json:"caught_up_ops,omitempty"`
	// Errors counts failed operations by outcome, above the usual number before.
	Errors  map[string]uint64 `json:"errors"`
	Latency []IncidentLatency `json:"latency"` // of each operation that succeeded
}

// Baseline is the throughput before an Incident.
type Baseline struct {
	Mean float64 `json:"mean"`
	// Low and High bound the mean with 95 % confidence, by Method; null if the series is too short for that.
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Method    string   `json:"method"`
	Intervals int      `json:"intervals"` // of which it is the mean
	From      float64  `json:"from"`      // the start of the first of them
	Noise     float64  `json:"noise"`     // robust standard deviation of the intervals
	Floor     float64  `json:"floor"`     // an interval below it counts for a dip
}

// IncidentLatency is the response time of an operation before an Incident and in its worst interval.
type IncidentLatency struct {
	Op         string   `json:"op"`
	P99Before  *float64 `json:"p99_before_us"` // median of the intervals' 99th percentiles; null if all have too few samples
	P99Worst   *float64 `json:"p99_worst_us"`  // greatest of an interval
	P99At      float64  `json:"p99_worst_at"`
	MeanBefore *float64 `json:"mean_before_us"`
	MeanWorst  *float64 `json:"mean_worst_us"` // greatest of an interval
}
