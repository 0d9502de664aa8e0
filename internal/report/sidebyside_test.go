package report_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// sideBySide is a suite of two products and a scenario, with repeats of each.
func sideBySide(repeats int) result.Suite {
	s := result.Suite{Schema: result.Schema, Kind: "suite", ID: "S", Name: "products", Status: result.Complete, Plan: &result.Plan{}}
	for i, target := range []string{"north", "south"} {
		name := "read only @" + target
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{Name: name, Scenario: "read only", Target: target, Repeats: repeats})
		for n := range repeats {
			s.Runs = append(s.Runs, measuredRun(fmt.Sprintf("S.%d", len(s.Runs)+1), name, n+1, "closed", float64(1000*(i+1)+n), 5000))
		}
	}
	table.Conclude(&s, targets())
	return s
}

// The factor between products is stated as tested only where there are enough runs for a test (law 8).
func TestTargetsAreComparedAndTestedWithEnoughRuns(t *testing.T) {
	few := report.SuiteBook(sideBySide(1), targets())
	require.Equal(t, "How do north and south compare?", few.Question)
	require.Contains(t, few.Answer, "read only: south has the highest throughput, 2,000 ops/s; 2.00 times that of north (1,000); not tested: fewer than 4 runs of each.")
	text := markdown(t, few)
	require.Contains(t, text, "| case | north (ops/s) | south (ops/s) | highest | factor |")
	require.NotContains(t, text, "Tested, A north")

	enough := markdown(t, report.SuiteBook(sideBySide(5), targets()))
	require.Contains(t, enough, "read only: south has the highest throughput, 2,002 ops/s; 2.00 times that of north (1,002).")
	require.Regexp(t, `Tested, A north, B south, .*: B is faster: throughput \+`, enough)
}

// A report shows what was submitted, and which settings differ between its cases.
func TestSettingsAndSubmittedFiles(t *testing.T) {
	s := sideBySide(1)
	for i := range s.Runs {
		s.Runs[i].Resolved = map[string]string{"db": "sandbox", "table": fmt.Sprintf("t%d", i)}
		s.Runs[i].Spec = []byte(`{"suite": {"name": "products.yaml", "content": "suite: products\n"}, "trial": true, "properties": [{"origin": "-p", "key": "a", "value": "b"}]}`)
	}
	b := report.SuiteBook(s, targets())
	text := markdown(t, b)
	require.Contains(t, text, "| db | sandbox |")
	require.Contains(t, text, `| table | t0 | read only @north |`)
	require.Contains(t, text, "### products.yaml\n\n```\nsuite: products\n```\n")
	require.Contains(t, text, "```\n--trial\n-p a=b\n```\n")
	require.True(t, b.Chapters[len(b.Chapters)-1].Detail)
}
