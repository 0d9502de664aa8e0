//go:build !race

package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// shown is the share of simulated comparisons of two samples whose interval leaves out no change.
func shown(n int, effect, deviation float64, trials int) float64 {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	found := 0
	for range trials {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = math.Exp(deviation * random.NormFloat64())
			b[i] = (1 + effect) * math.Exp(deviation*random.NormFloat64())
		}
		if n > 12 { // the exact test takes too long
			if differs(a, b) {
				found++
			}
		} else if s, ok := stats.RatioOf(a, b, 0.95); ok && (s.Low > 1 || s.High < 1) {
			found++
		}
	}
	return float64(found) / float64(trials)
}

// differs is the Mann-Whitney test by its normal approximation, with the correction for continuity.
func differs(a, b []float64) bool {
	above, n := 0.0, float64(len(a))
	for _, x := range a {
		for _, y := range b {
			if y > x {
				above++
			}
		}
	}
	return math.Abs(above-n*n/2)-0.5 > 1.96*math.Sqrt(n*n*(2*n+1)/12)
}

// The recommended number of repeats shows an effect of 5 % in at least 80 % of simulated comparisons, and two fewer show it in
// less. The simulation is the comparison itself, not the table's.
func TestRecommendedRepeatsShowTheEffect(t *testing.T) {
	const effect, trials = 0.05, 3000
	for _, deviation := range []float64{0.021, 0.025, 0.03, 0.035, 0.04, 0.05} {
		n := stats.RepeatsFor(effect, deviation)
		power := shown(n, effect, deviation, trials)
		fewer := 0.0
		if n-2 >= stats.LeastRepeats {
			fewer = shown(n-2, effect, deviation, trials)
		}
		t.Logf("deviation %.1f %%: %d repeats show it in %.1f %%, two fewer in %.1f %%", 100*deviation, n, 100*power, 100*fewer)
		require.GreaterOrEqual(t, power, 0.793, "0.7 % is the simulation's standard error")
		require.Less(t, fewer, stats.RepeatsPower)
	}
}

// Larger samples use an approximation: it continues the table, and shows the effect.
func TestRecommendedRepeatsOfLargeDeviations(t *testing.T) {
	n := stats.RepeatsFor(0.05, 0.07)
	require.Greater(t, n, 30)
	power := shown(n, 0.05, 0.07, 3000)
	t.Logf("deviation 7 %%: %d repeats show it in %.1f %%", n, 100*power)
	require.GreaterOrEqual(t, power, 0.79, "0.7 % is the simulation's standard error")
	last := 0
	for deviation := 0.0; deviation < 0.2; deviation += 0.0005 {
		n := stats.RepeatsFor(0.05, deviation)
		require.GreaterOrEqual(t, n, last)
		require.LessOrEqual(t, n, last+4+last/8, "without jumps")
		last = n
	}
	require.Equal(t, stats.LeastRepeats, stats.RepeatsFor(0.05, 0))
}

// The deviation is that within samples, whose means may differ; its interval covers the truth in about 80 %.
func TestPooledDeviation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range 2000 {
		var samples [][]float64
		for suite := range 3 {
			samples = append(samples, normal(random, 4, float64(100*suite), 3))
		}
		d, ok := stats.PooledDeviation(samples)
		require.True(t, ok)
		require.Equal(t, 12, d.N)
		if d.Low <= 3 && 3 <= d.High {
			covered++
		}
	}
	t.Logf("covered in %d of 2000", covered)
	require.InDelta(t, 1600, covered, 60)

	d, ok := stats.PooledDeviation([][]float64{{1, 3}, {7}, nil})
	require.True(t, ok)
	require.InDelta(t, math.Sqrt2, d.Value, 1e-12)
	require.Equal(t, 2, d.N)
	_, ok = stats.PooledDeviation([][]float64{{7}, {8}})
	require.False(t, ok)
}
