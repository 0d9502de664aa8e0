package clock_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/clock"
)

// peer is a clock that differs from ours, with a network between.
type peer struct {
	offset float64 // ns
	drift  float64
	rng    *rand.Rand
	delay  func(*rand.Rand) float64 // one way, ns
}

func (p peer) at(x int64) int64 { return x + int64(p.offset+p.drift*float64(x)) }

func (p peer) probe(sent int64) clock.Probe {
	there := sent + int64(p.delay(p.rng))
	back := there + 2000
	return clock.Probe{
		Sent: sent, PeerReceived: p.at(there), PeerSent: p.at(back),
		Received: back + int64(p.delay(p.rng)),
	}
}

func TestTheClockIsWithinTheBoundOfItsEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := peer{
			offset: float64(rapid.Int64Range(-int64(3*time.Hour), int64(3*time.Hour)).Draw(t, "offset")),
			drift:  float64(rapid.IntRange(-400, 400).Draw(t, "ppm")) * 1e-6,
			rng:    rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
		}
		scale := float64(rapid.IntRange(20, 100_000).Draw(t, "delay µs")) * 1000
		p.delay = func(r *rand.Rand) float64 { return scale * (0.2 + r.ExpFloat64()) }

		var e clock.Estimator
		now := int64(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "probes") {
			e.Add(p.probe(now))
			if i < 12 {
				now += int64(5 * time.Millisecond)
			} else {
				now += int64(time.Second)
			}
			now += 5 * int64(scale)
		}
		got, ok := e.Estimate(now)
		require.True(t, ok)
		for _, ahead := range []int64{0, int64(time.Second), int64(5 * time.Second)} {
			truth := p.at(now + ahead)
			require.LessOrEqual(t, math.Abs(float64(truth-got.Line.At(now+ahead))), got.BoundAt(now+ahead)+5,
				"%v ahead", time.Duration(ahead))
		}
	})
}

func TestDriftIsFoundFromAMinuteOfProbes(t *testing.T) {
	p := peer{offset: 37e9, drift: 200e-6, rng: rand.New(rand.NewPCG(1, 2)), delay: func(r *rand.Rand) float64 {
		return 50_000 * (1 + r.ExpFloat64())
	}}
	var e clock.Estimator
	now := int64(0)
	for range 60 {
		e.Add(p.probe(now))
		now += int64(time.Second)
	}
	got, _ := e.Estimate(now)
	require.InDelta(t, 200e-6, got.Line.Rate, 10e-6)
	require.Less(t, got.DriftBound, 20e-6)
}

// A clock is probed once a second until its drift is known, and every four seconds then; each time before its bound has grown by more than a
// quarter, or 20 µs.
func TestAnEstimateIsFreshUntilItsBoundHasGrown(t *testing.T) {
	for name, scale := range map[string]float64{"a fast network": 30_000, "a slow network": 5_000_000} {
		t.Run(name, func(t *testing.T) {
			p := peer{offset: 37e9, drift: 40e-6, rng: rand.New(rand.NewPCG(1, 2)), delay: func(r *rand.Rand) float64 {
				return scale * (1 + 0.5*r.ExpFloat64())
			}}
			var e clock.Estimator
			now, probes := int64(0), 0
			probe := func() time.Duration {
				made := p.probe(now)
				e.Add(made)
				got, ok := e.Estimate(made.Received)
				require.True(t, ok)
				fresh := got.FreshFor()
				require.LessOrEqual(t, fresh, 4*time.Second)
				require.LessOrEqual(t, got.BoundAt(made.Received+int64(fresh)), max(1.25*got.Bound, got.Bound+20_000)+1)
				next := max(fresh, time.Second)
				now, probes = now+int64(next), probes+1
				return next
			}
			require.Equal(t, time.Second, probe(), "of an unknown drift")
			for now < int64(2*time.Minute) {
				probe()
			}
			require.Less(t, probes, 110)
			require.Greater(t, probe(), 3*time.Second)
			got, _ := e.Estimate(now)
			require.LessOrEqual(t, math.Abs(float64(p.at(now)-got.Line.At(now))), got.Bound)

			// The drift changes: no line passes through all bounds any more. On a slow network that makes little difference within four seconds.
			if scale > 1e6 {
				return
			}
			p.offset, p.drift = p.offset+(p.drift+400e-6)*float64(now), -400e-6
			next := 4 * time.Second
			for n := 0; next > time.Second; n++ {
				require.Less(t, n, 30)
				next = probe()
			}
		})
	}
}

func TestAnEstimatorWithoutProbesHasNoEstimate(t *testing.T) {
	var e clock.Estimator
	_, ok := e.Estimate(5)
	require.False(t, ok)

	e.Add(clock.Probe{Sent: 10, Received: 5})                                  // received before it was sent
	e.Add(clock.Probe{Sent: 0, Received: 10, PeerReceived: 0, PeerSent: 1000}) // longer at the peer than the round trip
	require.Zero(t, e.Count())
}

func TestALineAndItsInverseAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := clock.Line{
			X:    rapid.Int64Range(0, 2e18).Draw(t, "x0"),
			Y:    rapid.Int64Range(-1e18, 1e18).Draw(t, "y0"),
			Rate: float64(rapid.IntRange(-500, 500).Draw(t, "ppm")) * 1e-6,
		}
		x := l.X + rapid.Int64Range(-int64(96*time.Hour), int64(96*time.Hour)).Draw(t, "dx")
		require.InDelta(t, x, l.Inverse(l.At(x)), 2)
	})
}

func TestATimebaseSlewsAndNeverSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := clock.NewTimebase(clock.Line{})
		now, line := int64(0), clock.Line{}
		last := tb.RunTime(0)
		for range rapid.IntRange(1, 10).Draw(t, "adjustments") {
			line = clock.Line{
				X: now, Y: line.At(now) + rapid.Int64Range(-5e6, 5e6).Draw(t, "gap"),
				Rate: float64(rapid.IntRange(-300, 300).Draw(t, "ppm")) * 1e-6,
			}
			tb.Adjust(now, line)
			require.InDelta(t, last, tb.RunTime(now), 2, "an adjustment steps")
			for range 40 {
				now += int64(100 * time.Millisecond)
				next := tb.RunTime(now)
				require.InDelta(t, 100e6, next-last, 100e6*0.003, "time runs too fast or too slowly")
				require.InDelta(t, now, tb.Local(next), 3, "Local does not undo RunTime")
				last = next
			}
		}
		require.InDelta(t, line.At(now), tb.RunTime(now), 2, "the line is not reached within four seconds")
	})
}

func TestAfterAStepOfThePeersClockTheEstimateIsRightAtOnce(t *testing.T) {
	p := peer{offset: 0, rng: rand.New(rand.NewPCG(1, 2)), delay: func(*rand.Rand) float64 { return 20_000 }}
	var e clock.Estimator
	now := int64(0)
	for range 30 {
		e.Add(p.probe(now))
		now += int64(time.Second)
	}
	// The machine slept for ten seconds, and its monotonic clock with it; the first probe afterwards was slow.
	p.offset, p.delay = -10e9, func(*rand.Rand) float64 { return 2_000_000 }
	e.Add(p.probe(now))
	now += int64(10 * time.Millisecond)
	got, ok := e.Estimate(now)
	require.True(t, ok)
	require.LessOrEqual(t, math.Abs(float64(p.at(now)-got.Line.At(now))), got.BoundAt(now))
}

func TestAnImpossibleProbeIsIgnored(t *testing.T) {
	for name, p := range map[string]clock.Probe{
		"a stay longer than the round trip":           {Sent: 0, Received: 10, PeerReceived: 0, PeerSent: 1000},
		"a stay that is longer than an integer holds": {Sent: 0, Received: 10, PeerReceived: -9e18, PeerSent: 9e18},
		"an answer before the question":               {Sent: 0, Received: 10, PeerReceived: 9e18, PeerSent: -9e18},
	} {
		t.Run(name, func(t *testing.T) {
			var e clock.Estimator
			e.Add(p)
			require.Zero(t, e.Count())
		})
	}
}
