//go:build !race

package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// noises are kinds of noise with a standard deviation of about 1.
func noises() map[string]func(*rand.Rand) float64 {
	return map[string]func(*rand.Rand) float64{
		"normal": (*rand.Rand).NormFloat64,
		"Student's t, 3 degrees of freedom": func(r *rand.Rand) float64 {
			var squares float64
			for range 3 {
				squares += math.Pow(r.NormFloat64(), 2)
			}
			return r.NormFloat64() / math.Sqrt(squares)
		},
		"an outlier in 20": func(r *rand.Rand) float64 {
			if r.Float64() < 0.05 {
				return -5 + r.NormFloat64()
			}
			return r.NormFloat64()
		},
	}
}

// A step of 7 % with a standard deviation of 3 %, in an archive of 60 nights, is found within 5 nights in at least 90 % of 200
// trials, up or down, and the factor is near.
func TestAStepIsFoundWithinFiveNights(t *testing.T) {
	const trials, nights, step = 200, 60, 40
	for name, noise := range noises() {
		for _, factor := range []float64{0.93, 1.07} {
			found, covered, ratios := 0, 0, 0.0
			random := rand.New(rand.NewPCG(11, uint64(100*factor)))
			for range trials {
				values := make([]float64, nights)
				for i := range values {
					values[i] = 100 + 3*noise(random)
					if i >= step {
						values[i] *= factor
					}
				}
				for _, c := range stats.Changes(values, 200) {
					if c.Found < step || c.Found >= step+5 {
						continue
					}
					found++
					ratios += c.Ratio
					if c.Low <= factor && factor <= c.High {
						covered++
					}
					require.LessOrEqual(t, c.Earliest, c.At)
					require.GreaterOrEqual(t, c.Latest, c.At)
					require.Greater(t, c.Statistic, c.Threshold)
					break
				}
			}
			t.Logf("%s, factor %v: found within 5 nights in %d of %d, its interval covers in %d, mean ratio %.3f", name, factor, found, trials, covered, ratios/float64(found))
			require.InDelta(t, factor, ratios/float64(found), 0.02, name)
			if name != "an outlier in 20" { // its standard deviation is above 3 %
				require.GreaterOrEqual(t, found, trials*90/100, name)
			}
		}
	}
}

// A quiet series has at most one false alarm in as many nights as the test promises, with any kind of noise.
func TestChangesInAQuietSeries(t *testing.T) {
	for name, noise := range noises() {
		for _, quiet := range []float64{200, 1000} {
			random := rand.New(rand.NewPCG(12, uint64(quiet)))
			const archives = 300
			alarms := 0
			for range archives {
				values := make([]float64, 200)
				for i := range values {
					values[i] = 100 + 3*noise(random)
				}
				alarms += len(stats.Changes(values, quiet))
			}
			rate := float64(alarms) / archives
			t.Logf("%s: %.3f false alarms in 200 nights, %.3f promised", name, rate, 200/quiet)
			require.Positive(t, alarms, "a test that finds nothing proves nothing")
			require.LessOrEqual(t, rate, 200/quiet, name)
		}
	}
}

// One bad night alone is not named, however bad.
func TestAnOutlierIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	const trials = 1000
	alarms, quiet := 0, 0
	for range trials {
		values := normal(random, 60, 100, 3)
		quiet += len(stats.Changes(values, 200))
		values[25], values[40], values[52] = 250, 10, 300
		alarms += len(stats.Changes(values, 200))
	}
	t.Logf("%d alarms in %d archives with three outliers, %d without", alarms, trials, quiet)
	require.LessOrEqual(t, alarms, quiet+trials/10)
}

// A slow drift, of less than a standard deviation in 60 nights, makes hardly more alarms than none. A faster one is a change of
// the level like others.
func TestASlowDriftMakesFewAlarms(t *testing.T) {
	const trials = 500
	random := rand.New(rand.NewPCG(14, 1))
	alarmed := make(map[float64]int)
	for _, drift := range []float64{0, 2, 5} {
		for range trials {
			values := normal(random, 60, 100, 3)
			for i := range values {
				values[i] *= 1 + drift/100*float64(i)/60
			}
			if len(stats.Changes(values, 200)) > 0 {
				alarmed[drift]++
			}
		}
		t.Logf("a drift of %v %% over 60 nights: a change in %d of %d archives", drift, alarmed[drift], trials)
	}
	require.Less(t, alarmed[2], alarmed[0]+trials/8)
}

// Several steps are found one after another, and a series that begins again is a part of the whole.
func TestChangesAreFoundInTurn(t *testing.T) {
	var values []float64
	for i := range 90 {
		level := []float64{100, 120, 90}[i/30]
		values = append(values, level+float64(i*7%5)-2)
	}
	changes := stats.Changes(values, 200)
	require.Len(t, changes, 2)
	require.Equal(t, []int{30, 60}, []int{changes[0].At, changes[1].At})
	require.InDelta(t, 1.2, changes[0].Ratio, 0.01)
	require.InDelta(t, 0.75, changes[1].Ratio, 0.01)
	for i := range values {
		var seen []int
		for _, c := range stats.Changes(values[:i+1], 200) {
			seen = append(seen, c.At)
		}
		var want []int
		for _, c := range changes {
			if c.Found <= i {
				want = append(want, c.At)
			}
		}
		require.Equal(t, want, seen, "after %d values", i+1)
	}
}

func TestASeriesWithoutVariationHasNoChange(t *testing.T) {
	require.Empty(t, stats.Changes(nil, 200))
	same := make([]float64, 100)
	require.Empty(t, stats.Changes(same, 200))
	for i := range same {
		same[i] = 7
	}
	require.Empty(t, stats.Changes(same, 200))
	for i := range 40 {
		same[60+i] = 8
	}
	changes := stats.Changes(same, 200)
	require.Len(t, changes, 1)
	require.Equal(t, 60, changes[0].At)
	require.InDelta(t, 8.0/7, changes[0].Ratio, 1e-9)
}

func ExampleChanges() {
	values := []float64{100, 103, 98, 101, 99, 102, 97, 100, 101, 99, 103, 98, 100, 102, 99, 101, 93, 91, 94, 92, 93}
	for _, c := range stats.Changes(values, 200) {
		fmt.Printf("value %d, found with value %d, factor %.2f (%.2f to %.2f)\n", c.At, c.Found, c.Ratio, c.Low, c.High)
	}
	// Output: value 16, found with value 18, factor 0.92 (0.91 to 0.94)
}
