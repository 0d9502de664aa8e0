package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/trend"
)

// TrendTable writes a trend for people: the changes of each figure, then a line for each suite of its case.
func TrendTable(w io.Writer, t trend.Trend, o Options) error {
	p := newPage(o)
	p.line(p.bold("trend of " + printable(t.Of)))
	submitted := make(map[string]time.Time, len(t.Suites))
	for _, s := range t.Suites {
		submitted[s.ID] = s.Submitted
	}
	if n := len(t.Suites); n > 0 {
		p.wrap("suites   ", fmt.Sprintf("%d, %s to %s", n, night(t.Suites[0].Submitted), night(t.Suites[n-1].Submitted)), plain)
	}
	for _, c := range t.Cases {
		p.trendCase(c, submitted)
	}
	p.line()
	p.wrap("method   ", fmt.Sprintf("smallest change %s %%; %s; at most one false alarm in %s suites over all figures together", trimmed(100*t.Smallest), t.Test, trimmed(t.Quiet)), p.dim)
	return p.write(w)
}

// night is the date of a suite.
func night(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func (p *page) trendCase(c trend.Case, submitted map[string]time.Time) {
	p.line()
	p.line(p.bold(printable(c.Name)), "  "+c.Loop+" loop")
	marks := make(map[string][]string) // by suite
	for _, f := range c.Figures {
		if len(f.Changes) == 0 {
			p.wrap("", fmt.Sprintf("%s: no change found in %s", compare.Title(f.Name), several(len(f.Points), "suite")), plain)
		}
		for _, change := range f.Changes {
			marks[change.Suite] = append(marks[change.Suite], fmt.Sprintf("%s %s", compare.Title(f.Name), change.Verdict))
			p.wrap("", TrendChange(f.Name, change, submitted), p.verdict(change.Verdict))
			for i, d := range change.Differences {
				if i == firstDifferences {
					p.wrap("differs  ", fmt.Sprintf("and %d more: -o json has all", len(change.Differences)-i), plain)
					break
				}
				p.wrap("differs  ", strings.NewReplacer(": A ", ": before ", ", B ", ", after ").Replace(difference(d)), plain)
			}
		}
	}
	p.trendPoints(c, submitted, marks)
}

// TrendChange describes a change in a sentence.
func TrendChange(figure string, c trend.Change, submitted map[string]time.Time) string {
	text := fmt.Sprintf("%s %s: %s", compare.Title(figure), c.Verdict, compare.Percent(c.Ratio))
	if c.Low != nil && c.High != nil {
		text += fmt.Sprintf(" (95 %% interval %s to %s)", compare.Percent(*c.Low), compare.Percent(*c.High))
	}
	text += fmt.Sprintf(" from suite %s of %s on", c.Suite, night(submitted[c.Suite]))
	if c.Earliest != c.Latest {
		text += fmt.Sprintf(" (between %s and %s)", c.Earliest, c.Latest)
	}
	return text + fmt.Sprintf("; found in %s: statistic %.2f, threshold %.2f", c.Found, c.Statistic, c.Threshold)
}

// trendPoints writes the series of a case, a line for each suite.
func (p *page) trendPoints(c trend.Case, submitted map[string]time.Time, marks map[string][]string) {
	head := []string{"submitted", "suite", "runs"}
	rows := make(map[string][]string)
	var order []string
	for i, f := range c.Figures {
		head = append(head, compare.Title(f.Name), "95 % interval")
		for _, point := range f.Points {
			row := rows[point.Suite]
			if row == nil {
				row = []string{night(submitted[point.Suite]), printable(point.Suite), strconv.Itoa(point.Runs)}
				order = append(order, point.Suite)
			}
			for len(row) < 3+2*i {
				row = append(row, none)
			}
			interval := none
			if point.Low != nil && point.High != nil {
				interval = figureAmount(f, *point.Low) + " to " + figureAmount(f, *point.High)
			}
			rows[point.Suite] = append(row, figureAmount(f, point.Value), interval)
		}
	}
	g := &grid{left: 2}
	g.add(append(head, "change")...)
	for _, suite := range order {
		row := rows[suite]
		for len(row) < len(head) {
			row = append(row, none)
		}
		g.add(append(row, strings.Join(marks[suite], ", "))...)
	}
	for i, line := range g.lines() {
		if i == 0 {
			line = p.dim(line)
		}
		p.line(line)
	}
}

func figureAmount(f trend.Figure, x float64) string {
	return amount(compare.Figure{Name: f.Name, Unit: f.Unit}, x)
}
