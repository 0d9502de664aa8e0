package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/workload"
)

func TestAnOutlineEstimatesTimeByWhatIsKnown(t *testing.T) {
	reads := workload.Config{RecordCount: 1000, OperationCount: 5000, Proportions: workload.Proportions{Read: 19, Update: 1}}
	open := pacing.Config{Arrival: pacing.Poisson, Rate: pacing.Rate{{From: 100, To: 100}}}
	ramp := pacing.Config{Arrival: pacing.FixedRate, Rate: pacing.Rate{{From: 0, To: 100, Seconds: 100}, {From: 100, To: 100}}}
	published := []map[string]any{{"throughput_ops": int64(400)}, {"throughput_ops": 600.0}, {"throughput_ops": nil}}
	for name, test := range map[string]struct {
		c       Case
		seconds float64
		basis   string
		rate    float64
	}{
		"by its duration":                      {Case{Settings: Settings{Run: true, Warmup: time.Minute, Duration: time.Hour}}, 3660, ByDuration, 0},
		"by operations, at an unknown rate":    {Case{Settings: Settings{Run: true, Workload: reads}}, 0, ByNothing, 0},
		"by operations at a published rate":    {Case{Settings: Settings{Run: true, Workload: reads}, Published: published}, 10, ByPublished, 500},
		"by operations at the rate offered":    {Case{Settings: Settings{Run: true, Workload: reads, Pacing: open}, Published: published}, 50, ByRate, 100},
		"by operations at a rate that rises":   {Case{Settings: Settings{Run: true, Workload: reads, Pacing: ramp}}, 100, ByRate, 50},
		"by what ends first":                   {Case{Settings: Settings{Run: true, Workload: reads, Pacing: open, Duration: 20 * time.Second}}, 20, ByDuration, 0},
		"a load at an unknown rate":            {Case{Settings: Settings{Load: true, Workload: reads}}, 0, ByNothing, 0},
		"a load and what follows is not known": {Case{Settings: Settings{Load: true, Run: true, Duration: time.Hour, Workload: reads}}, 0, ByNothing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := Outlined(Suite{Cases: []Case{test.c}}, 1).Cases[0]
			require.InDelta(t, test.seconds, o.Seconds, 0.01)
			require.Equal(t, test.basis, o.Basis)
			require.InDelta(t, test.rate, o.AssumedRate, 0.001)
		})
	}
}

func TestAnOutlineCountsRunsRowsAndOperations(t *testing.T) {
	o := Outlined(Suite{Name: "s", Cases: []Case{
		{Name: "fill", Fills: true, Settings: Settings{Load: true, Threads: 4, Workload: workload.Config{RecordCount: 1000}}},
		{Name: "inserts", Repeats: 3, Agents: 2, Settings: Settings{Run: true, Threads: 8, Duration: time.Second, Workload: workload.Config{
			RecordCount: 1000, OperationCount: 200, Proportions: workload.Proportions{Read: 1, Insert: 1},
		}}},
	}}, 5)
	require.Equal(t, 4, o.Runs)
	require.Equal(t, int64(1000+3*100), o.Rows)
	require.Equal(t, int64(600), o.Operations)
	require.Equal(t, 1, o.Unknown)
	require.InDelta(t, 3, o.Seconds, 1e-9)
	require.Equal(t, 20, o.Cases[0].ThreadsTotal)
	require.Equal(t, 16, o.Cases[1].ThreadsTotal)
	require.Equal(t, map[string]float64{"READ": 0.5, "INSERT": 0.5}, o.Cases[1].Mix)
}
