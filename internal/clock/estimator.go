package clock

import (
	"math"
	"time"
)

// Probe is one round trip: its start and end by our clock, and the peer's clock in between.
type Probe struct {
	Sent, Received         int64
	PeerReceived, PeerSent int64
}

// offset is the peer's clock minus ours, if both directions took the same time.
func (p Probe) offset() float64 {
	return (float64(p.PeerReceived-p.Sent) + float64(p.PeerSent-p.Received)) / 2
}

// bound is the maximum error of offset: half of the time that the probe was in transit.
func (p Probe) bound() float64 {
	return float64((p.Received-p.Sent)-(p.PeerSent-p.PeerReceived)) / 2
}

// at is the instant of our clock to which offset applies.
func (p Probe) at() int64 { return p.Sent + (p.Received-p.Sent)/2 }

// contradicts reports whether one clock cannot have answered both probes without being stepped between them.
func (p Probe) contradicts(q Probe) bool {
	span := math.Abs(float64(q.at() - p.at()))
	return math.Abs(q.offset()-p.offset()) > p.bound()+q.bound()+span*2*maxDrift
}

const (
	// window is the number of probes that an Estimator keeps.
	window = 64
	// maxDrift bounds an unknown drift: computer clocks drift by at most a few hundred ppm.
	maxDrift = 500e-6
	// wander bounds the change of a drift, from temperature and from time daemons.
	wander = 50e-6
	// fitSpan is the minimum time span of the probes for an estimate of the drift.
	fitSpan = 2e9
)

// Estimator estimates a peer's clock from probes. The zero value has no probes.
type Estimator struct {
	probes []Probe

	// What drift has returned for these probes, if fitted.
	slope, bound float64
	fitted       bool
}

// Add adds a probe. It ignores a probe with impossible times. A probe that no drift can explain means that the peer's clock
// was stepped, for example because its machine slept: Add discards the earlier probes.
func (e *Estimator) Add(p Probe) {
	away, stay := p.Received-p.Sent, p.PeerSent-p.PeerReceived
	if away < 0 || stay < 0 || stay > away || p.PeerSent < p.PeerReceived {
		return
	}
	if n := len(e.probes); n > 0 && e.probes[n-1].contradicts(p) {
		e.probes = e.probes[:0]
	}
	if len(e.probes) == window {
		e.probes = append(e.probes[:0], e.probes[1:]...) // old probes have little value
	}
	e.probes = append(e.probes, p)
	e.fitted = false
}

// Count returns the number of probes of the estimate.
func (e *Estimator) Count() int { return len(e.probes) }

// Estimate is an estimate of a peer's clock.
type Estimate struct {
	// Line maps our clock to the peer's.
	Line Line
	// Bound is the maximum error of Line at Line.X, in nanoseconds.
	Bound float64
	// DriftBound is the maximum error of the line's rate.
	DriftBound float64
}

// BoundAt returns the maximum error of the line at our instant x.
func (e Estimate) BoundAt(x int64) float64 {
	return e.Bound + math.Abs(float64(x-e.Line.X))*e.DriftBound
}

// The bound of an estimate is as good as new while it has grown by no more than freshShare of itself, or by freshGrowth, until maxFresh.
const (
	freshShare  = 0.25
	freshGrowth = 20e3 // ns
	maxFresh    = 4 * time.Second
)

// FreshFor returns how long the estimate needs no further probe: 0 while the drift is unknown. It is short after the drift has changed, too.
func (e Estimate) FreshFor() time.Duration {
	if e.DriftBound >= maxDrift {
		return 0
	}
	return time.Duration(min(max(e.Bound*freshShare, freshGrowth)/e.DriftBound, float64(maxFresh)))
}

// Offset returns the peer's clock minus ours at our instant x, in nanoseconds.
func (e Estimate) Offset(x int64) int64 { return e.Line.At(x) - x }

// Estimate fits a line to the probes: each probe bounds the offset at its instant, so probes are weighted by the inverse
// square of their bounds. The line is anchored at now.
func (e *Estimator) Estimate(now int64) (Estimate, bool) {
	if len(e.probes) == 0 {
		return Estimate{}, false
	}
	best := e.probes[0]
	for _, p := range e.probes[1:] {
		// The bound of an old probe grows by the possible drift since.
		if p.bound()+age(p, now) <= best.bound()+age(best, now) {
			best = p
		}
	}
	if !e.fitted {
		e.slope, e.bound = e.drift()
		e.fitted = true
	}
	drift, driftBound := e.slope, e.bound
	offset := best.offset() + drift*float64(now-best.at())
	return Estimate{
		Line:       Line{X: now, Y: now + int64(math.Round(offset)), Rate: drift},
		Bound:      best.bound() + math.Abs(float64(now-best.at()))*driftBound,
		DriftBound: driftBound,
	}, true
}

func age(p Probe, now int64) float64 { return math.Abs(float64(now-p.at())) * 20e-6 }

// drift fits the slope of the offsets over time, and bounds its error: the slope must pass through the bounds
// of the probes, so tight probes that are far apart limit it most.
func (e *Estimator) drift() (slope, bound float64) {
	first, last := e.probes[0].at(), e.probes[len(e.probes)-1].at()
	if float64(last-first) < fitSpan {
		return 0, maxDrift
	}
	// Each is computed once: the pairs below are 2016.
	var xs, ys, bounds, weights [window]float64
	n := len(e.probes)
	var sw, sx, sy float64
	for i, p := range e.probes {
		x, y, w := float64(p.at()-first), p.offset()-e.probes[0].offset(), weight(p)
		xs[i], ys[i], bounds[i], weights[i] = x, y, p.bound(), w
		sw, sx, sy = sw+w, sx+w*x, sy+w*y
	}
	mx, my := sx/sw, sy/sw
	var sxx, sxy float64
	for i := range n {
		w, dx := weights[i], xs[i]-mx
		sxx, sxy = sxx+w*dx*dx, sxy+w*dx*(ys[i]-my)
	}
	if sxx == 0 {
		return 0, maxDrift
	}
	slope = math.Max(-maxDrift, math.Min(maxDrift, sxy/sxx))

	lo, hi := math.Inf(-1), math.Inf(1)
	for i := range n {
		x, y, bound := xs[i], ys[i], bounds[i]
		for j := i + 1; j < n; j++ {
			span := xs[j] - x
			if span < fitSpan/2 {
				continue
			}
			per := 1 / span
			mid, err := (ys[j]-y)*per, (bounds[j]+bound)*per
			lo, hi = max(lo, mid-err), min(hi, mid+err)
		}
	}
	if lo > hi || math.IsInf(lo, 0) {
		// No single slope passes through all bounds: the drift has changed.
		return slope, wander
	}
	slope = math.Max(lo, math.Min(hi, slope))
	return slope, math.Min(maxDrift, math.Max(hi-slope, slope-lo))
}

func weight(p Probe) float64 {
	b := p.bound() + 1000 // a microsecond: the cost of reading a clock
	return 1 / (b * b)
}
