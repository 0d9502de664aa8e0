package report

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// aSweep is a suite of one scenario with cases of some repeats.
func aSweep(cases, repeats int) result.Suite {
	s := result.Suite{ID: "S", Status: result.Complete, Plan: &result.Plan{}}
	for i := range cases {
		name := fmt.Sprintf("case %d", i)
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{Name: name, Scenario: "sweep", Repeats: repeats})
		for n := range repeats {
			phase := result.Phase{Name: "measure", Loop: "closed", Seconds: 3, Throughput: float64(100*i + (n*7)%5), Ops: 10}
			for t := range 3 {
				phase.Series = append(phase.Series, result.Point{T: float64(t), Seconds: 1, Ops: 3})
			}
			s.Runs = append(s.Runs, result.Run{
				ID: fmt.Sprintf("S.%d", len(s.Runs)+1), Case: name, Repeat: n + 1, Status: result.Complete, Reconcile: result.Reconcile{OK: true},
				Phases: []result.Phase{phase},
			})
		}
	}
	table.Conclude(&s, descriptor.List{})
	return s
}

// Of a large suite, the case with the highest throughput comes first, and each case is shown by its median run.
func TestRunsWithChartsOverTime(t *testing.T) {
	shown := shownRuns(aSweep(fewCases, 3))
	require.Len(t, shown, fewCases, "a small suite shows each case")
	require.Equal(t, "case 5", shown[0].Case)
	require.Len(t, shownRuns(aSweep(20, 3)), 1)
	require.Equal(t, 2, shown[0].Repeat, "throughputs 500, 502 and 504: the second run has the median")

	acted := aSweep(20, 1)
	acted.Runs[3].Phases[0].Actions = []result.Action{{Do: "flush"}}
	shown = shownRuns(acted)
	require.Equal(t, "case 19", shown[0].Case)
	require.Equal(t, "case 3", shown[1].Case, "cases with actions come before others")
}

// Runs with charts have tables of intervals of their own; the others share one, in which each row names its run.
func TestEveryIntervalOfEachRunIsInTheData(t *testing.T) {
	s := aSweep(3, 1)
	tables := everyInterval(s.Runs, []string{"S.2"}, draw.Options{})
	require.Len(t, tables, 2)
	require.Contains(t, tables[0].Title, " of run 2")
	require.Contains(t, tables[0].How, "Run S.2, ")
	require.Len(t, tables[0].Rows, 3)
	require.Len(t, tables[1].Rows, 6)
	require.Equal(t, []book.Cell{book.Text("S.3"), book.Text("case 2")}, tables[1].Rows[3][:2])
}
