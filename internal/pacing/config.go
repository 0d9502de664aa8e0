package pacing

// Arrival is the process by which operations are intended to start.
type Arrival string

// The arrivals.
const (
	ClosedLoop Arrival = "closed"  // as soon as a worker is free
	FixedRate  Arrival = "fixed"   // evenly spaced by the clock
	Poisson    Arrival = "poisson" // exponential gaps
	Replay     Arrival = "replay"  // at the instants of a trace, which has them
)

// Config describes when operations are intended to start.
type Config struct {
	Arrival Arrival
	// Rate is the offered rate in operations per second over all agents. Open loops need it.
	Rate Rate
	// CatchUp is YCSB's own throttle (property target): a closed loop at this many operations per second over all agents,
	// in which a worker that is behind its schedule does not wait. 0 means no throttle.
	CatchUp float64
}

// Rate is an offered rate over time: a sequence of pieces. The final rate of the last piece continues without an end. A
// constant rate is one piece.
type Rate []Piece

// Piece is a part of a Rate: linear from From to To operations per second within Seconds. It is a step if From equals
// To. Seconds is 0 for a last piece without an end.
type Piece struct {
	From, To float64
	Seconds  float64
}

// Area returns the number of operations that a rate intends within the first seconds.
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
	return sum + r[len(r)-1].To*seconds // the last piece has no end
}
