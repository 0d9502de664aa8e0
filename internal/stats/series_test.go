//go:build !race

package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

// correlated fills a series around 100 in which each value is rho times the one before plus independent noise.
//
//go:norace
func correlated(random *rand.Rand, out []float64, rho float64, noise func(*rand.Rand) float64) {
	before := noise(random) / math.Sqrt(1-rho*rho)
	for range 50 { // noise that is not normal needs some steps to its own distribution
		before = rho*before + noise(random)
	}
	for i := range out {
		before = rho*before + noise(random)
		out[i] = 100 + before
	}
}

func gaussian(r *rand.Rand) float64 { return r.NormFloat64() }

type coverage struct{ covered, short, trials int }

func cover(n, trials int, rho float64, noise func(*rand.Rand) float64) coverage {
	c := coverage{trials: trials}
	random := rand.New(rand.NewPCG(uint64(n), uint64(1000+100*rho)))
	values := make([]float64, n)
	for range trials {
		correlated(random, values, rho, noise)
		switch m, err := stats.MeanOfSeries(values, 0.95); {
		case err != nil:
			c.short++
		case m.Low <= 100 && 100 <= m.High:
			c.covered++
		}
	}
	return c
}

// In a series with autocorrelation up to 0.8 the interval covers the true mean in 93 to 97 % of the trials.
func TestTheIntervalOfASeriesCoversItsMean(t *testing.T) {
	for _, rho := range []float64{-0.3, 0, 0.3, 0.5, 0.8} {
		for _, n := range []int{300, 600, 1800, 7200} {
			c := cover(n, simulations, rho, gaussian)
			t.Logf("ρ %4.1f, %4d windows: covered in %d of %d, too short in %d", rho, n, c.covered, c.trials, c.short)
			require.GreaterOrEqual(t, c.covered, simulations*93/100)
			require.LessOrEqual(t, c.covered, simulations*97/100)
			require.LessOrEqual(t, c.short, simulations*2/100)
		}
	}
}

// Also with noise that is skewed or has outliers.
func TestTheIntervalOfASeriesAssumesNoNormalNoise(t *testing.T) {
	for name, noise := range map[string]func(*rand.Rand) float64{
		"skewed":        func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() },
		"rare dips":     func(r *rand.Rand) float64 { return r.NormFloat64() + 0.5 - 10*float64(r.IntN(20)/19) },
		"two levels":    func(r *rand.Rand) float64 { return float64(2*r.IntN(2) - 1) },
		"heavy tails":   func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2) },
		"uniform steps": func(r *rand.Rand) float64 { return float64(r.IntN(11) - 5) },
	} {
		for _, rho := range []float64{0, 0.5, 0.8} {
			c := cover(600, simulations, rho, noise)
			t.Logf("%s, ρ %.1f: covered in %d of %d, too short in %d", name, rho, c.covered, c.trials, c.short)
			require.GreaterOrEqual(t, c.covered, simulations*93/100, name)
			require.LessOrEqual(t, c.covered, simulations*97/100, name)
		}
	}
}

// Also of a series that no autoregression of a low order describes: an average of windows, two changes of different speed
// on top of each other, a cycle.
func TestTheIntervalOfASeriesOfAnotherShapeCovers(t *testing.T) {
	for name, fill := range map[string]func(*rand.Rand, []float64){
		"moving average": func(r *rand.Rand, out []float64) {
			noise := series(len(out)+5, func(int) float64 { return r.NormFloat64() })
			for i := range out {
				out[i] = 100
				for _, v := range noise[i : i+5] {
					out[i] += v
				}
			}
		},
		"slow beneath fast": func(r *rand.Rand, out []float64) {
			correlated(r, out, 0.8, gaussian)
			for i := range out {
				out[i] += 2 * r.NormFloat64()
			}
		},
		"cycle": func(r *rand.Rand, out []float64) {
			phase := 2 * math.Pi * r.Float64()
			correlated(r, out, 0.3, gaussian)
			for i := range out {
				out[i] += math.Sin(phase + float64(i)/5)
			}
		},
	} {
		random := rand.New(rand.NewPCG(1, 1))
		values := series(1800, func(int) float64 { return 0 })
		covered := 0
		for range simulations {
			fill(random, values)
			m, err := stats.MeanOfSeries(values, 0.95)
			require.NoError(t, err, name)
			if m.Low <= 100 && 100 <= m.High {
				covered++
			}
		}
		t.Logf("%s: covered in %d of %d", name, covered, simulations)
		require.GreaterOrEqual(t, covered, simulations*93/100, name)
	}
}

// A series whose windows depend on each other too much is called too short; a wrong interval remains rare.
func TestASeriesThatIsTooShortHasNoInterval(t *testing.T) {
	for _, tc := range []struct {
		rho   float64
		n     int
		short int // at least
	}{
		{0.95, 300, 850},
		{0.99, 300, 950},
		{0.99, 600, 900},
		{0.8, 100, 700},
		{0.8, 200, 0},
		{0.5, 100, 0},
		{0.3, 100, 0},
		{0, 100, 0},
		{-0.3, 100, 0},
		{0.95, 600, 0},
		{0.95, 1800, 0},
	} {
		c := cover(tc.n, simulations, tc.rho, gaussian)
		wrong := c.trials - c.covered - c.short
		t.Logf("ρ %.2f, %4d windows: too short in %d of %d, covered in %d, wrong in %d", tc.rho, tc.n, c.short, c.trials, c.covered, wrong)
		require.GreaterOrEqual(t, c.short, tc.short)
		require.LessOrEqual(t, wrong, simulations*7/100)
	}
	_, err := stats.MeanOfSeries(make([]float64, stats.LeastWindows-1), 0.95)
	require.EqualError(t, err, "series too short: 99 windows, 100 needed")
	climbing := series(300, func(i int) float64 { return float64(i) })
	_, err = stats.MeanOfSeries(climbing, 0.95)
	var short *stats.TooShortError
	require.ErrorAs(t, err, &short)
	require.Less(t, short.Effective, float64(stats.LeastEffective))
}

func TestASeriesOfEqualValuesHasAnIntervalWithoutLength(t *testing.T) {
	m, err := stats.MeanOfSeries(series(100, func(int) float64 { return 0.1 }), 0.95)
	require.NoError(t, err)
	require.InDelta(t, 0.1, m.Low, 1e-12)
	require.InDelta(t, 0.1, m.High, 1e-12)
	require.InDelta(t, 100, m.Effective, 0)
}

func BenchmarkMeanOfSeries(b *testing.B) {
	values := make([]float64, 7200)
	correlated(rand.New(rand.NewPCG(1, 2)), values, 0.8, gaussian)
	for b.Loop() {
		if _, err := stats.MeanOfSeries(values, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
