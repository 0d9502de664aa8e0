package report

import (
	"cmp"

	"github.com/benchd/benchd/internal/result"
)

// actionTable lists the actions of runs with their effect on the throughput.
func actionTable(runs []result.Run) result.Table {
	t := result.Table{Columns: columns("run", "case", "action", "at", "took", "outcome", "before", "during", "after", "worst", "recovery")}
	for i := 3; i < len(t.Columns); i++ {
		t.Columns[i].Figure = t.Columns[i].Name != "outcome"
	}
	test := ""
	for _, run := range runs {
		for _, phase := range run.Phases {
			for _, a := range phase.Actions {
				t.Rows = append(t.Rows, actionRow(run, a))
				if a.Effect != nil {
					test = a.Effect.Test
				}
			}
		}
	}
	if test != "" {
		t.Notes = append(t.Notes, "worst is the lowest interval until the throughput "+test+"; recovery is counted from the action's start, and is 0 if the first intervals did not fall below that")
	}
	return t
}

func actionRow(run result.Run, a result.Action) result.Row {
	before, during, after, worst, back := none, none, none, none, none
	if e := a.Effect; e != nil {
		before, during, after = speed(e.Before), speed(e.During), speed(e.After)
		if e.Worst != nil {
			worst = rate(*e.Worst) + " at " + fixed(e.WorstAt, 0) + " s"
		}
		switch {
		case e.Recovery != nil:
			back = fixed(*e.Recovery, 1) + " s"
		case e.Before != nil:
			back = "not seen"
		}
	}
	took := fixed(a.Seconds, 1) + " s"
	switch a.Outcome {
	case "":
		took = none
	case result.StillGoing:
		took = "over " + took
	}
	return textRow(run.ID, run.Case, a.Do, fixed(a.T, 1)+" s", took, cmp.Or(printable(a.Outcome), "not ended"), before, during, after, worst, back)
}

func speed(x *float64) string {
	if x == nil {
		return none
	}
	return rate(*x)
}
