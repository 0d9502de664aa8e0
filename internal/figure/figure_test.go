package figure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

func TestANameTellsWhatItsColumnHolds(t *testing.T) {
	for name, want := range map[string]figure.Column{
		"threads":                   {Class: figure.Identity},
		"throughput_ops":            {Class: figure.OfRun},
		"total_s":                   {Class: figure.OfRun},
		"runtime_ms":                {Class: figure.OfRun},
		"gc_total_count":            {Class: figure.OfRun},
		"region_servers_before":     {Class: figure.OfRun},
		"read_avg_ms":               {Class: figure.OfOperation, Op: workload.Read, Stat: "avg"},
		"rmw_count":                 {Class: figure.OfOperation, Op: workload.ReadModifyWrite, Stat: "count"},
		"multi_get_service_p999_us": {Class: figure.OfOperation, Op: workload.MultiGet, Stat: "p999", Service: true},

		"total": {}, "total_count": {}, "throughput_ops_ms": {}, "read_avg": {}, "read_count_ms": {}, "read_p98_us": {}, "raed_p99_us": {},
		"verify_avg_us": {}, "cleanup_avg_us": {}, "_avg_us": {}, "avg_us": {}, "_us": {}, "": {}, "recordcount": {}, "started_normally": {},
	} {
		want.Name = name
		require.Equal(t, want, figure.Parse(name), name)
	}
}

func TestFiguresOfOthersAreKnownByTheirForm(t *testing.T) {
	for name, want := range map[string]bool{
		"read_avg_ms": true, "read_p98_us": true, "cleanup_max_us": true, "peak_ops": true, "gc_young_count": true,
		"recordcount": false, "started_normally": false, "ops_per_day": false, "read_px_us": false, "p98_us": false,
	} {
		require.Equal(t, want, figure.Parse(name).LooksLikeFigure(), name)
	}
	require.True(t, figure.IsPercentile("read_p999_us"))
	require.False(t, figure.IsPercentile("read_avg_us"))
	require.False(t, figure.IsPercentile("read_p999"))
}

func TestAColumnSaysWhatACaseLacks(t *testing.T) {
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
		require.Equal(t, test.want, figure.Parse(test.name).MissingRequirement(test.of), test.name)
	}
}
