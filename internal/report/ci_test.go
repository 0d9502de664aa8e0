package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// junitTest is a test of a JUnit report, as a CI server reads it.
type junitTest struct {
	Name    string `xml:"name,attr"`
	Class   string `xml:"classname,attr"`
	Failure *struct {
		Message string `xml:"message,attr"`
	} `xml:"failure"`
	Error *struct {
		Message string `xml:"message,attr"`
	} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

type junitDocument struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name       string `xml:"name,attr"`
		Tests      int    `xml:"tests,attr"`
		Failures   int    `xml:"failures,attr"`
		Errors     int    `xml:"errors,attr"`
		Skipped    int    `xml:"skipped,attr"`
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Tested []junitTest `xml:"testcase"`
	} `xml:"testsuite"`
}

// readJUnitText reads a report strictly, and checks that its numbers are those of its tests.
func readJUnitText(t *testing.T, text string) junitDocument {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	var d junitDocument
	require.NoError(t, xml.Unmarshal([]byte(text), &d))
	tests, failures, errs := 0, 0, 0
	for _, s := range d.Suites {
		require.Len(t, s.Tested, s.Tests)
		failed, wrong, skipped := 0, 0, 0
		for _, one := range s.Tested {
			require.NotEmpty(t, one.Name)
			require.NotEmpty(t, one.Class)
			switch {
			case one.Failure != nil:
				failed++
			case one.Error != nil:
				wrong++
			case one.Skipped != nil:
				skipped++
			}
		}
		require.Equal(t, []int{s.Failures, s.Errors, s.Skipped}, []int{failed, wrong, skipped})
		tests, failures, errs = tests+s.Tests, failures+s.Failures, errs+s.Errors
	}
	require.Equal(t, []int{d.Tests, d.Failures, d.Errors}, []int{tests, failures, errs})
	return d
}

func readJUnit(t *testing.T, files map[string]string) answer {
	t.Helper()
	var a answer
	for _, text := range files {
		for _, p := range readJUnitText(t, text).Suites[0].Properties {
			value, _ := strconv.ParseFloat(p.Value, 64)
			switch p.Name {
			case "throughput_ops":
				a.throughput = value
			case "read.ok.count":
				a.count = value
			case "read.ok.p99_us":
				a.p99 = value
			}
		}
	}
	return a
}

func readGitHub(t *testing.T, files map[string]string) answer {
	t.Helper()
	var head []string
	for name, text := range files {
		for line := range strings.Lines(text) {
			cells := strings.Split(line, "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			switch {
			case !strings.HasSuffix(name, ".md"):
			case slices.Contains(cells, "Operation"):
				head = cells
			case slices.Contains(cells, "READ"):
				at := func(name string) string { return cells[slices.Index(head, name)] }
				return answer{p99: micros(t, at("p99")), count: number(t, at("Count")), throughput: number(t, strings.TrimSuffix(at("Throughput"), " ops/s"))}
			}
		}
	}
	t.Fatal("no line of reads")
	return answer{}
}

// failing is a suite with a run of each kind.
func failing() result.Suite {
	phase := []result.Phase{{Name: "measure", Loop: "closed", Seconds: 1, Throughput: 10}}
	return result.Suite{ID: "S", Name: "night <1> & \"more\"", Runs: []result.Run{
		{ID: "S.1", Case: "good", Status: result.Complete, Phases: phase, Verdicts: []result.Verdict{
			{Name: "client_bound", Value: false, Test: "idle CPU below 20 %"}, {Name: "untested", Value: true, Because: "nobody tested it"},
		}},
		{ID: "S.2", Case: "busy", Status: result.Complete, Phases: phase, Verdicts: []result.Verdict{
			{Name: "client_bound", Value: true, Because: "agent b: 4 % idle\nfrom 12 s", Test: "idle CPU below 20 %"},
		}},
		{ID: "S.3", Case: "limit", Status: result.Failed, Violated: true, Reason: "12 % of the reads ended with NOT_FOUND, limit 0.1 %", Phases: phase},
		{ID: "S.4", Case: "lost", Status: result.Partial, Missing: []string{"agent b: windows 14–20"}},
		{ID: "S.5", Case: "again", Status: result.Cancelled, ReplacedBy: "S.6", Reason: "cancelled by \x1b[31mme"},
	}}
}

// A run that failed, a limit and a bad verdict are each a failing test and an annotation; what nobody tested is neither (law 8).
func TestWhatIsBadFailsInCI(t *testing.T) {
	suite := failing()
	d := report.Document{ID: "S", Suite: &suite}
	var text bytes.Buffer
	require.NoError(t, report.JUnit(&text, d))
	got := readJUnitText(t, text.String())
	var bad []string
	for _, s := range got.Suites {
		for _, one := range s.Tested {
			require.NotContains(t, one.Name, "untested")
			switch {
			case one.Failure != nil:
				bad = append(bad, s.Name+", "+one.Name+" fails: "+one.Failure.Message)
			case one.Error != nil:
				bad = append(bad, s.Name+", "+one.Name+" is an error: "+one.Error.Message)
			}
		}
	}
	require.Equal(t, []string{
		"busy S.2, verdict client_bound fails: agent b: 4 % idle from 12 s",
		"limit S.3, limits fails: 12 % of the reads ended with NOT_FOUND, limit 0.1 %",
		"lost S.4, run is an error: partial: agent b: windows 14–20",
	}, bad)
	require.Equal(t, 1, got.Suites[4].Skipped, "a replaced run")

	text.Reset()
	require.NoError(t, report.Annotations(&text, d))
	require.Equal(t, `::error title=S.2 client_bound::agent b: 4 %25 idle from 12 s
::error title=S.3 violated a limit::12 %25 of the reads ended with NOT_FOUND, limit 0.1 %25
::error title=S.4 is partial::agent b: windows 14–20
`, text.String())

	text.Reset()
	require.NoError(t, report.GitHub(&text, d))
	require.Contains(t, text.String(), `## ❌ night &lt;1> &amp; "more"`)
	require.Contains(t, text.String(), "5 runs: 2 complete, 1 partial, 1 failed, 1 cancelled.")
	require.Equal(t, 3, strings.Count(text.String(), "- ❌"))
	require.NotContains(t, text.String(), "\x1b")
}

// A comparison has a test for each figure; a worse one fails, and one without enough runs is skipped.
func TestAComparisonFailsInCIWhereAFigureIsWorse(t *testing.T) {
	c := comparison()
	d := report.Document{ID: "A-vs-B", Comparisons: []compare.Comparison{c}}
	var text bytes.Buffer
	require.NoError(t, report.JUnit(&text, d))
	got := readJUnitText(t, text.String())
	worse, few := 0, 0
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			switch f.Verdict {
			case compare.Worse:
				worse++
			case compare.NotEnoughRuns:
				few++
			case compare.Better, compare.NoDifference:
			}
		}
	}
	require.Positive(t, worse)
	require.Equal(t, worse, got.Failures)
	require.GreaterOrEqual(t, got.Suites[0].Skipped, few)
	text.Reset()
	require.NoError(t, report.GitHub(&text, d))
	require.Contains(t, text.String(), "## ❌ 20260302-x2ra against 20260301-k7mp")
	require.Contains(t, text.String(), "| READ p99 | 11.2 ms | 12.4 ms | +10.7 % |")
	text.Reset()
	require.NoError(t, report.Annotations(&text, d))
	require.Equal(t, worse, strings.Count(text.String(), "::error title="))
}
