package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// An ended run and each case of a suite show what limited them, in texts and in Markdown.
func TestBottlenecksAreShown(t *testing.T) {
	run := result.Run{ID: "S.1", Status: result.Complete, Phases: []result.Phase{
		{Name: "load", Loop: "closed"},
		{Name: "measure", Loop: "closed", Bottleneck: &result.Bottleneck{
			Name: "not_determined", Sentence: "not determined: no rule\x1b holds", Test: "half of the points",
			Observe: []string{"disk: node.disk_busy_percent"},
		}},
	}}
	var out strings.Builder
	require.NoError(t, Table(&out, run, Options{}))
	require.Contains(t, out.String(), "    bottleneck  not determined: no rule")
	require.NotContains(t, out.String(), "\x1b")
	chapters := runBottlenecks(run)
	require.Len(t, chapters, 1)
	require.Equal(t, "Bottlenecks", chapters[0].Title)
	require.Len(t, chapters[0].Text, 2)
	require.Contains(t, chapters[0].Text[0], "- measure: not determined: no rule")
	require.Contains(t, chapters[0].Text[0], " Tested: half of the points.")
	require.Equal(t, "- measure, to observe: disk: node.disk_busy_percent.", chapters[0].Text[1])
	require.Empty(t, runBottlenecks(result.Run{Phases: run.Phases[:1]}))

	suite := result.Suite{ID: "S", Status: result.Complete, Cases: []result.Case{
		{Name: "read", Scenario: "r", Runs: []string{"S.1"}, Bottleneck: "disk: busy"}, {Name: "fill", Scenario: "r"},
	}}
	out.Reset()
	require.NoError(t, SuiteTable(&out, suite, Options{}))
	require.Contains(t, out.String(), "limit    read: disk: busy")
	require.Equal(t, []string{"- read: disk: busy"}, suiteBottlenecks(suite)[0].Text)
	require.Empty(t, suiteBottlenecks(result.Suite{}))
}
