package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/figure"
)

// Bounds of what is printed before the result of a comparison, so that a screen shows both.
const (
	firstDifferences = 6  // of settings and machines; further ones are printed behind the cases
	someDifferences  = 40 // that are printed at all
	manyCases        = 10 // above it, all sentences come first, and cases without a difference have no table
)

// ComparisonTable writes a comparison for people: what differs besides the figures, the result, then each case. Cases with a
// difference come first, the worse ones before the better ones.
func ComparisonTable(w io.Writer, c compare.Comparison, o Options) error {
	p := newPage(o)
	p.line(p.bold(p.t("B " + printable(c.B) + "  against  A " + printable(c.A))))
	later := p.differences(c.Differences)
	general := generalNotes(c)
	for _, n := range general {
		p.wrap("note     ", printable(n)+inCases(c, n), plain)
	}
	p.result(c)
	cases, brief := ordered(c.Cases), len(c.Cases) > manyCases
	if brief {
		p.sentences(cases)
	}
	for _, one := range cases {
		p.comparedCase(one, general, brief)
	}
	for _, only := range []struct {
		side  string
		cases []string
	}{{"A", c.OnlyA}, {"B", c.OnlyB}} {
		if len(only.cases) > 0 {
			p.line()
			p.wrap("only in "+only.side+"  ", strings.Join(only.cases, ", "), plain)
		}
	}
	p.line()
	for i, d := range later {
		if i == someDifferences {
			p.wrap("differs  ", fmt.Sprintf("and %d more: -o json has all", len(later)-i), plain)
			break
		}
		p.wrap("differs  ", difference(d), plain)
	}
	p.wrap("method   ", fmt.Sprintf("smallest effect %s %%; %s", trimmed(100*c.Smallest), c.Method), p.dim)
	return p.write(w)
}

// differences writes the first ones and returns the others.
func (p *page) differences(all []compare.Difference) (later []compare.Difference) {
	if len(all) == 0 {
		p.wrap("differs  ", "nothing besides what was measured", plain)
	}
	n, terms := len(all), 0
	for terms < n && all[terms].IsTerm() {
		terms++ // they come first, and before any figure
	}
	if n > firstDifferences {
		n = max(firstDifferences-1, terms)
	}
	for _, d := range all[:n] {
		p.wrap("differs  ", difference(d), plain)
	}
	if n < len(all) {
		p.wrap("differs  ", fmt.Sprintf("and %d more, listed at the end", len(all)-n), plain)
	}
	return all[n:]
}

func difference(d compare.Difference) string {
	value := func(s string) string {
		if s == "" {
			return none
		}
		return printable(s)
	}
	text := fmt.Sprintf("%s: A %s, B %s", printable(d.What), value(d.A), value(d.B))
	switch {
	case len(d.Cases) > 3:
		text += fmt.Sprintf(" (in %d cases)", len(d.Cases))
	case len(d.Cases) > 0:
		text += fmt.Sprintf(" (in %s)", printable(strings.Join(d.Cases, "; ")))
	}
	return text
}

// generalNotes are those of several cases, in their order: they are printed once.
func generalNotes(c compare.Comparison) []string {
	count := make(map[string]int)
	var out []string
	for _, one := range c.Cases {
		for _, n := range one.Notes {
			if count[n]++; count[n] == 2 {
				out = append(out, n)
			}
		}
	}
	return out
}

func inCases(c compare.Comparison, note string) string {
	n := 0
	for _, one := range c.Cases {
		if slices.Contains(one.Notes, note) {
			n++
		}
	}
	if n == len(c.Cases) {
		return " (all cases)"
	}
	return fmt.Sprintf(" (%d of %d cases)", n, len(c.Cases))
}

// rank orders outcomes by what a reader looks for first.
func rank(o compare.Outcome) int {
	return slices.Index([]compare.Outcome{
		compare.IsWorse, compare.IsMixed, compare.IsBetter, compare.IsRefused, compare.IsUnknown, compare.IsSame,
	}, o)
}

// ordered are the cases by their outcomes; those of an outcome stay in their order.
func ordered(cases []compare.Case) []compare.Case {
	return slices.SortedStableFunc(slices.Values(cases), func(a, b compare.Case) int { return cmp.Compare(rank(a.Outcome), rank(b.Outcome)) })
}

// result counts the outcomes of the cases and the verdicts of the figures.
func (p *page) result(c compare.Comparison) {
	outcomes, figures := make(map[compare.Outcome]int), make(map[compare.Verdict]int)
	starred := 0
	for _, one := range c.Cases {
		outcomes[one.Outcome]++
		for _, f := range one.Figures {
			figures[f.Verdict]++
			if named(f) && !f.Holds {
				starred++
			}
		}
	}
	if len(c.Cases) == 0 {
		p.wrap("result   ", "nothing to compare: A and B have no case in common", plain)
		return
	}
	if len(c.Cases) > 1 {
		var parts []string
		for _, o := range []compare.Outcome{compare.IsWorse, compare.IsMixed, compare.IsBetter, compare.IsRefused, compare.IsUnknown, compare.IsSame} {
			if n := outcomes[o]; n > 0 {
				parts = append(parts, p.outcome(o)(p.t(fmt.Sprintf("%d %s", n, o))))
			}
		}
		p.line(p.label("result   "), p.t(several(len(c.Cases), "case")), p.t(": "), strings.Join(parts, p.t(", ")))
	}
	var parts []string
	for _, v := range []compare.Verdict{compare.Worse, compare.Better, compare.NoDifference, compare.NotEnoughRuns} {
		if figures[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", figures[v], v))
		}
	}
	if len(parts) > 0 {
		p.wrap("figures  ", strings.Join(parts, ", "), plain)
	}
	if starred > 0 {
		p.wrap("       * ", "does not hold after the correction for the number of figures", plain)
	}
}

// sentences writes that of each case in its order, and the names of those without a difference together.
func (p *page) sentences(cases []compare.Case) {
	p.line()
	var same []string
	for _, c := range cases {
		if c.Outcome == compare.IsSame {
			same = append(same, printable(c.Name))
			continue
		}
		p.wrapBehind("  ", p.bold(printable(c.Name))+"\n  ", printable(c.Sentence), p.outcome(c.Outcome))
	}
	if len(same) > 0 {
		p.line(p.bold(p.t(string(compare.IsSame) + " in " + several(len(same), "case"))))
		p.wrapBehind("  ", "  ", strings.Join(same, "; "), plain)
	}
}

// comparedCase writes a case. In brief, its sentence is printed before all cases, and a case without a difference is left out
// unless there is something to note.
func (p *page) comparedCase(c compare.Case, general []string, brief bool) {
	notes := slices.DeleteFunc(slices.Clone(c.Notes), func(n string) bool { return slices.Contains(general, n) })
	odd := slices.ContainsFunc(c.Figures, func(f compare.Figure) bool { return len(f.Odd) > 0 })
	same := c.Outcome == compare.IsSame
	if brief && (same || len(c.Figures) == 0) && len(notes) == 0 && !odd {
		return
	}
	p.line()
	p.line(p.bold(printable(c.Name)), p.t(fmt.Sprintf("  %s of A, %s of B", runs(len(c.RunsA)), runs(len(c.RunsB)))))
	if !brief {
		p.wrap("", printable(c.Sentence), p.outcome(c.Outcome))
	}
	if !brief || !same {
		p.comparedFigures(c)
	}
	for _, f := range c.Figures {
		for _, odd := range f.Odd {
			p.wrap("odd      ", fmt.Sprintf("%s of run %s is %s; its side's median is %s", compare.Title(f.Name), odd.Run, amount(f, odd.Value),
				amount(f, map[string]compare.Sample{"a": f.A, "b": f.B}[odd.Side].Median)), plain)
		}
	}
	for _, text := range notes {
		p.wrap("note     ", printable(text), plain)
	}
}

func (p *page) comparedFigures(c compare.Case) {
	if len(c.Figures) == 0 {
		return
	}
	g := &grid{left: 1}
	g.add(p.all([]string{"figure", "A", "B", "change", "95 % interval", "verdict"})...)
	for _, f := range c.Figures {
		change, interval := none, none
		if s := f.Shift; s != nil {
			change, interval = compare.Percent(s.Ratio), compare.Percent(s.Low)+" to "+compare.Percent(s.High)
		}
		g.add(p.t(compare.Title(f.Name)), amount(f, f.A.Median), amount(f, f.B.Median), change, p.t(interval), p.t(verdictText(f)))
	}
	for i, line := range g.lines() {
		if i == 0 {
			p.line(p.dim(line))
			continue
		}
		f := c.Figures[i-1]
		verdict := p.t(verdictText(f))
		p.line(strings.TrimSuffix(line, verdict), p.verdict(f.Verdict)(verdict))
	}
}

func named(f compare.Figure) bool { return f.Verdict == compare.Better || f.Verdict == compare.Worse }

func verdictText(f compare.Figure) string {
	if named(f) && !f.Holds {
		return string(f.Verdict) + " " + compare.Unheld
	}
	return string(f.Verdict)
}

// verdict is the colour of a verdict.
func (p *page) verdict(v compare.Verdict) func(string) string {
	switch v {
	case compare.Better:
		return p.green
	case compare.Worse:
		return p.red
	case compare.NotEnoughRuns:
		return p.yellow
	case compare.NoDifference:
	}
	return plain
}

// outcome is the colour of an outcome.
func (p *page) outcome(o compare.Outcome) func(string) string {
	switch o {
	case compare.IsBetter:
		return p.green
	case compare.IsWorse:
		return p.red
	case compare.IsMixed, compare.IsRefused, compare.IsUnknown:
		return p.yellow
	case compare.IsSame:
	}
	return plain
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func runs(n int) string { return several(n, "run") }

// trimmed writes a number without zeros at its end.
func trimmed(x float64) string { return fmt.Sprintf("%.4g", x) }

// amount writes a value of a figure.
func amount(f compare.Figure, x float64) string {
	base, unit := figure.Split(f.Name)
	switch {
	case unit != (figure.Unit{}) && base != "":
		return Micros(x / unit.Second * 1e6)
	case strings.HasSuffix(f.Name, "_ops"), f.Name == figure.RowThroughput:
		return rate(x)
	}
	return strings.TrimSpace(trimmed(x) + " " + f.Unit)
}
