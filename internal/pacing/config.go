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

// Area is how many operations a rate intends within the first seconds.
func (r Rate) Area(seconds float64) float64 {
	var sum float64
	for _, p := range r {
		if p.Seconds > 0 && seconds > p.Seconds {
			sum += (p.From + p.To) / 2 * p.Seconds
			seconds -= p.Seconds
			continue
		}
		at := p.To
		if p.Seconds > 0 {
			at = p.From + (p.To-p.From)*seconds/p.Seconds
		}
		return sum + (p.From+at)/2*seconds
	}
	if len(r) == 0 {
		return 0
	}
	return sum + r[len(r)-1].To*seconds // the last piece goes on for ever
}
