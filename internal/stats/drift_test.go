//go:build !race

package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// A series without a drift is rarely said to have one, also where its windows depend on each other.
func TestAFlatSeriesHasNoDrift(t *testing.T) {
	for _, rho := range []float64{-0.3, 0, 0.5, 0.8} {
		for _, n := range []int{300, 600, 1800} {
			random := rand.New(rand.NewPCG(uint64(n), uint64(1000+100*rho)))
			values := make([]float64, n)
			wrong, short := 0, 0
			for range simulations {
				correlated(random, values, rho, gaussian)
				switch d, err := stats.DriftOfSeries(values, 0.95); {
				case err != nil:
					short++
				case d.Low > 0 || d.High < 0:
					wrong++
				}
			}
			t.Logf("ρ %4.1f, %4d windows: a drift in %d of %d, too short in %d", rho, n, wrong, simulations, short)
			require.LessOrEqual(t, wrong, simulations*65/1000)
			require.LessOrEqual(t, short, simulations*10/100)
		}
	}
}

// A drift by 10 % over the series, in noise of 3 %, is found, and its interval covers it.
func TestADriftIsFound(t *testing.T) {
	for _, tc := range []struct {
		rho float64
		n   int
	}{{0, 300}, {0.5, 300}, {0.8, 300}, {0.8, 1800}} {
		random := rand.New(rand.NewPCG(7, uint64(100*tc.rho)))
		values := make([]float64, tc.n)
		found, covered := 0, 0
		scale := 3 * math.Sqrt(1-tc.rho*tc.rho) // the series has a deviation of 3
		for range simulations {
			correlated(random, values, tc.rho, func(r *rand.Rand) float64 { return scale * r.NormFloat64() })
			for i := range values {
				values[i] -= 10 * float64(i) / float64(tc.n-1)
			}
			d, err := stats.DriftOfSeries(values, 0.95)
			if err != nil {
				continue
			}
			if d.High < 0 {
				found++
			}
			if d.Low <= -10 && -10 <= d.High {
				covered++
			}
		}
		t.Logf("ρ %.1f, %d windows: found in %d of %d, covered in %d", tc.rho, tc.n, found, simulations, covered)
		require.GreaterOrEqual(t, found, simulations*90/100)
		require.GreaterOrEqual(t, covered, simulations*90/100)
	}
}

func TestTheDriftOfALineIsItsRise(t *testing.T) {
	d, err := stats.DriftOfSeries(series(101, func(i int) float64 { return 1000 + 2*float64(i) }), 0.95)
	require.NoError(t, err)
	require.InDelta(t, 200, d.Change, 1e-6)
	require.InDelta(t, 1000, d.Start, 1e-6)
	require.InDelta(t, 200, d.Low, 1e-6)
	require.InDelta(t, 200, d.High, 1e-6)
	_, err = stats.DriftOfSeries(make([]float64, stats.LeastWindows-1), 0.95)
	require.EqualError(t, err, "series too short: 99 windows, 100 needed")
}
