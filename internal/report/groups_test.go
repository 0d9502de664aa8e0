package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// besideSuite is a suite of reads alone, scans alone, and both: the p99 of reads is then four times as high.
func besideSuite(t *testing.T) result.Suite {
	t.Helper()
	s := result.Suite{Schema: result.Schema, Kind: "suite", ID: "S", Name: "interference", Status: result.Complete, Plan: &result.Plan{}}
	offered := 100.0
	add := func(groups string, reads, scans float64) {
		name := "beside groups=" + groups
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{
			Name: name, Scenario: "beside", Axes: []plan.Setting{{Key: "groups", Value: groups}}, Repeats: 4,
		})
		for repeat := range 4 {
			run := measuredRun(fmt.Sprintf("S.%d", len(s.Runs)+1), name, repeat+1, "mixed", 0, 0)
			p := &run.Phases[0]
			p.Operations = nil
			group := func(of, op, loop string, p99 float64) {
				if p99 == 0 {
					return
				}
				p99 *= 1 + 0.01*float64(repeat)
				o := result.Operation{Op: of + "." + op, Outcome: "OK", Figures: result.Figures{Count: 1000, Mean: p99 / 2, P50: &p99, P99: &p99, Max: p99}}
				o.Service = o.Figures
				p.Operations = append(p.Operations, o)
				g := result.Group{Name: of, Loop: loop, Workers: 4, Ops: 1000, Throughput: 100, Operations: []result.Operation{o}}
				p.Loop = loop
				if loop == "open" {
					g.Offered, g.LateSends, g.Unsent = &offered, 3, 2
				}
				p.Groups = append(p.Groups, g)
				p.Ops += 1000
				p.Throughput += 100
			}
			group("reads", "READ", "open", reads)
			group("scans", "SCAN", "closed", scans)
			if len(p.Groups) > 1 {
				p.Loop = "mixed"
			}
			s.Runs = append(s.Runs, run)
		}
	}
	add("reads", 1000, 0)
	add("scans", 0, 20_000)
	add("reads,scans", 4000, 20_000)
	table.Conclude(&s, nil)
	return s
}

func TestASuiteShowsWhatGroupsCostEachOther(t *testing.T) {
	s := besideSuite(t)
	var out bytes.Buffer
	require.NoError(t, report.SuiteTable(&out, s, report.Options{Width: 120}))
	text := out.String()
	for _, want := range []string{
		"Interference in beside groups=reads,scans",
		"read p50 of reads is 4 times that alone (3.88 to 4.12); read p99 of reads is 4 times that alone (3.88 to 4.12)",
		"reads  open    read p99    1.01 ms    4.06 ms         4   3.88  4.12",
		"beside (mixed loop)",
	} {
		require.Contains(t, text, want)
	}
}

// The book is what the HTML page, the workbook and the Markdown report are made of.
func TestTheReportOfASuiteDrawsItsInterference(t *testing.T) {
	b := report.SuiteBook(besideSuite(t), targets())
	i := slices.IndexFunc(b.Chapters, func(c book.Chapter) bool { return c.Title == "Interference" })
	require.GreaterOrEqual(t, i, 0)
	var titles []string
	for _, c := range b.Chapters[i].Charts {
		titles = append(titles, c.Title)
	}
	require.Equal(t, []string{
		"Groups together against alone: beside groups=reads,scans", "Throughput of groups alone and together: beside groups=reads,scans",
		"Response times of reads alone and together: beside groups=reads,scans", "Response times of scans alone and together: beside groups=reads,scans",
	}, titles)
	answer := strings.Join(b.Answer, "\n")
	require.Contains(t, answer, "reads.READ mean 2.03 ms, p99 4.06 ms; scans.SCAN mean")
	require.NotContains(t, answer, "SERVICE", "service times are those of the same operation")
}
