package latency

import "time"

// Key names a series: the operation, its outcome, and the larger operation that it is a part of ("" for none).
type Key struct {
	Op, Outcome, PartOf string
}

// Series is the data of one Key in a window, or in a merge of many. Both histograms have the same count. If no operation has
// two different times, as in a closed loop, both are the same Histogram; Merged handles that.
type Series struct {
	Key      Key
	Response *Histogram // done − intended
	Service  *Histogram // done − sent
}

// WindowID permanently identifies a window; a window is merged once.
type WindowID struct {
	Run     string
	Phase   string
	Shard   int
	Attempt int
	Seq     int // from 0 in each phase
}

// Window has all measurements of one agent in one interval.
type Window struct {
	ID WindowID

	// Start and End are in the run's time base, counted from the phase's start.
	Start, End time.Duration
	// Tail marks operations after the planned end: recorded, but not counted for throughput.
	Tail bool
	// Last marks the shard's last window of the phase.
	Last bool

	Series []Series // by Key, each once; operations without a sample are left out

	Rows, Bytes uint64 // moved in this window
	// Issued and Recorded are cumulative over the shard's phase: the operations begun, and the operations in the series of
	// this and all earlier windows (parts of larger operations are not counted).
	Issued, Recorded uint64

	Health  Health
	Samples []ErrorSample

	// Lateness is how long after their intended instants the operations of an open loop were sent, for any reason: a
	// worker that woke late, or workers that were all busy. Parts of larger operations are excluded. It is nil in a closed
	// loop, and in a window without operations.
	Lateness *Histogram
	// Watermark is the key number below which all rows of the shard's inserts in a run exist; 0 if it inserts none.
	Watermark int64
	// Loaded is the progress of each worker of a load: below it all rows of the worker's range are answered, and counted
	// in this window or an earlier one. It is nil outside a load.
	Loaded []int64
	// Groups are the counts of the groups of workers; nil for a run without groups.
	Groups []GroupCount
	// Retries counts the attempts within operations of this window that were followed by another attempt, by cause, such
	// as "NotServingRegionException". It is nil if there are none.
	Retries map[string]uint64
}

// GroupCount is what a group of workers has done. Issued and Recorded are cumulative, as those of a window are.
type GroupCount struct {
	Name      string `json:"name"`
	Issued    uint64 `json:"issued"`
	Recorded  uint64 `json:"recorded"`
	Rows      uint64 `json:"rows"` // moved in the window
	Bytes     uint64 `json:"bytes"`
	LateSends uint64 `json:"late_sends"` // in the window
	Backlog   uint64 `json:"backlog"`    // open loop: operations intended but not yet sent at the window's end
}

// Footprint returns roughly how many bytes of memory a window has; 0 for none.
func (w *Window) Footprint() int {
	if w == nil {
		return 0
	}
	const fixed, perSeries = 1 << 10, 256
	size := fixed + 8*len(w.Loaded)
	for i := range w.Series {
		s := &w.Series[i]
		size += perSeries + s.Response.Memory()
		if s.Service != s.Response {
			size += s.Service.Memory()
		}
	}
	size += perSeries * len(w.Groups)
	if w.Lateness != nil {
		size += w.Lateness.Memory()
	}
	for i := range w.Samples {
		size += perSeries + len(w.Samples[i].Message)
	}
	return size
}

// ErrorSample is the first message of its kind in the window.
type ErrorSample struct {
	Op, Outcome, Message string
}

// Health is the state of the load generator itself in the window: the evidence that it was not the limit (law 7).
type Health struct {
	Cores        float64 // of the host that the agent may use
	HostIdle     float64 // 0…1 of them
	OwnCPU       float64 // cores used by the agent's process
	NetRx, NetTx uint64  // bytes of the host's interfaces (loopback included)
	NetUse       float64 // 0…1 of the speed of the busiest interface, in its busier direction; 0 if no speed is known
	GCPauses     int     // how many
	GCPauseTotal time.Duration
	GCPauseMax   time.Duration
	SchedLagP99  time.Duration // how long runnable goroutines waited for a processor
	SchedLagMax  time.Duration
	LateSends    uint64 // operations sent late although a worker was free: the generator's fault
	LateMax      time.Duration
	Backlog      uint64 // open loop: operations intended but not yet sent at the window's end
}
