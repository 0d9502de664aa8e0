package report_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

func TestCSVHasALineForEachFigureOfTheResult(t *testing.T) {
	run := build(t, result.Run{}, ycsb(t, nil), load(), mixed())
	table := func(write func(io.Writer, result.Run) error) (rows []map[string]string) {
		var out bytes.Buffer
		require.NoError(t, write(&out, run))
		lines, err := csv.NewReader(&out).ReadAll()
		require.NoError(t, err)
		for _, line := range lines[1:] {
			row := make(map[string]string)
			for i, cell := range line {
				row[lines[0][i]] = cell
			}
			rows = append(rows, row)
		}
		return rows
	}
	operations := table(report.OperationsCSV)
	n := 0
	for _, p := range run.Phases {
		n += 2 * len(p.Operations)
	}
	require.Len(t, operations, n)
	require.Equal(t, "INSERT", operations[0]["op"])
	require.Equal(t, "6000", operations[0]["count"])
	require.Equal(t, "response", operations[0]["clock"])
	require.Empty(t, operations[0]["p9999_us"], "too few samples")

	var count int
	for _, p := range run.Phases {
		for _, point := range p.Series {
			count += len(point.Operations)
		}
	}
	require.Len(t, table(report.SeriesCSV), count)
	require.ErrorIs(t, report.OperationsCSV(full{}, run), errFull)
	require.ErrorIs(t, report.SeriesCSV(full{}, run), errFull)
}
