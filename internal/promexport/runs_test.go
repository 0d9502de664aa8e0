package promexport

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

// pass lets time pass within a bubble.
func pass(d time.Duration) { <-time.After(d) }

// counter is a run that has counted to n.
type counter struct {
	desc *prometheus.Desc
	run  string
	n    uint64
}

func (c *counter) Metrics() []prometheus.Metric {
	return []prometheus.Metric{Count(c.desc, c.n, c.run)}
}

func TestEndedRunsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desc := prometheus.NewDesc("x_total", "Help.", []string{"run"}, nil)
		runs := NewRuns[*counter](time.Minute, 3, desc)
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(runs)
		shown := func(want ...string) {
			t.Helper()
			var text strings.Builder
			if len(want) > 0 {
				text.WriteString("# HELP x_total Help.\n# TYPE x_total counter\n")
			}
			for _, series := range want {
				text.WriteString("x_total" + series + "\n")
			}
			require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(text.String())))
		}
		begin := func(run string, n uint64) *counter { return runs.Begin(run, &counter{desc, run, n}) }

		shown()
		a := begin("a", 1)
		begin("b", 2)
		pass(time.Hour)
		shown(`{run="a"} 1`, `{run="b"} 2`)
		runs.End("a")
		runs.End("never begun")
		pass(59 * time.Second)
		shown(`{run="a"} 1`, `{run="b"} 2`)

		require.Same(t, a, begin("a", 0), "a run that is taken up again goes on counting")
		a.n = 5
		pass(time.Hour)
		shown(`{run="a"} 5`, `{run="b"} 2`)
		runs.End("a")
		pass(time.Minute)
		shown(`{run="b"} 2`)

		for i := range 5 {
			run := fmt.Sprintf("c%d", i)
			begin(run, 1)
			pass(time.Second)
			runs.End(run)
		}
		shown(`{run="b"} 2`, `{run="c2"} 1`, `{run="c3"} 1`, `{run="c4"} 1`)
	})
}

// operations is a run with its measurements.
type operations struct {
	names  Operations
	series []latency.Series
}

func (o *operations) Metrics() []prometheus.Metric {
	return o.names.Metrics("1.1", "measure", o.series)
}

func TestOperationNamesFollowPrometheusConventions(t *testing.T) {
	one := func(ns int64) *latency.Histogram {
		var h latency.Histogram
		h.Record(ns)
		return &h
	}
	both := one(1_000_000)
	o := &operations{names: NewOperations("benchd"), series: []latency.Series{
		{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: one(2_000_000), Service: one(1_000_000)},
		{Key: latency.Key{Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}, Response: both, Service: both},
		{Key: latency.Key{Op: "scans.SCAN", Outcome: "OK"}, Response: both, Service: both},
	}}
	runs := NewRuns[*operations](0, 0, o.names.Names()...)
	runs.Begin("1.1", o)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(runs)
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP benchd_operations_total Operations by outcome, without the parts of larger operations.
# TYPE benchd_operations_total counter
benchd_operations_total{group="",op="READ",outcome="OK",phase="measure",run="1.1"} 1
benchd_operations_total{group="scans",op="scans.SCAN",outcome="OK",phase="measure",run="1.1"} 1
`), "benchd_operations_total"))
	for name, sums := range map[string][2]float64{"benchd_response_time_seconds": {0.002, 0.001}, "benchd_service_time_seconds": {0.001, 0.001}} {
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == name {
				require.Len(t, f.GetMetric(), 3, "the group adds no series")
				got := [2]float64{f.GetMetric()[0].GetHistogram().GetSampleSum(), f.GetMetric()[1].GetHistogram().GetSampleSum()}
				require.Equal(t, sums, got, name)
			}
		}
	}
}
