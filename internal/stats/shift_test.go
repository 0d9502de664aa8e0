//go:build !race

package stats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

const simulations = 1000

// named reports whether a shift is one that a comparison names: 5 % at least, and an interval that leaves out 1.
func named(a, b []float64) bool {
	s, ok := stats.RatioOf(a, b, 0.95)
	return ok && (s.Low > 1 && s.Ratio >= 1.05 || s.High < 1 && s.Ratio <= 0.95)
}

func normal(random *rand.Rand, n int, mean, deviation float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + deviation*random.NormFloat64()
	}
	return values
}

// A shift of 10 % is found in at least 90 % of the trials.
func TestAShiftIsFound(t *testing.T) {
	for _, tc := range []struct {
		repeats   int
		deviation float64
	}{{5, 3}, {8, 5}} {
		random := rand.New(rand.NewPCG(1, uint64(tc.repeats)))
		found := 0
		for range simulations {
			if named(normal(random, tc.repeats, 100, tc.deviation), normal(random, tc.repeats, 110, 1.1*tc.deviation)) {
				found++
			}
		}
		t.Logf("%d repeats, deviation %v %%: found in %d of %d", tc.repeats, tc.deviation, found, simulations)
		require.GreaterOrEqual(t, found, simulations*90/100)
	}
}

// Two samples of the same thing, taken in turns (ABBA) while it drifts by 10 %, are called different in at most 6.5 %.
func TestADriftIsNoShift(t *testing.T) {
	for _, repeats := range []int{4, 5, 6, 8, 12} {
		for _, deviation := range []float64{0.5, 1, 3, 5, 10} {
			random := rand.New(rand.NewPCG(uint64(repeats), uint64(deviation*10)))
			wrong, excluded := 0, 0
			for range simulations {
				var sides [2][]float64
				for i := range 2 * repeats {
					side := (i + 1) / 2 % 2 // in the order ABBA
					drift := 10 * float64(i) / float64(2*repeats-1)
					sides[side] = append(sides[side], 100+drift+deviation*random.NormFloat64())
				}
				if named(sides[0], sides[1]) {
					wrong++
				}
				if s, ok := stats.RatioOf(sides[0], sides[1], 0.95); ok && (s.Low > 1 || s.High < 1) {
					excluded++
				}
			}
			t.Logf("%d repeats, deviation %v %%: named %d, interval without 1 in %d of %d", repeats, deviation, wrong, excluded, simulations)
			require.LessOrEqual(t, wrong, simulations*65/1000)
		}
	}
}

// The interval covers the true factor in at least 95 %, whatever the distribution.
func TestTheIntervalOfAShiftCovers(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) float64{
		"normal":      func(r *rand.Rand) float64 { return 100 + 5*r.NormFloat64() },
		"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"two modes":   func(r *rand.Rand) float64 { return 100 + 50*float64(r.IntN(2)) + r.Float64() },
	} {
		for _, repeats := range []int{4, 5, 8, 20} {
			random := rand.New(rand.NewPCG(3, uint64(repeats)))
			covered := 0
			for range simulations {
				a, b := make([]float64, repeats), make([]float64, repeats)
				for i := range a {
					a[i], b[i] = draw(random), 1.3*draw(random)
				}
				s, ok := stats.RatioOf(a, b, 0.95)
				require.True(t, ok)
				require.LessOrEqual(t, s.Low, s.Ratio)
				require.GreaterOrEqual(t, s.High, s.Ratio)
				if s.Low <= 1.3 && 1.3 <= s.High {
					covered++
				}
			}
			t.Logf("%s, %d repeats: covered in %d of %d", name, repeats, covered, simulations)
			require.GreaterOrEqual(t, covered, simulations*935/1000, name)
		}
	}
}

func TestAShiftNeedsFourValuesOfEachSide(t *testing.T) {
	_, ok := stats.RatioOf([]float64{1, 2, 3}, []float64{5, 6, 7, 8, 9, 10}, 0.95)
	require.False(t, ok)
	_, ok = stats.RatioOf([]float64{1, 2, 3, 0}, []float64{5, 6, 7, 8}, 0.95)
	require.False(t, ok, "a ratio to nothing")
	s, ok := stats.RatioOf([]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 0.95)
	require.True(t, ok)
	require.InDelta(t, 2.0/70, s.P, 1e-12, "two of the 70 orders are as extreme")
	require.InDelta(t, 5.0/4, s.Low, 0)
	require.InDelta(t, 8.0, s.High, 0)
}

// Equal values are no difference.
func TestSamplesThatAreEqualDoNotDiffer(t *testing.T) {
	s, ok := stats.RatioOf([]float64{7, 7, 7, 7}, []float64{7, 7, 7, 7}, 0.95)
	require.True(t, ok)
	require.Equal(t, stats.Shift{Ratio: 1, Low: 1, High: 1, P: 1}, s)
}
