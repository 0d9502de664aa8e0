package randdur_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/randdur"
)

func TestDrawnDurationsHaveTheirMean(t *testing.T) {
	for _, text := range []string{"5ms", "constant 5ms", "exponential 5ms", "uniform 1ms 9ms", "lognormal 5ms 0.5", "0s"} {
		t.Run(text, func(t *testing.T) {
			d, err := randdur.Parse(text)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			const n = 200_000
			var sum time.Duration
			for range n {
				sum += d.Draw(rng)
			}
			require.InDelta(t, float64(d.Mean()), float64(sum)/n, 0.01*float64(d.Mean()))
		})
	}
}

func TestNoDrawnDurationExceedsAnHour(t *testing.T) {
	d, err := randdur.Parse("lognormal 1h 5")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		require.LessOrEqual(t, d.Draw(rng), randdur.Longest)
	}
	require.Equal(t, randdur.Longest, d.Mean())
}

func TestAnInvalidDurationIsReportedWithItsCure(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "missing duration",
		"5":                 `invalid duration "5"`,
		"gauss 5ms":         `invalid duration "gauss 5ms": want 5ms, exponential`,
		"uniform 1ms":       "uniform takes two values",
		"exponential 1ms 2": "exponential takes one value",
		"uniform 9ms 1ms":   "write the minimum first",
		"lognormal 5ms NaN": "sigma NaN is out of range: want a number from 0 to 5",
		"lognormal 5ms 6":   "sigma 6 is out of range",
		"-1ms":              "out of range",
		"2h":                "out of range: want 0 to 1h0m0s",
	} {
		_, err := randdur.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"5ms", "exponential 5ms", "uniform 1ms 9ms", "lognormal 5ms 0.5", "0", "lognormal 0s 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := randdur.Parse(text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := randdur.Parse(d.String())
		require.NoError(t, err)
		require.Equal(t, d, again)
	})
}
