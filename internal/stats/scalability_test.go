package stats_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/stats"
)

func TestAFitFindsTheParametersOfACurve(t *testing.T) {
	tests := []struct {
		curve stats.Scalability
		peak  float64 // 0: none among the levels
	}{
		{stats.Scalability{Lambda: 995, Sigma: 0.02, Kappa: 0.0005}, math.Sqrt(0.98 / 0.0005)},
		{stats.Scalability{Lambda: 100, Sigma: 0.1, Kappa: 0.01}, math.Sqrt(0.9 / 0.01)},
		{stats.Scalability{Lambda: 100, Sigma: 0.3}, 0},    // Amdahl: it only approaches its highest throughput
		{stats.Scalability{Lambda: 50, Kappa: 0.00001}, 0}, // beyond the levels
		{stats.Scalability{Lambda: 50}, 0},                 // linear
		{stats.Scalability{Lambda: 10, Sigma: 1}, 0},       // constant
	}
	for _, test := range tests {
		var levels []stats.Level
		for _, n := range []float64{1, 2, 4, 8, 16, 32, 64} {
			levels = append(levels, stats.Level{N: n, Throughput: []float64{test.curve.At(n)}})
		}
		fit, ok := stats.FitScalability(levels)
		require.True(t, ok)
		require.InEpsilon(t, test.curve.Lambda, fit.Lambda, 1e-6)
		require.InDelta(t, test.curve.Sigma, fit.Sigma, 1e-6)
		require.InDelta(t, test.curve.Kappa, fit.Kappa, 1e-6)
		require.True(t, fit.Fits, fit.Because)
		require.InDelta(t, 0, fit.Residual, 1e-6)
		if test.peak == 0 {
			require.Nil(t, fit.Peak)
			continue
		}
		require.InEpsilon(t, test.peak, *fit.Peak, 1e-5)
		require.InEpsilon(t, test.curve.At(test.peak), *fit.Highest, 1e-5)
	}
}

// Noise can make the best coefficients negative, which would be superlinear scaling.
func TestAFitHasNoNegativeCoefficients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var levels []stats.Level
		for _, n := range []float64{1, 2, 3, 5, 8, 13} {
			levels = append(levels, stats.Level{N: n, Throughput: []float64{100 * n * math.Exp(0.05*r.NormFloat64())}})
		}
		fit, ok := stats.FitScalability(levels)
		require.True(t, ok)
		require.GreaterOrEqual(t, fit.Sigma, 0.0)
		require.GreaterOrEqual(t, fit.Kappa, 0.0)
		require.InEpsilon(t, 100, fit.Lambda, 0.2)
	}
}

func TestACurveThatDoesNotFit(t *testing.T) {
	levels := []stats.Level{{1, []float64{100}}, {2, []float64{200}}, {4, []float64{120}}, {8, []float64{800}}, {16, []float64{300}}}
	fit, ok := stats.FitScalability(levels)
	require.True(t, ok)
	require.False(t, fit.Fits)
	require.Nil(t, fit.Peak, "a curve that does not fit names no peak")
	require.Contains(t, fit.Because, "relative residual")

	_, ok = stats.FitScalability(levels[:4])
	require.False(t, ok, "too few levels")
	_, ok = stats.FitScalability(append(levels[:4:4], stats.Level{N: 4, Throughput: []float64{1}}))
	require.False(t, ok, "two levels of one concurrency are one")
}

func TestPlateaus(t *testing.T) {
	curve := func(throughput ...float64) []stats.Level {
		var levels []stats.Level
		for i, x := range throughput {
			levels = append(levels, stats.Level{N: math.Pow(2, float64(i)), Throughput: []float64{x}})
		}
		return levels
	}
	p, ok := stats.FindPlateau(curve(10, 20, 40, 60, 61, 62))
	require.True(t, ok)
	require.Equal(t, []float64{8, 32, 60, 62}, []float64{p.From, p.To, p.Low, p.High})
	require.False(t, p.Falls)
	require.Nil(t, p.Noise)

	p, ok = stats.FindPlateau(curve(10, 20, 40, 60, 50, 30))
	require.True(t, ok)
	require.Equal(t, []float64{8, 8}, []float64{p.From, p.To})
	require.True(t, p.Falls)

	_, ok = stats.FindPlateau(curve(10, 20, 40, 60, 80))
	require.False(t, ok, "it still rises")
	_, ok = stats.FindPlateau(curve(60, 60, 60, 60))
	require.False(t, ok, "too few levels")

	noisy := curve(10, 20, 40, 60, 66)
	for i := range noisy {
		x := noisy[i].Throughput[0]
		noisy[i].Throughput = []float64{0.9 * x, 1.1 * x}
	}
	p, ok = stats.FindPlateau(noisy)
	require.True(t, ok, "a rise within the noise is none")
	require.InDelta(t, 8, p.From, 0)
	require.InDelta(t, 0.2, *p.Noise, 1e-9)
}

// The report named 31 to 32 threads as best, by hand. Its steps have one to three runs, which are up to 5.5 k apart.
func TestThePublishedThreadSweepHasAPlateau(t *testing.T) {
	levels := publishedSweep(t)
	require.Len(t, levels, 10)
	p, ok := stats.FindPlateau(levels)
	require.True(t, ok)
	t.Logf("%+v", p)
	require.InDelta(t, 28, p.From, 0)
	require.InDelta(t, 40, p.To, 0)
	require.False(t, p.Falls)

	fit, ok := stats.FitScalability(levels)
	require.True(t, ok)
	t.Logf("%+v", fit)
	require.True(t, fit.Fits, fit.Because)
	if fit.Peak != nil {
		t.Log(*fit.Peak)
		require.Greater(t, *fit.Peak, 33.0, "the curve does not name 31 or 32 as best")
	}
}

// publishedSweep reads the runs of the published sweep of threads from the suite that repeats it.
func publishedSweep(t *testing.T) []stats.Level {
	t.Helper()
	text, err := os.ReadFile("../../configs/suites/r1-tdh.yaml")
	require.NoError(t, err)
	var suite struct {
		Scenarios []struct {
			Name      string
			Published []struct {
				Threads    float64
				Throughput float64 `yaml:"throughput_ops"`
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &suite))
	var levels []stats.Level
	for _, s := range suite.Scenarios {
		if s.Name == "r1-12 read only, 10 million, thread sweep" {
			for _, p := range s.Published {
				if i := len(levels) - 1; i >= 0 && levels[i].N == p.Threads {
					levels[i].Throughput = append(levels[i].Throughput, p.Throughput)
				} else {
					levels = append(levels, stats.Level{N: p.Threads, Throughput: []float64{p.Throughput}})
				}
			}
		}
	}
	return levels
}
