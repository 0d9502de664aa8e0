package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// repeated is a case with such throughputs.
func repeated(values ...float64) result.Case {
	c := result.Case{Name: "read", Scenario: "read", Repeats: len(values)}
	f := result.Figure{Name: "throughput_ops", Unit: "1/s", Spread: stats.Repeats(values)}
	for i, v := range values {
		id := "S." + string(rune('1'+i))
		c.Runs, f.Values = append(c.Runs, id), append(f.Values, &v)
	}
	for _, i := range stats.Odd(values) {
		f.Odd = append(f.Odd, c.Runs[i])
	}
	c.Figures = []result.Figure{f}
	return c
}

func TestATableHasTheMedianOfRepeatsWithAnIntervalIfThereAreEnough(t *testing.T) {
	for _, tc := range []struct {
		name   string
		values []float64
		cells  []string // mean, median
		notes  []string
	}{
		{"few", []float64{1000, 1010, 990}, []string{"1,000", "1,000"}, []string{"95 % interval of the median: not enough repeats (6 needed)"}},
		{
			"many",
			[]float64{1000, 1010, 990, 1005, 995, 1006},
			[]string{"1,001", "1,003 (990 to 1,010)"},
			[]string{"95 % interval of the median by order statistics, exact for independent repeats of any distribution"},
		},
		{"one is odd", []float64{1000, 1010, 990, 1005, 500}, []string{"901", "1,000"}, []string{
			"odd: S.5 (read): throughput_ops 500 ops/s, median of all runs 1,000 ops/s; it is not left out",
			"95 % interval of the median: not enough repeats (6 needed)",
		}},
	} {
		tables := report.ScenarioTables(result.Suite{Cases: []result.Case{repeated(tc.values...)}})
		require.Len(t, tables, 1)
		row := tables[0].Rows[0]
		require.Equal(t, tc.cells[0], row[1].Text, tc.name)
		require.Equal(t, tc.cells[1], row[2].Text, tc.name)
		require.Equal(t, tc.notes, tables[0].Notes, tc.name)
	}
}

func TestThroughputHasItsIntervalInTables(t *testing.T) {
	low, high := 9900.0, 10100.0
	run := result.Run{Status: result.Complete, Phases: []result.Phase{{
		Name: "measure", Loop: "closed", Seconds: 600, Ops: 6_000_000, Throughput: 10_000,
		Interval: &result.Interval{Low: &low, High: &high, Windows: 599},
	}}}
	require.Contains(t, printed(t, run, report.Options{Width: 200}), "10,000 ops/s ± 1.0 %")
	offered := 10_000.0
	run.Phases[0].Offered = &offered
	require.Contains(t, printed(t, run, report.Options{Width: 200}), "10,000 ops/s ± 1.0 %, offered 10,000")
	run.Phases[0].Throughput = 9800
	require.NotContains(t, printed(t, run, report.Options{Width: 200}), "±", "the interval does not bound it")
}
