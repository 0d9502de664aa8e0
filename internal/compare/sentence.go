package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/workload"
)

// Outcome is what the figures of a pair of cases come to together.
type Outcome string

// The outcomes.
const (
	IsBetter  Outcome = "better"              // a figure is better, and none is worse
	IsWorse   Outcome = "worse"               // a figure is worse, and none is better
	IsMixed   Outcome = "mixed"               // some are better and some worse
	IsSame    Outcome = "no difference shown" // of any figure
	IsUnknown Outcome = "not enough runs"     // for any figure
	IsRefused Outcome = "refused"
)

// Unheld marks a difference that does not hold after the correction for the number of figures.
const Unheld = "*"

// conclude sets the outcome of a case and the sentence that states it. The verdicts must be corrected.
func (c *Case) conclude() {
	c.Outcome = c.outcome()
	switch c.Outcome {
	case IsRefused:
		c.Sentence = "not compared: " + c.Refused
		return
	case IsUnknown:
		c.Sentence = fmt.Sprintf("not enough runs: %d of A and %d of B; want %d of each at least", len(c.RunsA), len(c.RunsB), stats.LeastRepeats)
		if min(len(c.RunsA), len(c.RunsB)) >= stats.LeastRepeats {
			c.Sentence = "not enough runs: no figure has enough values above 0 on both sides"
		}
		return
	case IsBetter, IsWorse, IsMixed, IsSame:
	}
	var differ []Figure
	var not []string
	for _, f := range c.Figures {
		switch f.Verdict {
		case Better, Worse:
			differ = append(differ, f)
		case NoDifference:
			not = append(not, Title(f.Name))
		case NotEnoughRuns:
		}
	}
	var parts []string
	if len(differ) > 0 {
		parts = append(parts, c.adjective()+c.changes(differ))
	}
	if len(differ) > 0 && len(not) > mostNamed {
		not = []string{strconv.Itoa(len(not)) + " figures"}
	}
	if len(not) > 0 {
		parts = append(parts, "no difference shown of "+listed(not))
	}
	c.Sentence = strings.Join(parts, "; ")
}

// mostNamed is how many figures a sentence names.
const mostNamed = 3

// changes names the first of the figures that differ, and the greatest changes of the others: of a mixed case the worse ones
// first.
func (c *Case) changes(differ []Figure) string {
	order := slices.Clone(differ)
	slices.SortStableFunc(order, func(a, b Figure) int {
		return cmp.Or(
			yes(b.Verdict == Worse)-yes(a.Verdict == Worse),
			yes(b.Name == "throughput_ops")-yes(a.Name == "throughput_ops"),
			cmp.Compare(math.Abs(math.Log(b.Shift.Ratio)), math.Abs(math.Log(a.Shift.Ratio))))
	})
	var parts []string
	for _, f := range order[:min(len(order), mostNamed)] {
		parts = append(parts, f.change(c.Outcome == IsMixed))
	}
	if more := len(order) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *Case) outcome() Outcome {
	has := make(map[Verdict]bool)
	for _, f := range c.Figures {
		has[f.Verdict] = true
	}
	switch {
	case c.Refused != "":
		return IsRefused
	case has[Better] && has[Worse]:
		return IsMixed
	case has[Better]:
		return IsBetter
	case has[Worse]:
		return IsWorse
	case has[NoDifference]:
		return IsSame
	}
	return IsUnknown
}

// adjective begins the sentence of a difference: speed is faster or slower, other figures are better or worse.
func (c *Case) adjective() string {
	speed := true
	for _, f := range c.Figures {
		if f.Verdict == Better || f.Verdict == Worse {
			speed = speed && isSpeed(f.Name)
		}
	}
	switch {
	case c.Outcome == IsMixed:
		return "B is better and worse: "
	case c.Outcome == IsBetter && speed:
		return "B is faster: "
	case c.Outcome == IsBetter:
		return "B is better: "
	case speed:
		return "B is slower: "
	}
	return "B is worse: "
}

// isSpeed reports whether a figure is a throughput or a time.
func isSpeed(name string) bool {
	_, name = workload.SplitGroup(name)
	base, unit := figure.Split(name)
	return name == figure.Throughput || name == figure.RowThroughput || strings.HasPrefix(name, "qps_") || base != "" && unit != (figure.Unit{})
}

// change is a difference with its interval: READ p99 +10.7 % (+8.5 to +14.0).
func (f Figure) change(verdict bool) string {
	text := fmt.Sprintf("%s %s (%s to %s)", Title(f.Name), Percent(f.Shift.Ratio), strings.TrimSuffix(Percent(f.Shift.Low), " %"), strings.TrimSuffix(Percent(f.Shift.High), " %"))
	if verdict {
		text += " " + string(f.Verdict)
	}
	if !f.Holds {
		text += " " + Unheld
	}
	return text
}

// Percent writes a factor as a change: +9.1 %.
func Percent(factor float64) string {
	change := 100 * (factor - 1)
	decimals := 1
	if change >= 99.95 || change <= -99.95 {
		decimals = 0
	}
	return fmt.Sprintf("%+.*f %%", decimals, change)
}

// Title writes the name of a figure as people say it: READ p99, or reads.READ p99 of group reads.
func Title(name string) string {
	group, own := workload.SplitGroup(name)
	return workload.InGroup(group, titleOf(own))
}

func titleOf(name string) string {
	switch name {
	case figure.Throughput:
		return "throughput"
	case figure.RowThroughput:
		return "throughput in rows"
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

func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}
