package figure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// servers is the vocabulary of a target with columns of its own.
func servers() figure.Vocabulary {
	return figure.New([]descriptor.Column{
		{Name: "servers_before", Unit: "servers", Read: descriptor.First("servers")},
		{Name: "uptime_s", Read: descriptor.Fact("uptime")},
	})
}

func TestColumnsOfTargetsAreFiguresOfRuns(t *testing.T) {
	m := &figure.Measurement{
		Throughput: 5, Target: map[string]string{"uptime": "90"},
		Observed: func(name string) (first, last float64, reported bool) { return 3, 4, name == "servers" },
	}
	values := servers().Values(m)
	for name, want := range map[string]float64{"servers_before": 3, "uptime_s": 90, "uptime_ms": 90_000, "throughput_ops": 5} {
		got, ok := values.Get(name)
		require.True(t, ok, name)
		require.InDelta(t, want, got, 0, name)
	}
	require.Equal(t, "servers", servers().UnitOf("servers_before"))
	require.Equal(t, "ms", servers().UnitOf("uptime_ms"))
	require.Subset(t, servers().Names(), []string{"servers_before", "uptime_s", "uptime_us"})
	require.Empty(t, servers().Parse("servers_before").MissingRequirement(plan.Case{}), "the run itself shows it")
	require.False(t, servers().Parse("servers_before").OfAgent())
	require.NotContains(t, figure.New(nil).Values(m), "servers_before", "no other target has it")
	m.Target, m.Observed = nil, func(string) (first, last float64, reported bool) { return 0, 0, false }
	require.NotContains(t, servers().Values(m), "servers_before", "it was not reported")
	require.Nil(t, servers().Values(nil))
}

func TestParseFindsTheClassOfAColumn(t *testing.T) {
	for name, want := range map[string]figure.Column{
		"threads":                   {Class: figure.Identity},
		"throughput_ops":            {Class: figure.OfRun},
		"total_s":                   {Class: figure.OfRun},
		"runtime_ms":                {Class: figure.OfRun},
		"gc_total_count":            {Class: figure.OfRun},
		"servers_before":            {Class: figure.OfRun},
		"read_avg_ms":               {Class: figure.OfOperation, Op: workload.Read, Stat: "avg"},
		"rmw_count":                 {Class: figure.OfOperation, Op: workload.ReadModifyWrite, Stat: "count"},
		"multi_get_service_p999_us": {Class: figure.OfOperation, Op: workload.MultiGet, Stat: "p999", Service: true},

		"total": {}, "total_count": {}, "throughput_ops_ms": {}, "read_avg": {}, "read_count_ms": {}, "read_p98_us": {}, "raed_p99_us": {},
		"servers_after": {}, "verify_avg_us": {}, "cleanup_avg_us": {}, "_avg_us": {}, "avg_us": {}, "_us": {}, "": {}, "recordcount": {}, "started_normally": {},
	} {
		want.Name = name
		got := servers().Parse(name)
		require.Equal(t, want.Class == figure.OfRun, got.Figure != nil, name)
		got.Figure = nil
		require.Equal(t, want, got, name)
	}
}

func TestFiguresOfOthersAreRecognizedByTheirForm(t *testing.T) {
	for name, want := range map[string]bool{
		"read_avg_ms": true, "read_p98_us": true, "cleanup_max_us": true, "peak_ops": true, "gc_young_count": true,
		"recordcount": false, "started_normally": false, "ops_per_day": false, "read_px_us": false, "p98_us": false,
	} {
		require.Equal(t, want, figure.New(nil).Parse(name).LooksLikeFigure(), name)
	}
	require.True(t, figure.IsPercentile("read_p999_us"))
	require.False(t, figure.IsPercentile("read_avg_us"))
	require.False(t, figure.IsPercentile("read_p999"))
}

func TestMissingRequirementOfAColumn(t *testing.T) {
	reads := plan.Settings{Run: true, Workload: workload.Config{Proportions: workload.Proportions{Read: 1}}}
	busy := reads
	busy.Actions = []plan.Action{{Name: "flush"}}
	busy.Pacing.Arrival = pacing.Poisson
	load := plan.Settings{Load: true}
	checked := reads
	checked.Workload.DataIntegrity = true
	both := load
	both.Run, both.Workload = true, reads.Workload
	for _, test := range []struct {
		name string
		of   plan.Case
		want string
	}{
		{"read_avg_us", plan.Case{Settings: reads}, ""},
		{"scan_avg_us", plan.Case{Settings: reads}, "issues SCAN"},
		{"insert_count", plan.Case{Settings: load}, ""},
		{"read_count", plan.Case{Settings: load}, "issues READ"},
		{"insert_count", plan.Case{Settings: both}, "issues INSERT"},
		{"read_count", plan.Case{Settings: both}, ""},
		{"offered_ops", plan.Case{Settings: reads}, "is an open loop (arrival: fixed or poisson)"},
		{"offered_ops", plan.Case{Settings: busy}, ""},
		{"read_service_avg_us", plan.Case{Settings: reads}, "is an open loop (arrival: fixed or poisson)"},
		{"read_service_avg_us", plan.Case{Settings: busy}, ""},
		{"recovery_s", plan.Case{Settings: reads}, "has actions"},
		{"qps_worst", plan.Case{Settings: busy}, ""},
		{"qps_low", plan.Case{Settings: reads}, ""},
		{"verify_count", plan.Case{Settings: reads}, "verifies what it reads (dataintegrity: true)"},
		{"verify_failed_count", plan.Case{Settings: checked}, ""},
		{"mode", plan.Case{}, "has a target with a name"},
		{"product", plan.Case{Target: "A"}, ""},
		{"dataset", plan.Case{}, "has a dataset"},
		{"dataset", plan.Case{Dataset: "rows"}, ""},
		{"status", plan.Case{}, ""},
		{"recordcount", plan.Case{}, "has it"},
		{"recordcount", plan.Case{Properties: map[string]string{"recordcount": "1"}}, ""},
		{"maxexecutiontime", plan.Case{Axes: []plan.Setting{{Key: "maxexecutiontime", Value: "1"}}}, ""},
	} {
		require.Equal(t, test.want, figure.New(nil).Parse(test.name).MissingRequirement(test.of), test.name)
	}
}

func TestGroupsOfWorkersHaveFigures(t *testing.T) {
	v := figure.New(nil)
	offered := 20.0
	values := v.Values(&figure.Measurement{
		Throughput: 30, Groups: []figure.Group{{Name: "reads", Throughput: 19, Offered: &offered}, {Name: "scans", Throughput: 11}},
		Operations: []figure.Operation{{Op: "reads.READ", Response: figure.Latency{Count: 5, Mean: 7, Percentile: func(float64) *float64 { return nil }}}},
	})
	for name, want := range map[string]float64{
		"throughput_ops": 30, "reads.throughput_ops": 19, "reads.offered_ops": 20, "scans.throughput_ops": 11, "reads.read_count": 5, "reads.read_avg_ms": 0.007,
	} {
		got, ok := values.Get(name)
		require.True(t, ok, name)
		require.InDelta(t, want, got, 1e-9, name)
	}
	require.NotContains(t, values, "scans.offered_ops")
	require.NotContains(t, values, "read_avg_us", "no figure is of operations of several groups")

	c := v.Parse("reads.read_service_p99_ms")
	require.Equal(t, figure.OfOperation, c.Class)
	require.Equal(t, "reads", c.Group)
	require.True(t, c.Service)
	require.Equal(t, "reads.read_service_p99_ms", c.Name)
	require.Equal(t, "ops/s", v.UnitOf("reads.throughput_ops"))
	require.Equal(t, "reads read p99", figure.Title("reads.read_p99_ms"))
	require.Equal(t, figure.Other, v.Parse("reads.total_ms").Class, "all groups end with the phase")
}
