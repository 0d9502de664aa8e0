package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

func TestRowNumbersWithoutARowAreNamedInTablesAndReports(t *testing.T) {
	five := int64(5)
	for want, gap := range map[string]result.RowGap{
		"5 of the row numbers 108 to 117 have no row":    {First: 108, Last: 117, Count: &five},
		"some of the row numbers 126 to 135 have no row": {First: 126, Last: 135},
	} {
		run := result.Run{ID: "S.1", Name: "gap", Status: result.Complete, RowGap: &gap}
		var table, suite, markdown, book strings.Builder
		require.NoError(t, report.Table(&table, run, report.Options{Width: 200}))
		require.NoError(t, report.SuiteTable(&suite, result.Suite{ID: "S", Status: result.Complete, Runs: []result.Run{run}}, report.Options{Width: 200}))
		require.NoError(t, report.Markdown(&markdown, report.RunBook(run, targets())))
		require.NoError(t, report.Markdown(&book, report.SuiteBook(result.Suite{ID: "S", Runs: []result.Run{run}}, targets())))
		for form, text := range map[string]string{"table": table.String(), "suite": suite.String(), "markdown": markdown.String(), "suite in markdown": book.String()} {
			require.Contains(t, text, want, form)
		}
	}
}
