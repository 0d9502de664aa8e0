package pacing

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// area returns the operations due at an instant. It adds thin slices, unlike the curve.
func area(rate Rate, seconds float64) float64 {
	const slices = 200_000
	at := func(t float64) float64 {
		last := 0.0
		for _, p := range rate {
			last = p.To
			if p.Seconds == 0 || t < p.Seconds {
				if p.Seconds == 0 {
					return p.To
				}
				return p.From + (p.To-p.From)*t/p.Seconds
			}
			t -= p.Seconds
		}
		return last
	}
	var sum float64
	for i := range slices {
		sum += at((float64(i) + 0.5) * seconds / slices)
	}
	return sum * seconds / slices
}

func TestOperationsOfARateAreItsArea(t *testing.T) {
	for _, test := range []struct {
		name    string
		rate    Rate
		seconds float64
	}{
		{"constant", Rate{{From: 1000, To: 1000}}, 10},
		{"ramp up", Rate{{From: 1000, To: 50_000, Seconds: 10}}, 10},
		{"ramp from nothing", Rate{{From: 0, To: 10_000, Seconds: 20}}, 20},
		{"ramp down", Rate{{From: 10_000, To: 0, Seconds: 20}}, 19.99},
		{"ramp, and on", Rate{{From: 1000, To: 2000, Seconds: 5}}, 15},
		{"ramp in the middle", Rate{{From: 1000, To: 5000, Seconds: 10}}, 3.21},
		{"stairs", Rate{{From: 1000, To: 1000, Seconds: 3}, {From: 2000, To: 2000, Seconds: 3}, {From: 4000, To: 4000}}, 11},
		{"a pause", Rate{{From: 5000, To: 5000, Seconds: 2}, {From: 0, To: 0, Seconds: 5}, {From: 5000, To: 5000}}, 10},
		{"up, flat and down", Rate{{From: 0, To: 8000, Seconds: 4}, {From: 8000, To: 8000, Seconds: 2}, {From: 8000, To: 100, Seconds: 4}}, 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := area(test.rate, test.seconds)
			for _, arrivals := range []struct {
				shards  int
				arrival Arrival
				allowed float64
			}{
				{1, FixedRate, 1 + want/1e5},
				{3, FixedRate, 1 + want/1e5},
				{3, Poisson, 4 * math.Sqrt(want)},
			} {
				got := 0
				for shard := range arrivals.shards {
					s := schedule(t, Config{Arrival: arrivals.arrival, Rate: test.rate}, shard, arrivals.shards)
					last := time.Duration(-1)
					for at := s.Claim(); at.Seconds() < test.seconds; at = s.Claim() {
						if at < last {
							require.Failf(t, "went back", "from %v to %v", last, at)
						}
						last = at
						got++
					}
				}
				require.InDelta(t, want, got, arrivals.allowed, "%v over %d shards", arrivals.arrival, arrivals.shards)
			}
		})
	}
}

func TestOperationsOfAStepBeginAtItsBeginning(t *testing.T) {
	s := schedule(t, Config{Arrival: FixedRate, Rate: Rate{
		{From: 2, To: 2, Seconds: 1}, {From: 0, To: 0, Seconds: 3}, {From: 4, To: 4, Seconds: 1}, {From: 1, To: 1},
	}}, 0, 1)
	var got []float64
	for range 8 {
		got = append(got, s.Claim().Seconds())
	}
	require.Equal(t, []float64{0, 0.5, 4, 4.25, 4.5, 4.75, 5, 6}, got)
}

func TestARateThatEndsAtZeroHasALastOperation(t *testing.T) {
	s := schedule(t, Config{Arrival: FixedRate, Rate: Rate{{From: 10, To: 0, Seconds: 1}}}, 0, 1)
	for range 5 {
		require.Less(t, s.Claim(), time.Second)
	}
	for range 3 {
		require.Equal(t, Never, s.Claim())
	}
}

func TestSlowestRatesDoNotOverflow(t *testing.T) {
	s := schedule(t, constant(1e-9), 0, 1)
	require.Zero(t, s.Claim())
	for range 20 {
		require.Positive(t, s.Claim())
	}
	require.Equal(t, Never, s.Claim())
}

func FuzzCurve(f *testing.F) {
	f.Add(1000.0, 50000.0, 600.0, 10.0, 0.0, 1.0)
	f.Add(0.0, 0.0, 1.0, 0.0, 5.0, 2.0)
	f.Add(1e9, 1e-9, 1e-9, 3.0, 3.0, 0.0)
	f.Fuzz(func(t *testing.T, a, b, s1, c, d, s2 float64) {
		cfg := Config{Arrival: FixedRate, Rate: Rate{{From: a, To: b, Seconds: s1}, {From: c, To: d, Seconds: s2}}}
		if cfg.Validate() != nil {
			return
		}
		curve := newCurve(cfg.Rate)
		last := time.Duration(0)
		for _, k := range []float64{0, 0.5, 1, 2, 10, 1e3, 1e6, 1e9, 1e12, 1e15} {
			at := curve.at(k)
			require.GreaterOrEqual(t, at, last, "operation %v", k)
			last = at
		}
	})
}
