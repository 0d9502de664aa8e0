package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// A result with timeline-consistent reads is labelled in all forms, also if no replica has answered, and counts what they answered.
func TestReportsNameReadsThatReplicasMayAnswer(t *testing.T) {
	forms := func(run result.Run) []string {
		var table strings.Builder
		require.NoError(t, report.Table(&table, run, report.Options{Width: 200}))
		return []string{table.String(), markdown(t, report.RunBook(run, targets()))}
	}
	run := wrote("S.1", "reads", "OK")
	for _, text := range forms(run) {
		require.NotContains(t, text, "replicas")
	}
	run.Resolved = map[string]string{"db": "hbase"}
	run.Provenance.Target = map[string]string{"target": "hbase", "consistency": "timeline"}
	run.Phases[0].Generators = []result.Generator{
		{Name: "a", Client: map[string]uint64{"hedged_read": 1000, "stale_read": 900, "stale_not_found": 3}},
		{Name: "b", Client: map[string]uint64{"hedged_read": 500, "stale_read": 400}},
	}
	for _, text := range forms(run) {
		require.Regexp(t, `timeline-consistent: 1.500 asked replicas, 1.300 were answered by one and may be stale, 3 of them found no row`, text)
	}
	require.Contains(t, forms(run)[1], "consistency timeline")
	run.Phases[0].Generators = nil
	for _, text := range forms(run) {
		require.Contains(t, text, "timeline-consistent: 0 asked replicas, 0 were answered by one and may be stale")
	}
	run.Provenance.Target["consistency"] = "strong"
	for _, text := range forms(run) {
		require.NotContains(t, text, "-consistent")
	}
}
