package clock

import (
	"math"
	"sync/atomic"
)

// Line maps one clock to another: y = Y + (x − X) × (1 + Rate). All but Rate are nanoseconds.
type Line struct {
	X, Y int64
	Rate float64 // relative speed of y: 1e-6 is 1 ppm faster than x
}

// At maps x to y.
func (l Line) At(x int64) int64 {
	d := x - l.X
	return l.Y + d + int64(math.Round(float64(d)*l.Rate))
}

// Inverse maps y back to x: l.Inverse(l.At(x)) is x, up to a nanosecond.
func (l Line) Inverse(y int64) int64 {
	d := y - l.Y
	return l.X + d - int64(math.Round(float64(d)*l.Rate/(1+l.Rate)))
}

// An error is corrected within slewHorizon, but not faster than maxSlew, so that the run's time never stops or jumps for a
// worker.
const (
	slewHorizon = 1e9 // ns
	maxSlew     = 2000e-6
)

// Timebase is an agent's view of a run's time. It never jumps: Adjust bends it towards a new line within about a second, or
// more slowly if the error is large. Reading it takes no lock; only one goroutine at a time may call Adjust.
type Timebase struct {
	bend atomic.Pointer[bend]
}

// bend is a line up to x, and another from there on.
type bend struct {
	first Line
	x, y  int64 // the intersection
	then  Line
}

// NewTimebase starts on line.
func NewTimebase(line Line) *Timebase {
	t := &Timebase{}
	t.bend.Store(&bend{first: line, x: line.X, y: line.Y, then: line})
	return t
}

// RunTime maps the agent's clock to the run's time.
func (t *Timebase) RunTime(local int64) int64 {
	b := t.bend.Load()
	if local < b.x {
		return b.first.At(local)
	}
	return b.then.At(local)
}

// Local maps the run's time to the agent's clock.
func (t *Timebase) Local(run int64) int64 {
	b := t.bend.Load()
	if run < b.y {
		return b.first.Inverse(run)
	}
	return b.then.Inverse(run)
}

// Adjust bends the time base, from the agent's instant now on, towards line.
func (t *Timebase) Adjust(now int64, line Line) {
	at := t.RunTime(now)
	gap := float64(line.At(now) - at)
	horizon := math.Max(slewHorizon, math.Abs(gap)/maxSlew)
	meet := now + int64(horizon)
	first := Line{X: now, Y: at, Rate: line.Rate + gap/horizon}
	// The second line starts where the first one ends, so that rounding cannot make a step.
	y := first.At(meet)
	t.bend.Store(&bend{first: first, x: meet, y: y, then: Line{X: meet, Y: y, Rate: line.Rate}})
}

// Line returns the line at the agent's instant now, which an agent reports to a coordinator that has restarted.
func (t *Timebase) Line(now int64) Line {
	b := t.bend.Load()
	rate := b.then.Rate
	return Line{X: now, Y: t.RunTime(now), Rate: rate}
}
