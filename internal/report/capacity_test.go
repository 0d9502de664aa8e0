package report_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/capacity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/table"
)

// measuredRun is a complete run of reads.
func measuredRun(id, name string, repeat int, loop string, throughput, p99 float64) result.Run {
	mean, p50 := 0.3*p99, 0.25*p99
	return result.Run{
		Schema: result.Schema, Kind: "run", ID: id, Case: name, Repeat: repeat, Status: result.Complete, Reconcile: result.Reconcile{OK: true},
		Resolved: map[string]string{"db": "sandbox"}, Start: &result.Start{Planned: planned.Add(time.Duration(repeat) * 20 * time.Second)},
		Phases: []result.Phase{{Name: "measure", Loop: loop, Seconds: 15, Throughput: throughput, Ops: uint64(15 * throughput), Operations: []result.Operation{
			{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: uint64(15 * throughput), Mean: mean, Min: mean / 4, Max: 3 * p99, P50: &p50, P99: &p99}},
		}}},
	}
}

// searchedSuite is a suite of a search, whose system sustains 12 500 ops/s, and of a sweep of threads.
func searchedSuite(t *testing.T) result.Suite {
	t.Helper()
	keep, err := search.ParseObjective("p99(READ) < 10ms and errors < 0.1%")
	require.NoError(t, err)
	space := search.Space{Vary: search.Rate, From: 1000, To: 40000, Keep: keep}
	s := result.Suite{Schema: result.Schema, Kind: "suite", ID: "S", Name: "capacity", Status: result.Complete, Plan: &result.Plan{Cases: []result.PlannedCase{
		{Name: "limit", Scenario: "limit", Repeats: 1, Search: &space},
	}}}
	var runs []result.Run
	for step := capacity.Decide(space, nil); !step.Done; step = capacity.Decide(space, runs) {
		n, rate := len(runs)+1, step.Next
		run := measuredRun(fmt.Sprintf("S.%d", n), "limit", n, "open", min(rate, 12500), 2000+8000*rate/12500)
		run.Resolved["rate"], run.Phases[0].Offered = strconv.FormatFloat(rate, 'f', -1, 64), &rate
		if n == 4 { // an agent was lost
			run.Status, run.Reason = result.Failed, "agent b was lost"
		}
		runs = append(runs, run)
		require.Less(t, n, 50)
	}
	s.Runs = runs
	for i, threads := range []float64{1, 2, 4, 8, 16, 32} {
		name := fmt.Sprintf("threads threadcount=%v", threads)
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{
			Name: name, Scenario: "threads", Repeats: 1, Axes: []plan.Setting{{Key: "threadcount", Value: strconv.FormatFloat(threads, 'f', -1, 64)}},
		})
		throughput := 1000 * threads / (1 + 0.05*(threads-1) + 0.002*threads*(threads-1))
		s.Runs = append(s.Runs, measuredRun(fmt.Sprintf("S.%d", 100+i), name, 1, "closed", throughput, 1000*threads))
	}
	table.Conclude(&s, targets())
	return s
}

func TestCapacityOfASuite(t *testing.T) {
	s := searchedSuite(t)
	c := s.Cases[0]
	require.Len(t, c.Runs, 3, "only confirmation runs are averaged")
	require.Len(t, c.LeftOut, len(c.Capacity.Probes)-3)
	require.Equal(t, result.LeftOut{Run: "S.1", Status: result.Complete, Because: "probe at 1,000"}, c.LeftOut[0])
	require.Equal(t, "agent b was lost", c.LeftOut[3].Because)

	var text strings.Builder
	require.NoError(t, report.SuiteTable(&text, s, report.Options{Targets: targets()}))
	for line := range strings.Lines(text.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 100, "%s", line)
	}
	answers, _, ok := strings.Cut(text.String(), "\n\nlimit\n")
	require.True(t, ok, "the table of the cases follows")
	golden(t, "capacity.txt", answers+"\n")

	var markdown strings.Builder
	require.NoError(t, report.Markdown(&markdown, report.SuiteBook(s, targets())))
	answers, _, ok = strings.Cut(markdown.String(), "\n## Scenario limit\n")
	require.True(t, ok, "the chapter of the cases follows")
	golden(t, "capacity.md", answers)

	var csv strings.Builder
	require.NoError(t, report.CapacityCSV(&csv, s))
	golden(t, "capacity.csv", csv.String())
}
