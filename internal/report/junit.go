package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
)

// The elements of a JUnit report, as Jenkins, GitLab and others read them.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Seconds    string          `xml:"time,attr,omitempty"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Skipped *junitOutcome `xml:"skipped"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a document as a JUnit report: a test suite for each run, with a test for its end, its limits and each verdict; or one
// for each comparison, with a test for each figure of each case.
func JUnit(w io.Writer, d Document) error {
	r := junitReport{Name: printable(cmp.Or(d.title(), d.ID))}
	for _, c := range d.Comparisons {
		r.add(junitComparison(c))
	}
	for _, run := range d.runs() {
		r.add(junitRun(run))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// title is the name of the suite or run.
func (d Document) title() string {
	switch {
	case len(d.Comparisons) > 0:
		return d.ID
	case d.Suite != nil:
		return d.Suite.Name
	}
	return d.Run.Name
}

// add adds a test suite with the numbers of its tests.
func (r *junitReport) add(s junitSuite) {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	r.Tests += s.Tests
	r.Failures += s.Failures
	r.Errors += s.Errors
	r.Suites = append(r.Suites, s)
}

func junitRun(run result.Run) junitSuite {
	s := junitSuite{Name: printable(cmp.Or(run.Case, run.Name) + " " + run.ID)}
	if !run.Provenance.Created.IsZero() {
		s.Timestamp = run.Provenance.Created.UTC().Format("2006-01-02T15:04:05")
	}
	class := printable("benchd." + cmp.Or(run.Name, run.ID) + "." + run.Case)
	test := func(name string) *junitCase {
		s.Cases = append(s.Cases, junitCase{Name: name, Class: class})
		return &s.Cases[len(s.Cases)-1]
	}
	end, reason := test("run"), printable(cmp.Or(run.Reason, strings.Join(run.Missing, "; "), "it is "+string(run.Status)))
	switch {
	case run.ReplacedBy != "":
		end.Skipped = &junitOutcome{Message: "replaced by run " + printable(run.ReplacedBy)}
	case run.Status == result.Complete || run.Violated:
		end.Out = string(run.Status)
	default:
		end.Error = &junitOutcome{Message: string(run.Status) + ": " + reason}
	}
	if limits := test("limits"); run.Violated && run.ReplacedBy == "" {
		limits.Failure = &junitOutcome{Message: reason}
	}
	for _, v := range run.Verdicts {
		if v.Test == "" {
			continue // law 8
		}
		c := test("verdict " + printable(v.Name))
		text := printable(cmp.Or(v.Because, strconv.FormatBool(v.Value)))
		if v.Bad() && run.ReplacedBy == "" {
			c.Failure = &junitOutcome{Message: text, Text: "Test: " + printable(v.Test)}
		} else {
			c.Out = text
		}
	}
	p := run.Subject()
	if p == nil {
		return s
	}
	s.Seconds = exact(p.Seconds)
	s.Properties = append(s.Properties, junitProperty{"loop", p.Loop}, junitProperty{"throughput_ops", exact(p.Throughput)})
	for _, o := range p.Operations {
		name := printable(strings.ToLower(o.Op) + "." + strings.ToLower(o.Outcome))
		if o.PartOf != nil {
			name = printable(strings.ToLower(*o.PartOf)) + "." + name
		}
		s.Properties = append(s.Properties, junitProperty{name + ".count", strconv.FormatUint(o.Count, 10)})
		for _, q := range []struct {
			name  string
			value *float64
		}{{"p50_us", o.P50}, {"p99_us", o.P99}, {"p999_us", o.P999}} {
			if q.value != nil { // law 6
				s.Properties = append(s.Properties, junitProperty{name + "." + q.name, exact(*q.value)})
			}
		}
	}
	return s
}

func junitComparison(c compare.Comparison) junitSuite {
	s := junitSuite{Name: printable(c.B + " against " + c.A)}
	for _, one := range c.Cases {
		class := printable("benchd." + one.Name)
		if len(one.Figures) == 0 {
			s.Cases = append(s.Cases, junitCase{Name: "comparison", Class: class, Skipped: &junitOutcome{Message: printable(one.Sentence)}})
		}
		for _, f := range one.Figures {
			test, text := junitCase{Name: printable(compare.Title(f.Name)), Class: class}, comparedText(f)
			switch f.Verdict {
			case compare.Worse:
				test.Failure = &junitOutcome{Message: text, Text: "Test: " + printable(c.Method)}
			case compare.NotEnoughRuns:
				test.Skipped = &junitOutcome{Message: text}
			case compare.Better, compare.NoDifference:
				test.Out = text
			}
			s.Cases = append(s.Cases, test)
		}
	}
	for _, name := range c.OnlyA {
		s.Cases = append(s.Cases, junitCase{Name: "comparison", Class: printable("benchd." + name), Skipped: &junitOutcome{Message: "only A has this case"}})
	}
	return s
}

// comparedText is a compared figure in a line.
func comparedText(f compare.Figure) string {
	text := fmt.Sprintf("%s: A %s, B %s", verdictText(f), amount(f, f.A.Median), amount(f, f.B.Median))
	if f.Shift != nil {
		text += fmt.Sprintf(", %s (%s to %s)", compare.Percent(f.Shift.Ratio), compare.Percent(f.Shift.Low), compare.Percent(f.Shift.High))
	}
	return text
}
