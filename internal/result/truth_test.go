package result_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// shapes of service times, in nanoseconds.
var shapes = map[string]func(r *rand.Rand, i int) int64{
	"lognormal": func(r *rand.Rand, _ int) int64 { return int64(math.Exp(13 + 0.8*r.NormFloat64())) },
	"bimodal": func(r *rand.Rand, _ int) int64 {
		if r.Float64() < 0.97 {
			return 200_000 + r.Int64N(50_000)
		}
		return 20_000_000 + r.Int64N(5_000_000)
	},
	"stalling": func(r *rand.Rand, i int) int64 {
		if i%997 == 0 {
			return 1_000_000_000 - r.Int64N(1_000_000)
		}
		return 1_000_000 + r.Int64N(1000)
	},
}

// Law 1: percentiles of a result are those of all samples pooled, to 0.1 %, for any distribution of the samples over
// agents and windows; counts, means, minima and maxima are exact.
func TestTruthOfTheMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := shapes[rapid.SampledFrom(slices.Sorted(maps.Keys(shapes))).Draw(t, "shape")]
		agents := rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "agents")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := result.NewBuilder(config(agents))
		var pooled []int64
		sum := 0.0
		for shard := range agents {
			ws := of("measure", shard)
			for range rapid.IntRange(1, 3).Draw(t, "windows") {
				var h latency.Histogram
				for i := range rapid.IntRange(0, 2000).Draw(t, "samples") {
					v := draw(r, i)
					h.Record(v)
					pooled = append(pooled, v)
					sum += float64(v)
				}
				_, err := b.Add(ws.next(latency.Series{
					Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h,
				}))
				require.NoError(t, err)
			}
		}
		if len(pooled) == 0 {
			return
		}
		run, err := b.Document(result.Run{}, result.Notes{})
		require.NoError(t, err)
		slices.Sort(pooled)
		n := len(pooled)
		o := run.Phases[0].Operations[0]
		require.Equal(t, uint64(n), o.Count)
		require.InDelta(t, float64(pooled[0])/1000, o.Min, 0)
		require.InDelta(t, float64(pooled[n-1])/1000, o.Max, 0)
		require.InDelta(t, sum/float64(n)/1000, o.Mean, 0.002)
		for _, p := range []struct {
			q   float64
			got *float64
		}{{0.5, o.P50}, {0.9, o.P90}, {0.95, o.P95}, {0.99, o.P99}, {0.999, o.P999}} {
			if p.got == nil {
				require.Less(t, uint64(n), latency.MinSamples(p.q))
				continue
			}
			want := float64(pooled[int(math.Ceil(p.q*float64(n)))-1]) / 1000
			require.InEpsilon(t, want, *p.got, 0.001, "p%g of %d samples", 100*p.q, n)
		}
	})
}
