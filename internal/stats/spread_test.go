package stats_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// The bounds are from tables of Student's t: 12.706, 4.303, 3.182 and 2.776 for 1 to 4 degrees of freedom.
func TestRepeatsHaveAMeanWithItsTInterval(t *testing.T) {
	tests := []struct {
		name                    string
		values                  []float64
		mean, deviation, factor float64
	}{
		{"two", []float64{1, 3}, 2, 1.41421, 12.706},
		{"three", []float64{5831, 6429, 6455}, 6238.3333, 353.0005, 4.3027},
		{"four", []float64{3881, 4265, 4516, 4192}, 4213.5, 261.5192, 3.1824},
		{"five, all equal", []float64{7, 7, 7, 7, 7}, 7, 0, 2.7764},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := stats.Repeats(tc.values)
			require.Equal(t, len(tc.values), s.N)
			require.InDelta(t, tc.mean, *s.Mean, 1e-3)
			require.InDelta(t, tc.deviation, *s.StdDev, 1e-3)
			half := tc.factor * tc.deviation / map[int]float64{2: 1.414214, 3: 1.732051, 4: 2, 5: 2.236068}[s.N]
			require.InDelta(t, tc.mean-half, *s.Low, 0.05)
			require.InDelta(t, tc.mean+half, *s.High, 0.05)
		})
	}
}

func TestOneRunHasNoSpread(t *testing.T) {
	s := stats.Repeats([]float64{42})
	require.InDelta(t, 42, *s.Mean, 0)
	require.Nil(t, s.StdDev)
	require.Nil(t, s.Low, "an interval around one value would be made up")
}

func TestPercentilesOfRunsAreNotAveraged(t *testing.T) {
	s := stats.Percentiles([]float64{100, 900, 110})
	require.Nil(t, s.Mean)
	require.Nil(t, s.Low)
	require.InDelta(t, 110, *s.Median, 0)
	require.InDelta(t, 100, s.Min, 0)
	require.InDelta(t, 900, s.Max, 0)
}
