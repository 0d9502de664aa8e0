//go:build !race

package stats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// The ranks and confidences are those of published tables of the binomial interval of a median.
func TestTheMedianHasAnIntervalOfOrderStatistics(t *testing.T) {
	for _, tc := range []struct {
		n          int
		low, high  float64
		confidence float64
	}{{6, 1, 6, 0.96875}, {8, 1, 8, 0.9921875}, {9, 2, 8, 0.9609375}, {10, 2, 9, 0.978515625}, {15, 4, 12, 0.96484375}, {20, 6, 15, 0.95861}} {
		values := series(tc.n, func(i int) float64 { return float64(tc.n - i) })
		m := stats.MedianOf(values, 0.95)
		require.NotNil(t, m)
		require.InDelta(t, tc.low, m.Low, 0)
		require.InDelta(t, tc.high, m.High, 0)
		require.InDelta(t, tc.confidence, m.Confidence, 1e-5)
		require.InDelta(t, float64(tc.n+1)/2, m.Median, 0)
	}
	for n := range stats.LeastForMedian {
		require.Nil(t, stats.MedianOf(make([]float64, n), 0.95), "%d values", n)
	}
}

// It covers the median of a distribution that is far from normal, where Student's t fails.
func TestTheIntervalOfAMedianAssumesNoDistribution(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 8, 12, 20} {
		covered := 0
		for range simulations {
			m := stats.MedianOf(series(n, func(int) float64 { return 1 / random.Float64() }), 0.95)
			if m.Low <= 2 && 2 <= m.High {
				covered++
			}
		}
		t.Logf("%d values: covered in %d of %d", n, covered, simulations)
		require.GreaterOrEqual(t, covered, simulations*94/100)
	}
}

func TestOddRepeatsAreFarFromTheMedian(t *testing.T) {
	for name, tc := range map[string]struct {
		values []float64
		want   []int
	}{
		"one is far":          {[]float64{100, 101, 99, 100, 60}, []int{4}},
		"all are near":        {[]float64{100, 101, 99, 100, 103}, nil},
		"within 5 %":          {[]float64{100, 100, 100, 100, 104}, nil},
		"beyond 5 %":          {[]float64{100, 100, 100, 100, 106}, []int{4}},
		"a wide spread":       {[]float64{100, 150, 60, 120, 200}, nil},
		"too few to know":     {[]float64{100, 100, 10}, nil},
		"two of many":         {[]float64{10, 100, 101, 99, 100, 100, 500}, []int{0, 6}},
		"negative and steady": {[]float64{-100, -100, -101, -99}, nil},
	} {
		require.Equal(t, tc.want, stats.Odd(tc.values), name)
	}
}
