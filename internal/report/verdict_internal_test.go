package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// A rule is printed once, even if it was tested on runs of different lengths.
func TestTheRuleOfManyRunsIsPrintedOnce(t *testing.T) {
	run := func(id, on, because string) result.Run {
		return result.Run{ID: id, Verdicts: []result.Verdict{{Name: "client_bound", Value: true, Test: "idle CPU below 20 %" + on, Because: because}}}
	}
	c := verdictChapter([]result.Run{
		run("S.1", "; on measure, 30 s of agent a", "busy"), run("S.2", "; on measure, 2 s of agent a", "busy"),
		run("S.3", "; on measure, 30 s of agent a", "busy"), run("S.4", "", "idle"),
		{ID: "S.5"},
	})
	require.Equal(t, []string{
		"Runs with verdicts: 4 of 5. Runs with a verdict raised: 4.",
		"client_bound: yes. Tested: idle CPU below 20 %.",
		"- S.1, .3: busy. Tested on measure, 30 s of agent a.",
		"- S.2: busy. Tested on measure, 2 s of agent a.",
		"- S.4: idle.",
	}, c.Text)
	require.Equal(t, []string{"Runs with verdicts: 0 of 1."}, verdictChapter([]result.Run{{ID: "S.1"}}).Text)
}

// Law 2: cases of an open and of a closed loop have tables of their own.
func TestAScenarioTableHasOneLoop(t *testing.T) {
	tables := ScenarioTables(result.Suite{Cases: []result.Case{
		{Name: "a", Scenario: "s", Loop: "closed", Runs: []string{"S.1"}},
		{Name: "b", Scenario: "s", Loop: "open", Runs: []string{"S.2"}},
		{Name: "c", Scenario: "s", Loop: "closed", Runs: []string{"S.3"}},
		{Name: "d", Scenario: "t", Loop: "open", Runs: []string{"S.4"}},
	}})
	var titles []string
	for _, table := range tables {
		titles = append(titles, table.Title)
	}
	require.Equal(t, []string{"s (closed loop)", "s (open loop)", "t"}, titles)
	require.Len(t, tables[0].Rows, 2)
	require.Len(t, tables[1].Rows, 1)
}

// Law 8: a verdict is printed with its test, and not at all without one.
func TestAVerdictWithoutATestIsNotPrinted(t *testing.T) {
	runs := []result.Run{{ID: "S.1", Verdicts: []result.Verdict{{Name: "faster", Value: true, Because: "it felt so"}}}}
	require.Equal(t, []string{"Runs with verdicts: 0 of 1."}, verdictChapter(runs).Text)
	var out strings.Builder
	require.NoError(t, Table(&out, runs[0], Options{}))
	require.NotContains(t, out.String(), "it felt so")
}
