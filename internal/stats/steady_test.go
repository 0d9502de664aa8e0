package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

func series(n int, at func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

func TestASeriesIsSteadyWhenItHasStoppedChanging(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := func(level, share float64) float64 { return level * (1 + share*rng.NormFloat64()) }
	tests := []struct {
		name   string
		series []float64
		want   bool
	}{
		{"level with noise", series(60, func(int) float64 { return noise(1000, 0.02) }), true},
		{"all equal", series(60, func(int) float64 { return 1000 }), true},
		{"nothing at all", series(60, func(int) float64 { return 0 }), true},
		{"warming up", series(60, func(i int) float64 { return noise(1000*(1-math.Exp(-float64(i)/40)), 0.01) }), false},
		{"warmed up long ago", series(400, func(i int) float64 { return noise(1000*(1-math.Exp(-float64(i)/20)), 0.01) }), true},
		{"slowly sinking", series(60, func(i int) float64 { return noise(1000-5*float64(i), 0.005) }), false},
		{"stepped just now", series(60, func(i int) float64 { return noise(1000+500*float64(i/52), 0.01) }), false},
		{"too short", series(19, func(int) float64 { return 1000 }), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, because := stats.Steady(test.series)
			require.Equal(t, test.want, got, because)
			require.NotEmpty(t, because)
		})
	}
}

func TestNoiseIsRarelyTakenForATrend(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	const tries = 2000
	for range tries {
		if ok, _ := stats.Steady(series(stats.SteadyOver, func(int) float64 { return 1000 + rng.NormFloat64() })); !ok {
			wrong++
		}
	}
	require.InDelta(t, 0.05, float64(wrong)/tries, 0.02, "the test keeps its level of 5 %%")
}
