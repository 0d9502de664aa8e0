package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/figure"
)

// someDifferences is how many differences of settings and machines are printed.
const someDifferences = 20

// ComparisonTable writes a comparison for people.
func ComparisonTable(w io.Writer, c compare.Comparison, o Options) error {
	p := newPage(o)
	p.line(p.bold("B " + c.B + "  against  A " + c.A))
	for i, d := range c.Differences {
		if i == someDifferences {
			p.line(fmt.Sprintf("differs  and %d more: -o json has all", len(c.Differences)-i))
			break
		}
		p.wrap("differs  ", difference(d), plain)
	}
	if len(c.Differences) == 0 {
		p.line("differs  nothing besides what was measured")
	}
	for _, one := range c.Cases {
		p.comparedCase(one)
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
	p.conclusion(c)
	p.wrap("method   ", fmt.Sprintf("smallest effect %s %%; %s", trimmed(100*c.Smallest), c.Method), p.dim)
	return p.write(w)
}

func difference(d compare.Difference) string {
	value := func(s string) string {
		if s == "" {
			return none
		}
		return printable(s)
	}
	text := fmt.Sprintf("%s: A %s, B %s", printable(d.What), value(d.A), value(d.B))
	if len(d.Cases) > 0 {
		text += fmt.Sprintf(" (in %s)", strings.Join(d.Cases, "; "))
	}
	return text
}

func (p *page) comparedCase(c compare.Case) {
	p.line()
	name := c.A
	if c.B != c.A {
		name += "  against  " + c.B
	}
	p.line(p.bold(name), fmt.Sprintf("  %s of A, %s of B", runs(len(c.RunsA)), runs(len(c.RunsB))))
	if c.Refused != "" {
		p.wrap("refused  ", c.Refused, p.red)
	}
	if len(c.Figures) > 0 {
		g := &grid{left: 1}
		g.add("figure", "A", "B", "change", "95 % interval", "verdict")
		for _, f := range c.Figures {
			change, interval := none, none
			if s := f.Shift; s != nil {
				change, interval = signed(s.Ratio), signed(s.Low)+" to "+signed(s.High)
			}
			verdict := string(f.Verdict)
			if !f.Holds && (f.Verdict == compare.Better || f.Verdict == compare.Worse) {
				verdict += " *"
			}
			g.add(figureTitle(f.Name), amount(f, f.A.Median), amount(f, f.B.Median), change, interval, verdict)
		}
		p.grid(g)
	}
	for _, f := range c.Figures {
		for _, odd := range f.Odd {
			p.wrap("odd      ", fmt.Sprintf("%s of run %s is %s; its side's median is %s", figureTitle(f.Name), odd.Run, amount(f, odd.Value),
				amount(f, map[string]compare.Sample{"a": f.A, "b": f.B}[odd.Side].Median)), plain)
		}
	}
	for _, text := range c.Notes {
		p.wrap("note     ", printable(text), plain)
	}
}

// conclusion counts the verdicts.
func (p *page) conclusion(c compare.Comparison) {
	counts := make(map[compare.Verdict]int)
	refused, starred := 0, 0
	for _, one := range c.Cases {
		if one.Refused != "" {
			refused++
		}
		for _, f := range one.Figures {
			counts[f.Verdict]++
			if !f.Holds && (f.Verdict == compare.Better || f.Verdict == compare.Worse) {
				starred++
			}
		}
	}
	var parts []string
	for _, v := range []compare.Verdict{compare.Better, compare.Worse, compare.NoDifference, compare.NotEnoughRuns} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", v, counts[v]))
		}
	}
	if refused > 0 {
		parts = append(parts, fmt.Sprintf("refused: %d of %d cases", refused, len(c.Cases)))
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing to compare")
	}
	p.wrap("result   ", strings.Join(parts, ", "), plain)
	if starred > 0 {
		p.wrap("       * ", "does not hold after the correction for the number of figures", plain)
	}
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// signed writes a factor as a change: +9.1 %.
func signed(factor float64) string {
	change := 100 * (factor - 1)
	decimals := 1
	if change >= 99.95 || change <= -99.95 {
		decimals = 0
	}
	return fmt.Sprintf("%+.*f %%", decimals, change)
}

// trimmed writes a number without zeros at its end.
func trimmed(x float64) string { return fmt.Sprintf("%.4g", x) }

// amount writes a value of a figure.
func amount(f compare.Figure, x float64) string {
	base, unit := figure.Split(f.Name)
	switch {
	case unit != (figure.Unit{}) && base != "":
		return Micros(x / unit.Second * 1e6)
	case strings.HasSuffix(f.Name, "_ops"):
		return rate(x)
	}
	return strings.TrimSpace(trimmed(x) + " " + f.Unit)
}

// figureTitle writes the name of a figure as people say it: READ p99.
func figureTitle(name string) string {
	if name == "throughput_ops" {
		return "throughput"
	}
	base, _ := figure.Split(name)
	if base == "" {
		base = name
	}
	for _, s := range figure.Stats() {
		if op, ok := strings.CutSuffix(base, "_"+s.Name); ok {
			return strings.ToUpper(strings.ReplaceAll(op, "_", "-")) + " " + s.Title
		}
	}
	return base
}
