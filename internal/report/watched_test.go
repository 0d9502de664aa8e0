package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

func TestTheTableSummarizesTheServers(t *testing.T) {
	run := result.Run{ID: "S.1", Status: result.Complete, Phases: []result.Phase{{Name: "measure", Loop: "closed", Seconds: 2, Observations: []result.Observation{
		{Name: "hbase.regionserver.requests", Source: "rs1:16020", Unit: "1/s", Points: [][2]float64{{1, 100}, {2, 300}}},
		{Name: "hbase.regionserver.requests", Source: "rs2:16020", Unit: "1/s", Points: [][2]float64{{1, 1000}}},
		{Name: "hbase.regionserver.store_files", Source: "rs1:16020", Unit: "1", Points: [][2]float64{{1, 9}, {2, 3}}},
		{Name: "hbase.regionserver.store_files", Source: "rs2:16020", Unit: "1", Points: [][2]float64{{1, 1}}},
	}}, {Name: "load", Loop: "closed"}}}
	var out strings.Builder
	require.NoError(t, report.Table(&out, run, report.Options{Targets: targets()}))
	require.Contains(t, out.String(), "telemetry  requests/s 1,200, store files 10 → 4\n")
	require.Contains(t, out.String(), "requests/s: rs2:16020 1,000, rs1:16020 200\n")
	require.Equal(t, 1, strings.Count(out.String(), "telemetry"), "a phase that was not watched has no line")
}
