package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// wrote is a run of one phase of inserts with an outcome.
func wrote(id, name, outcome string) result.Run {
	return result.Run{
		ID: id, Case: name, Status: result.Complete,
		Phases: []result.Phase{{Name: "measure", Loop: "closed", Seconds: 1, Ops: 10, Operations: []result.Operation{{Op: "INSERT", Outcome: outcome, Figures: result.Figures{Count: 10}}}}},
	}
}

func markdown(t *testing.T, b book.Book) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, report.Markdown(&out, b))
	return out.String()
}

func TestReportsHaveHeapMemstoreAndRegionsOfEachServer(t *testing.T) {
	run := wrote("S.1", "writes", "OK")
	run.Phases[0].Observations = []result.Observation{
		{Name: "hbase.regionserver.heap_used", Source: "rs1:16020", Unit: "bytes", Points: [][2]float64{{1, 2e9}, {2, 4e9}}},
		{Name: "hbase.regionserver.memstore_size", Source: "rs1:16020", Unit: "bytes", Points: [][2]float64{{1, 1e6}, {2, 3e6}}},
		{Name: "hbase.regionserver.regions", Source: "rs1:16020", Unit: "1", Points: [][2]float64{{1, 3}, {2, 5}}},
		{Name: "hbase.regionserver.regions", Source: "rs2:16020", Unit: "1", Points: [][2]float64{{1, 4}}},
	}
	suite := result.Suite{ID: "S", Status: result.Complete, Runs: []result.Run{run}}
	for form, text := range map[string]string{"run": markdown(t, report.RunBook(run, targets())), "suite": markdown(t, report.SuiteBook(suite, targets()))} {
		require.Contains(t, text, "Servers", form)
		require.Regexp(t, `\| S\.1 \| writes \| rs1:16020 \| 3 → 5 \| 3\.0 GB \| 4\.0 GB \| 2\.0 MB \| 3\.0 MB \|`, text, form)
		require.Regexp(t, `\| S\.1 \| writes \| rs2:16020 \| 4 \| [-–—] \| [-–—] \| [-–—] \| [-–—] \|`, text, form)
	}
	require.NotContains(t, markdown(t, report.RunBook(wrote("S.1", "writes", "OK"), targets())), "Servers")
}

func TestReportsMarkBufferedWritesBesideTheirFigures(t *testing.T) {
	one, other := wrote("S.1", "collected", "BATCHED_OK"), wrote("S.2", "plain", "OK")
	suite := result.Suite{
		ID: "S", Status: result.Complete, Runs: []result.Run{one, other}, Tables: []result.Table{{Title: "asked for"}},
		Cases: []result.Case{{Name: "collected", Scenario: "x", Runs: []string{"S.1"}}, {Name: "plain", Scenario: "y", Runs: []string{"S.2"}}},
	}
	text := markdown(t, report.SuiteBook(suite, targets()))
	require.Equal(t, 2, strings.Count(text, "Buffered writes: collected. "), "with the tables asked for, and with its own:\n%s", text)
	require.Contains(t, markdown(t, report.RunBook(one, targets())), "buffered writes")
	require.NotContains(t, markdown(t, report.RunBook(other, targets())), "buffered writes")

	var table strings.Builder
	require.NoError(t, report.Table(&table, one, report.Options{Width: 200}))
	require.Contains(t, table.String(), "buffered writes")
}
