package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// Bounds of the charts over time in the report of a suite, so that its page stays small.
const (
	mostCourses = 12      // runs with charts over time
	fewCases    = 6       // of so many each has such charts
	mostValues  = 600_000 // in these charts
)

// shownRuns are the runs of a suite that have charts over time, in their order of importance: of each scenario the case with the
// highest throughput, then cases with actions, then the others if there are few. Of a case it is the complete run with the median throughput.
func shownRuns(s result.Suite) []result.Run {
	measured := slices.DeleteFunc(measuredCases(s), func(c result.Case) bool { return len(c.Runs) == 0 })
	slices.SortStableFunc(measured, func(a, b result.Case) int { return cmp.Compare(meanThroughput(b), meanThroughput(a)) })
	var first, acted, rest []result.Run
	seen := make(map[string]bool)
	for _, c := range measured {
		i := slices.IndexFunc(s.Runs, func(r result.Run) bool { return r.ID == medianRun(c) })
		if i < 0 {
			continue
		}
		switch run := s.Runs[i]; {
		case !seen[c.Scenario]:
			seen[c.Scenario] = true
			first = append(first, run)
		case len(actionsOf([]result.Run{run})) > 0:
			acted = append(acted, run)
		case len(measured) <= fewCases:
			rest = append(rest, run)
		}
	}
	out := slices.Concat(first, acted, rest)
	return out[:min(len(out), mostCourses)]
}

// medianRun is the run of a case whose throughput is the median, or the first one above it.
func medianRun(c result.Case) string {
	f, ok := overRuns(c, "throughput_ops")
	if !ok {
		return c.Runs[0]
	}
	order := make([]int, 0, len(c.Runs))
	for i, v := range f.Values {
		if v != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(*f.Values[a], *f.Values[b]) })
	return c.Runs[order[len(order)/2]]
}

// course is the charts of a run in the report of its suite.
type course struct {
	run      result.Run
	pictures draw.Pictures
}

// courses draws the shown runs, as many as there is room for.
func courses(shown []result.Run, o draw.Options) []course {
	var out []course
	values := 0
	for _, run := range shown {
		p := draw.Run(run, o)
		for _, c := range slices.Concat(p.Course, p.Telemetry, p.Distribution, p.Agents) {
			values += valuesIn(c)
		}
		if len(out) > 0 && values > mostValues {
			break
		}
		out = append(out, course{run, p})
	}
	return out
}

func valuesIn(c book.Chart) int {
	n := 0
	for _, s := range c.Series {
		n += len(s.Y) + len(s.Low) + len(s.High)
	}
	if c.Heat != nil {
		for _, column := range c.Heat.Counts {
			n += len(column)
		}
	}
	return n
}

// chapter has the charts of a run, in the part of the report about its scenario.
func (c course) chapter(sheet string, of result.Case) book.Chapter {
	text := fmt.Sprintf("Run %s, the only complete run of the case.", c.run.ID)
	if n := len(of.Runs); n > 1 {
		text = fmt.Sprintf("Run %s, whose throughput is the median of %d runs.", c.run.ID, n)
	}
	p := c.pictures
	return book.Chapter{
		Title: "Over time: " + caseOrRun(c.run), Sheet: sheet, Text: []string{text},
		Charts: slices.Concat(p.Course, p.Telemetry, p.Distribution, p.Agents),
	}
}

// addRunCharts adds the charts of the only run of a report.
func (b *maker) addRunCharts(p draw.Pictures) {
	for _, c := range []book.Chapter{
		{Title: "Over time", Charts: slices.Concat(p.Course, p.Telemetry)},
		{Title: "Distribution of response times", Charts: p.Distribution},
		{Title: "Agents", Charts: p.Agents},
	} {
		if len(c.Charts) > 0 {
			b.Chapters = append(b.Chapters, c)
		}
	}
}

// addDetails adds the charts of figures that explain no throughput by themselves.
func (b *maker) addDetails(charts []book.Chart) {
	if len(charts) > 0 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: "Further telemetry", Charts: charts, Detail: true})
	}
}
