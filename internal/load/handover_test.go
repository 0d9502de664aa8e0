package load_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
)

// The second attempt at a shard starts a minute after its phase began: it keeps its rate from then on, and operations
// intended before are neither backlog nor latency.
func TestAPacedLoadThatIsHandedOverGoesOnNow(t *testing.T) {
	const rate = 500
	for name, pace := range map[string]pacing.Config{
		"fixed":    {Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: rate, To: rate}}},
		"poisson":  {Arrival: pacing.Poisson, Rate: pacing.Rate{{From: rate, To: rate}}},
		"ramp":     {Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 0, To: 2 * rate, Seconds: 120.5}}},
		"catch up": {Arrival: pacing.ClosedLoop, CatchUp: rate},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := loading(loaders(2000, 1), 8)
				s.Pacing = pace
				r := newRig(t, s, nullTarget(t, "1ms"), func(c *load.Config) {
					c.Shard.Attempt, c.Shard.Loaded = 2, []int64{125, 250, 500, 750, 1000, 1250, 1500, 1750}
				})
				const late = time.Minute + 250*time.Millisecond
				r.in(t, -late, plan.Load)
				r.finish(t)

				all, ops, _ := merged(t, r.windows)
				require.EqualValues(t, 1875, ops)
				series := all.Series()
				require.Len(t, series, 1)
				require.Less(t, series[0].Response.Max(), int64(150*time.Millisecond), "not the age of the phase")
				first, last := r.windows[0], r.windows[len(r.windows)-1]
				require.Equal(t, late, first.Start, "its part begins with it")
				require.InEpsilon(t, float64(ops)/rate, (last.End - first.Start).Seconds(), 0.1, "at its rate")
				for _, w := range r.windows {
					require.LessOrEqual(t, w.Health.Backlog, uint64(60))
				}
			})
		})
	}
}
