package hbasespec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

func TestColumnsAreReadOffFactsAndTelemetry(t *testing.T) {
	telemetry := map[string][2]float64{
		"hbase.master.servers": {3, 5}, "hbase.master.regions": {203, 207}, "hbase.master.regions_in_transition": {4, 1},
	}
	reported := descriptor.Reported{
		Facts: map[string]string{"hbase.table.regions": "201"},
		Observed: func(name string) (first, last float64, ok bool) {
			points, ok := telemetry[name]
			return points[0], points[1], ok
		},
	}
	want := map[string]float64{
		"regions": 201, "regions_after": 205, "region_servers_before": 3, "region_servers_after": 5, "regions_stuck_in_transition": 1,
	}
	require.Len(t, columns(), len(want))
	for _, c := range columns() {
		require.InDelta(t, want[c.Name], *c.Read(reported), 0, c.Name)
		require.Empty(t, c.Unit, "they are counted")
	}
	clear(telemetry)
	for _, c := range columns() {
		require.Equal(t, c.Name == "regions", c.Read(reported) != nil, "%s of a run that was not watched", c.Name)
	}
	reported.Facts = nil
	require.Nil(t, columns()[0].Read(reported))
}

// Both lists of figures in the documentation contain the columns that HBase adds.
func TestHBasesColumnsAreDocumented(t *testing.T) {
	for path, heading := range map[string]string{"../../../../docs/reports.md": "## Figures\n", "../../../../docs/suites.md": "A column is one of these;"} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		_, text, ok := strings.Cut(string(content), heading)
		require.True(t, ok, "%s has %q", path, heading)
		text, _, _ = strings.Cut(text, "\n## ")
		for _, c := range columns() {
			require.Contains(t, text, "`"+c.Name+"`", path)
		}
	}
}
