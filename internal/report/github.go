package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
)

// mostRows bounds the rows of a summary: GitHub cuts one at 1 MiB.
const mostRows = 500

// GitHub writes a document as the Markdown of a job's summary: the outcome, a table of the figures, then what is bad.
func GitHub(w io.Writer, d Document) error {
	var b strings.Builder
	for _, c := range d.Comparisons {
		githubComparison(&b, c)
	}
	if runs := d.runs(); len(runs) > 0 {
		githubRuns(&b, cmp.Or(d.title(), d.ID), runs)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summaryText is a text from elsewhere for Markdown, without the end of a long one.
func summaryText(s string) string { return inline(cut(s, longText)) }

// badge is the mark of an outcome.
func badge(good bool) string {
	if good {
		return "✅"
	}
	return "❌"
}

func githubRuns(b *strings.Builder, name string, runs []result.Run) {
	problems := annotations(Document{Suite: &result.Suite{Runs: runs}})
	counts := make(map[result.Status]int)
	for _, r := range runs {
		counts[r.Status]++
	}
	var parts []string
	for _, status := range []result.Status{result.Complete, result.Partial, result.Failed, result.Cancelled, result.Running, result.Queued} {
		if counts[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	fmt.Fprintf(b, "## %s %s\n\n%s: %s.\n", badge(len(problems) == 0), summaryText(name), several(len(runs), "run"), strings.Join(parts, ", "))
	b.WriteString("\n| Case | Run | Status | Loop | Throughput | Operation | Count | p50 | p99 | p99.9 |\n| --- | --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: |\n")
	rows := 0
	for _, r := range runs {
		p := r.Subject()
		if p == nil {
			githubRow(b, &rows, r.Case, r.ID, string(r.Status), none, none, none, none, none, none, none)
			continue
		}
		for _, o := range p.Operations {
			op := o.Op
			if o.Outcome != "OK" {
				op += " " + o.Outcome
			}
			if o.PartOf != nil {
				op += " of " + *o.PartOf
			}
			githubRow(b, &rows, r.Case, r.ID, string(r.Status), p.Loop, rate(p.Throughput), op, whole(o.Count), percentile(o.P50), percentile(o.P99), percentile(o.P999))
		}
	}
	if rows > mostRows {
		fmt.Fprintf(b, "\nand %d more rows.\n", rows-mostRows)
	}
	if len(problems) > 0 {
		b.WriteByte('\n')
	}
	for _, a := range problems {
		fmt.Fprintf(b, "- %s **%s**: %s\n", badge(false), summaryText(a.title), summaryText(a.text))
	}
	b.WriteByte('\n')
}

func githubRow(b *strings.Builder, rows *int, cells ...string) {
	if *rows++; *rows > mostRows {
		return
	}
	for _, cell := range cells {
		b.WriteString("| " + summaryText(cell) + " ")
	}
	b.WriteString("|\n")
}

func githubComparison(b *strings.Builder, c compare.Comparison) {
	fmt.Fprintf(b, "## %s %s against %s\n\n", badge(!c.Worse()), summaryText(c.B), summaryText(c.A))
	text, _ := outcomes(c)
	fmt.Fprintf(b, "%s.\n", summaryText(text))
	rows, head := 0, false
	for _, one := range ordered(c.Cases) {
		for _, f := range one.Figures {
			if !named(f) {
				continue
			}
			if !head {
				b.WriteString("\n| Case | Figure | A | B | Change | 95 % interval | Verdict |\n| --- | --- | ---: | ---: | ---: | --- | --- |\n")
				head = true
			}
			githubRow(b, &rows, one.Name, compare.Title(f.Name), amount(f, f.A.Median), amount(f, f.B.Median), compare.Percent(f.Shift.Ratio),
				compare.Percent(f.Shift.Low)+" to "+compare.Percent(f.Shift.High), verdictText(f))
		}
	}
	if rows > mostRows {
		fmt.Fprintf(b, "\nand %d more rows.\n", rows-mostRows)
	}
	if len(c.Differences) > 0 {
		b.WriteString("\nWhat else differs:\n\n")
	}
	for i, d := range c.Differences {
		if i == someDifferences {
			fmt.Fprintf(b, "- and %d more\n", len(c.Differences)-i)
			break
		}
		b.WriteString("- " + summaryText(difference(d)) + "\n")
	}
	b.WriteString("\n### Cases\n\n")
	for _, one := range ordered(c.Cases) {
		fmt.Fprintf(b, "- **%s**: %s\n", summaryText(one.Name), summaryText(one.Sentence))
	}
	fmt.Fprintf(b, "\nSmallest effect %s %%; %s\n\n", trimmed(100*c.Smallest), summaryText(c.Method))
}

// annotation is something bad about a document: an error on the page of a workflow.
type annotation struct{ title, text string }

// Annotations writes what is bad about a document as commands of a GitHub workflow: a step that prints them shows each as an error.
func Annotations(w io.Writer, d Document) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, a := range annotations(d) {
		if _, err := fmt.Fprintf(w, "::error title=%s::%s\n", title.Replace(printable(a.title)), escape.Replace(printable(a.text))); err != nil {
			return err
		}
	}
	return nil
}

func annotations(d Document) []annotation {
	var out []annotation
	for _, c := range d.Comparisons {
		for _, one := range c.Cases {
			for _, f := range one.Figures {
				if f.Verdict == compare.Worse {
					out = append(out, annotation{one.Name + ", " + compare.Title(f.Name), comparedText(f)})
				}
			}
		}
	}
	for _, r := range d.runs() {
		if r.ReplacedBy != "" {
			continue
		}
		reason := cmp.Or(r.Reason, strings.Join(r.Missing, "; "), "it is "+string(r.Status))
		switch {
		case r.Violated:
			out = append(out, annotation{r.ID + " violated a limit", reason})
		case r.Status != result.Complete:
			out = append(out, annotation{r.ID + " is " + string(r.Status), reason})
		}
		for _, v := range r.Verdicts {
			if v.Bad() && v.Test != "" {
				out = append(out, annotation{r.ID + " " + v.Name, v.Because})
			}
		}
	}
	return out
}
