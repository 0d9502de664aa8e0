package pacing

import (
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func constant(rate float64) Config {
	return Config{Arrival: FixedRate, Rate: Rate{{From: rate, To: rate}}}
}

func schedule(t testing.TB, cfg Config, shard, shards int) Schedule {
	t.Helper()
	s, err := New(cfg, shard, shards, 1)
	require.NoError(t, err)
	return s
}

func TestClosedLoopHasNoSchedule(t *testing.T) {
	for _, arrival := range []Arrival{ClosedLoop, ""} {
		s, err := New(Config{Arrival: arrival, CatchUp: 100}, 0, 1, 1)
		require.NoError(t, err)
		require.Nil(t, s)
	}
}

func TestFixedRateInterleavesShards(t *testing.T) {
	for shard, want := range [][]time.Duration{
		{0, 3 * time.Millisecond, 6 * time.Millisecond},
		{1 * time.Millisecond, 4 * time.Millisecond, 7 * time.Millisecond},
		{2 * time.Millisecond, 5 * time.Millisecond, 8 * time.Millisecond},
	} {
		s := schedule(t, constant(1000), shard, 3)
		require.Equal(t, want, []time.Duration{s.Claim(), s.Claim(), s.Claim()})
	}
}

// The test compares the instants of operations, up to a month, with exact arithmetic.
func TestFixedRateNeverDrifts(t *testing.T) {
	for _, rate := range []float64{1, 3, 333.3, 20_000, 1e6 / 7, 5e6} {
		s := &fixed{curve: newCurve(Rate{{From: rate, To: rate}}), shards: 1}
		for _, after := range []time.Duration{0, time.Second, time.Hour, 30 * 24 * time.Hour} {
			k := int64(rate * after.Seconds())
			s.claimed.Store(k)
			exact := new(big.Rat).SetInt64(k)
			exact.Mul(exact, new(big.Rat).SetInt64(1e9))
			exact.Quo(exact, new(big.Rat).SetFloat64(rate))
			want := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
			require.InDelta(t, want, int64(s.Claim()), 2, "operation %d at %v a second", k, rate)
		}
	}
}

func TestClaimReturnsEachInstantOnce(t *testing.T) {
	for _, cfg := range []Config{constant(1e6), {Arrival: Poisson, Rate: Rate{{From: 1e6, To: 1e6}}}} {
		const workers, each = 8, 2000
		s := schedule(t, cfg, 0, 1)
		claimed := make([][]time.Duration, workers)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for range each {
					claimed[w] = append(claimed[w], s.Claim())
				}
			})
		}
		wg.Wait()
		for _, own := range claimed {
			require.True(t, slices.IsSorted(own), "a worker's instants go on")
		}
		all := slices.Concat(claimed...)
		slices.Sort(all)
		alone := schedule(t, cfg, 0, 1)
		for i, at := range all {
			require.Equal(t, alone.Claim(), at, "instant %d", i)
		}
	}
}

func TestClaimDoesNotAllocate(t *testing.T) {
	ramp := Rate{{From: 10, To: 1000, Seconds: 10}, {From: 1000, To: 1000}}
	for _, cfg := range []Config{constant(1000), {Arrival: FixedRate, Rate: ramp}, {Arrival: Poisson, Rate: ramp}} {
		s := schedule(t, cfg, 0, 1)
		require.Zero(t, testing.AllocsPerRun(1000, func() { s.Claim() }), "%+v", cfg)
	}
}

// The gaps of three shards' arrivals, merged, are those of one Poisson process of the whole rate: exponential, by
// Kolmogorov and Smirnov, and independent of the gap before.
func TestPoissonArrivalsOfThreeShardsHaveExponentialGaps(t *testing.T) {
	const rate, seconds = 10_000, draws / 10_000
	cfg := Config{Arrival: Poisson, Rate: Rate{{From: rate, To: rate}}}
	var all []time.Duration
	for shard := range 3 {
		s := schedule(t, cfg, shard, 3)
		own := 0
		for at := s.Claim(); at < seconds*time.Second; at = s.Claim() {
			all = append(all, at)
			own++
		}
		require.InDelta(t, draws/3.0, own, 4*math.Sqrt(draws/3.0))
	}
	require.InDelta(t, draws, len(all), 4*math.Sqrt(draws))
	slices.Sort(all)
	gaps := make([]float64, len(all)-1)
	for i := range gaps {
		gaps[i] = (all[i+1] - all[i]).Seconds() * rate
	}
	require.Less(t, math.Abs(correlation(gaps[1:], gaps[:len(gaps)-1])), 4/math.Sqrt(float64(len(gaps))))
	requireExponential(t, gaps)
}

// requireExponential requires that the gaps fit the exponential distribution of mean 1.
func requireExponential(t *testing.T, gaps []float64) {
	t.Helper()
	gaps = slices.Clone(gaps)
	slices.Sort(gaps)
	n := float64(len(gaps))
	var distance float64
	for i, x := range gaps {
		p := 1 - math.Exp(-x)
		distance = max(distance, math.Abs(p-float64(i)/n), math.Abs(float64(i+1)/n-p))
	}
	const critical = 1.95 // of 0.1 %
	require.Less(t, distance*math.Sqrt(n), critical)
}

func correlation(a, b []float64) float64 {
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
		saa, sbb, sab = saa+a[i]*a[i], sbb+b[i]*b[i], sab+a[i]*b[i]
	}
	n := float64(len(a))
	return (sab - sa*sb/n) / math.Sqrt((saa-sa*sa/n)*(sbb-sb*sb/n))
}

// If the rate changes, arrivals are exponential in operations due, not in time.
func TestPoissonArrivalsFollowTheRate(t *testing.T) {
	cfg := Config{Arrival: Poisson, Rate: Rate{{From: 0, To: 20_000, Seconds: 10}, {From: 5000, To: 5000}}}
	s := schedule(t, cfg, 0, 1)
	var gaps []float64
	due, n := 0.0, 0
	for {
		at := s.Claim().Seconds()
		if at > 20 {
			break
		}
		now := 1000 * at * at // the area under the ramp
		if at > 10 {
			now = 100_000 + (at-10)*5000
		}
		gaps = append(gaps, now-due)
		due = now
		n++
	}
	require.InDelta(t, 150_000, n, 4*math.Sqrt(150_000))
	requireExponential(t, gaps)
}

func TestPoissonRepeatsWithItsSeedAndShardOnly(t *testing.T) {
	claims := func(seed uint64, shard int) [3]time.Duration {
		s, err := New(Config{Arrival: Poisson, Rate: Rate{{From: 10, To: 10}}}, shard, 3, seed)
		require.NoError(t, err)
		return [3]time.Duration{s.Claim(), s.Claim(), s.Claim()}
	}
	first := claims(1, 0)
	require.Equal(t, first, claims(1, 0))
	require.NotEqual(t, first, claims(1, 1))
	require.NotEqual(t, first, claims(2, 0))
}

func BenchmarkClaim(b *testing.B) {
	stairs := make(Rate, 0, 50)
	for i := range 50 {
		stairs = append(stairs, Piece{From: float64(i+1) * 1000, To: float64(i+1) * 1000, Seconds: 10})
	}
	for name, cfg := range map[string]Config{
		"fixed":   constant(1e6),
		"stairs":  {Arrival: FixedRate, Rate: stairs},
		"ramp":    {Arrival: FixedRate, Rate: Rate{{From: 1, To: 1e6, Seconds: 1e6}}},
		"poisson": {Arrival: Poisson, Rate: Rate{{From: 1e6, To: 1e6}}},
	} {
		b.Run(name, func(b *testing.B) {
			s := schedule(b, cfg, 0, 1)
			b.ReportAllocs()
			for b.Loop() {
				s.Claim()
			}
		})
	}
}

// TestSkipOmitsEarlierOperations compares a schedule that begins in the middle with one from the beginning.
func TestSkipOmitsEarlierOperations(t *testing.T) {
	for name, rate := range map[string]Rate{
		"constant": {{From: 700, To: 700}},
		"ramp":     {{From: 0, To: 900, Seconds: 30}, {From: 900, To: 100, Seconds: 40}},
		"pause":    {{From: 300, To: 300, Seconds: 5}, {From: 0, To: 0, Seconds: 20}, {From: 10, To: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, before := range []time.Duration{0, 1, 4999999999, 5 * time.Second, 17 * time.Second, 61234567890} {
				for shard := range 3 {
					cfg := Config{Arrival: FixedRate, Rate: rate}
					whole, part := schedule(t, cfg, shard, 3), schedule(t, cfg, shard, 3)
					want := whole.Claim()
					for want < before {
						want = whole.Claim()
					}
					part.Skip(before)
					for range 100 {
						require.Equal(t, want, part.Claim(), "shard %d after %s", shard, before)
						want = whole.Claim()
					}
				}
			}
		})
	}
}

func TestSkippedArrivalsKeepTheirRate(t *testing.T) {
	const from, n = 100 * time.Second, 100_000
	s := schedule(t, Config{Arrival: Poisson, Rate: Rate{{From: 500, To: 500}}}, 1, 2)
	s.Skip(from)
	require.GreaterOrEqual(t, s.Claim(), from)
	for range n - 1 {
		s.Claim()
	}
	require.InEpsilon(t, n/250.0, (s.Claim() - from).Seconds(), 0.02)
}

func TestASkippedThrottleHasNothingToCatchUpWith(t *testing.T) {
	th := NewThrottle(Config{CatchUp: 100}, 0, 1, 4, 1)
	first := th.Claim()
	th.Skip(10 * time.Second)
	next := th.Claim()
	require.GreaterOrEqual(t, next, 10*time.Second)
	require.Less(t, next, 10*time.Second+40*time.Millisecond)
	require.InDelta(t, 0, math.Remainder(float64(next-first), 40e6), 10, "on the instants of the schedule")
}
