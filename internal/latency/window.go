package latency

import "time"

// Key names a series: what was done, how it ended, and of which larger operation it was a part ("" for none).
type Key struct {
	Op, Outcome, PartOf string
}

// Series is what one window (or a merge of many) holds of one Key. Both histograms have the same count. Where no
// operation has two different times, as in a closed loop, both are the same Histogram; Merged knows that.
type Series struct {
	Key      Key
	Response *Histogram // done − intended
	Service  *Histogram // done − sent
}

// WindowID identifies a window for ever; a window is merged once.
type WindowID struct {
	Run     string
	Phase   string
	Shard   int
	Attempt int
	Seq     int // from 0 in each phase
}

// Window is all that one agent measured in one interval.
type Window struct {
	ID WindowID

	// Start and End are in the run's time base, counted from the phase's start.
	Start, End time.Duration
	// Tail marks what was done after the planned end: recorded, but not counted for throughput.
	Tail bool
	// Last marks the shard's last window of the phase.
	Last bool

	Series []Series // by Key, each once; operations without a sample are left out

	Rows, Bytes uint64 // moved in this window
	// Issued and Recorded are cumulative over the shard's phase: operations begun, and operations in the
	// series of this and all earlier windows (parts of larger operations are not counted).
	Issued, Recorded uint64

	Health  Health
	Samples []ErrorSample

	// Lateness is how long after their intended instants the operations of an open loop were sent, whatever kept
	// them: a worker that came late, or workers that were all busy. Parts of larger operations are not in it. It
	// is nil in a closed loop, and in a window without operations.
	Lateness *Histogram
	// Watermark is the key number below which all rows that the shard was to insert in a run are there; 0 where
	// it inserts none.
	Watermark int64
	// Loaded is how far each worker of a load has come: below it all rows of the worker's range have been answered, and
	// counted in this window or an earlier one. It is nil outside a load.
	Loaded []int64
	// Retries counts the attempts within operations that were followed by another in this window, by cause, such as
	// "NotServingRegionException". It is nil where there were none.
	Retries map[string]uint64
}

// ErrorSample is the first message of its kind that the window saw.
type ErrorSample struct {
	Op, Outcome, Message string
}

// Health is how the load generator itself fared in the window: the proof that it was not the limit (law 7).
type Health struct {
	Cores        float64 // of the host
	HostIdle     float64 // 0…1 of all cores
	OwnCPU       float64 // cores used by the agent's process
	NetRx, NetTx uint64  // bytes of the host's interfaces (loopback included)
	NetUse       float64 // 0…1 of the speed of the busiest interface, in its busier direction; 0 where no speed is known
	GCPauses     int     // how many
	GCPauseTotal time.Duration
	GCPauseMax   time.Duration
	SchedLagP99  time.Duration // how long runnable goroutines waited for a processor
	SchedLagMax  time.Duration
	LateSends    uint64 // operations sent late although a worker was free: the generator's fault
	LateMax      time.Duration
	Backlog      uint64 // open loop: operations intended but not yet sent at the window's end
}
