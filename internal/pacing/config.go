package pacing

// Arrival names how operations are intended.
type Arrival string

// The arrivals.
const (
	ClosedLoop Arrival = "closed"  // as soon as the worker is free
	FixedRate  Arrival = "fixed"   // evenly spaced by the clock
	Poisson    Arrival = "poisson" // exponential gaps
)

// Config says when operations are intended.
type Config struct {
	Arrival Arrival
	// Rate is the offered rate in operations per second over all agents. Open loops need it.
	Rate Rate
	// CatchUp is YCSB's own throttle ("target" property): a closed loop at that many operations per second
	// over all agents, in which a worker behind its schedule does not wait. 0 is none.
	CatchUp float64
}

// Rate is an offered rate over time: pieces one after another; what the last one ends with goes on for ever. A
// constant rate is one piece.
type Rate []Piece

// Piece is a stretch of a Rate: linear from From to To operations per second within Seconds. From equal to To
// is a step. Seconds 0 (only in the last piece) is for ever.
type Piece struct {
	From, To float64
	Seconds  float64
}
