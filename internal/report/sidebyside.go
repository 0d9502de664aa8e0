package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// smallestEffect is the difference between targets that is worth naming, as benchctl compare has it by default.
const smallestEffect = 0.05

// rivals are the cases of several targets that are the same otherwise.
type rivals struct {
	scenario string
	name     string // of the case, without the target
	of       map[string]result.Case
}

// rivalsOf groups the measured cases of a suite of several targets.
func rivalsOf(s result.Suite) []rivals {
	measured := measuredCases(s)
	if len(targetsOf(measured)) < 2 {
		return nil
	}
	var all []rivals
	for _, c := range measured {
		parts := []string{c.Scenario}
		for _, a := range c.Axes {
			if a.Key != compare.TargetKey {
				parts = append(parts, a.Key+"="+a.Value)
			}
		}
		name := strings.Join(parts, " ")
		i := slices.IndexFunc(all, func(r rivals) bool { return r.name == name })
		if i < 0 {
			all = append(all, rivals{scenario: c.Scenario, name: name, of: make(map[string]result.Case)})
			i = len(all) - 1
		}
		all[i].of[c.Target] = c
	}
	return slices.DeleteFunc(all, func(r rivals) bool { return len(r.of) < 2 })
}

// throughput is the mean throughput of a target, in the unit of all: operations, or rows where the batches of targets differ.
func (r rivals) throughput(target string) float64 {
	name, _ := r.measure()
	return meanFigure(r.of[target], name)
}

// measure is the figure by which the targets are compared, and its unit.
func (r rivals) measure() (name, unit string) {
	return result.ThroughputOf(slices.Collect(maps.Values(r.of))...)
}

// ranked are the targets with a throughput, the fastest first.
func (r rivals) ranked(targets []string) []string {
	have := slices.DeleteFunc(slices.Clone(targets), func(t string) bool { return r.throughput(t) <= 0 })
	slices.SortStableFunc(have, func(a, b string) int {
		x, y := r.throughput(a), r.throughput(b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return have
}

// testable reports whether all targets have enough repeats for a test (law 8).
func (r rivals) testable() bool {
	for _, c := range r.of {
		if len(c.Runs) < stats.LeastRepeats {
			return false
		}
	}
	return true
}

// text ranks the targets in a sentence.
func (r rivals) text(targets []string) string {
	ranked := r.ranked(targets)
	if len(ranked) < 2 {
		return r.name + ": fewer than two targets have a complete run."
	}
	first := r.throughput(ranked[0])
	_, unit := r.measure()
	text := fmt.Sprintf("%s: %s has the highest throughput, %s %s; ", r.name, ranked[0], rate(first), unit)
	others := make([]string, 0, len(ranked))
	for _, t := range ranked[1:] {
		x := r.throughput(t)
		others = append(others, fmt.Sprintf("%s times that of %s (%s)", factor(first/x), t, rate(x)))
	}
	text += strings.Join(others, ", ")
	if !r.testable() {
		text += untested()
	}
	return text + "."
}

func factor(x float64) string {
	if x < 10 {
		return fixed(x, 2)
	}
	return fixed(x, 1)
}

// rivalSentences are the conclusions about the targets of a suite: a sentence for each case, or for each scenario where there
// are many cases.
func rivalSentences(s result.Suite) []string {
	all, names := rivalsOf(s), targetsOf(measuredCases(s))
	if len(all) > mostCases {
		return wins(all, names)
	}
	out := make([]string, 0, len(all))
	for _, r := range all {
		out = append(out, r.text(names))
	}
	return out
}

// addTargets adds the chapter that compares the targets of a suite.
func (b *maker) addTargets(s result.Suite, targets descriptor.List) {
	all := rivalsOf(s)
	if len(all) == 0 {
		return
	}
	names := targetsOf(measuredCases(s))
	c := book.Chapter{Title: "Targets compared", Tables: []book.Table{rivalsTable(all, names)}}
	for _, text := range termDifferences(s) {
		c.Text = append(c.Text, "- "+text)
	}
	for _, r := range all {
		c.Text = append(c.Text, "- "+r.text(names))
	}
	c.Text = append(c.Text, testedTargets(s, names, targets)...)
	b.Chapters = append(b.Chapters, c)
}

// wins are a sentence for each scenario: which target is first in how many of its cases.
func wins(all []rivals, targets []string) []string {
	var out []string
	for _, scenario := range distinct(all, func(r rivals) string { return r.scenario }) {
		var of []rivals
		first := make(map[string]int)
		testable := true
		for _, r := range all {
			if ranked := r.ranked(targets); printable(r.scenario) == scenario && len(ranked) > 1 {
				of = append(of, r)
				first[ranked[0]]++
				testable = testable && r.testable()
			}
		}
		if len(of) == 0 {
			continue
		}
		if len(of) == 1 {
			out = append(out, of[0].text(targets))
			continue
		}
		var parts []string
		for _, t := range targets {
			if first[t] > 0 {
				parts = append(parts, fmt.Sprintf("%s in %d of %d cases", t, first[t], len(of)))
			}
		}
		text := scenario + ": highest throughput: " + strings.Join(parts, ", ")
		if !testable {
			text += untested()
		}
		out = append(out, text+".")
	}
	return out
}

// untested ends a sentence about a ranking that no test supports.
func untested() string {
	return fmt.Sprintf("; not tested: fewer than %d runs of each", stats.LeastRepeats)
}

// testedTargets compares the first target with each other one by the test of package compare, where there are enough repeats.
func testedTargets(s result.Suite, names []string, targets descriptor.List) []string {
	side := func(target string) (compare.Side, error) {
		return compare.NewSide(target, []result.Suite{s}, compare.Selection{Where: []plan.Setting{{Key: compare.TargetKey, Value: target}}}, targets)
	}
	first, err := side(names[0])
	if err != nil {
		return nil // none of its cases has a complete run
	}
	var out []string
	for _, name := range names[1:] {
		other, err := side(name)
		if err != nil {
			continue
		}
		c := compare.New(first, other, compare.Settings{Smallest: smallestEffect})
		for _, one := range c.Cases {
			if one.Outcome != compare.IsUnknown {
				out = append(out, fmt.Sprintf("- Tested, A %s, B %s, %s: %s", names[0], name, one.Name, sentence(plainWords(one.Sentence))))
			}
		}
	}
	if len(out) > 0 {
		out = append(out, "Tested: smallest effect 5 %; "+compare.Method+".")
	}
	return out
}

// rivalsTable has a row for each case with the throughput of each target.
func rivalsTable(all []rivals, targets []string) book.Table {
	t := book.Table{
		How:     "Mean throughput over the complete runs of each target. The factor is that of the highest over the second.",
		Columns: slices.Concat(names("case"), figures("ops/s", targets...), names("highest"), figures("", "factor")),
	}
	for i := range targets {
		t.Columns[1+i].Names = true
		t.Columns[1+i].Head += " (ops/s)"
	}
	for _, r := range all {
		row := texts(r.name)
		if name, _ := r.measure(); name != figure.Throughput {
			t.Notes = append(t.Notes, r.name+": in rows per second, because the batches of targets differ")
		}
		for _, target := range targets {
			if x := r.throughput(target); x >= 0 {
				row = append(row, rateCell(x))
			} else {
				row = append(row, book.Text(none))
			}
		}
		ranked := r.ranked(targets)
		if len(ranked) < 2 {
			row = append(row, texts(none, none)...)
		} else {
			f := r.throughput(ranked[0]) / r.throughput(ranked[1])
			row = append(row, book.Text(ranked[0]), book.Number(f, factor(f)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
