package bottleneck

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// A rule holds if its measure is beyond the threshold in at least leastShare of its points, and in at least leastPoints.
const (
	leastShare  = 0.5
	leastPoints = 3
)

// enough reports whether so many points beyond a threshold are a limit.
func enough(beyond, points int) bool {
	return beyond >= leastPoints && float64(beyond) >= leastShare*float64(points)
}

// tested is the outcome of a rule: its evidence, or what would have to be observed to test it.
type tested struct {
	rule      descriptor.Bottleneck
	agents    []string // of rules for agents
	resource  string   // of rules for agents
	threshold string
	evidence  *result.Evidence
	even      float64 // percent; of uneven rules
	missing   string
}

func (t *tested) holds() bool { return t.evidence != nil && t.evidence.Holds }

func sortRules(rules []descriptor.Bottleneck) {
	slices.SortStableFunc(rules, func(a, b descriptor.Bottleneck) int { return byCause(a.Name, b.Name) })
}

// test tests a rule on all sources of its figures, and returns the one that is furthest beyond the threshold.
func (x *examination) test(rule descriptor.Bottleneck) tested {
	out := tested{rule: rule, threshold: Threshold(rule)}
	if rule.Uneven {
		return x.uneven(out)
	}
	few := 0
	for _, c := range x.figures.courses(rule.Measure) {
		with, ok := x.conditions(rule, c.source)
		if !ok {
			continue
		}
		if len(c.values) < leastPoints {
			few = max(few, len(c.values))
			continue
		}
		beyond := 0
		for i, value := range c.values {
			if rule.Beyond(value) && allBeyond(rule.With, with, c.at[i]) {
				beyond++
			}
		}
		out.propose(evidence(rule, c, beyond))
	}
	if out.evidence == nil {
		out.missing = missing(rule, few)
	}
	return out
}

// conditions computes the further measures of a rule; false if the source has not reported all of their figures.
func (x *examination) conditions(rule descriptor.Bottleneck, source string) ([]course, bool) {
	var all []course
	for _, m := range rule.With {
		c, ok := x.figures.course(m, source)
		if !ok {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}

func allBeyond(with []descriptor.Measure, courses []course, at float64) bool {
	for i, m := range with {
		if value, ok := courses[i].near(at); !ok || !m.Beyond(value) {
			return false
		}
	}
	return true
}

func evidence(rule descriptor.Bottleneck, c course, beyond int) result.Evidence {
	e := result.Evidence{
		Rule: rule.Name, Holds: enough(beyond, len(c.values)), Source: c.source, Figure: figureText(rule.Measure),
		Value: c.mean(), Limit: rule.Limit, Unit: rule.Unit, Points: len(c.values),
	}
	if e.Points > 0 {
		e.Share = float64(beyond) / float64(e.Points)
	}
	return e
}

// propose keeps the evidence that is further beyond the threshold.
func (t *tested) propose(e result.Evidence) {
	further := func(a, b *result.Evidence) int {
		value := cmp.Compare(a.Value, b.Value)
		if t.rule.Below {
			value = -value
		}
		return cmp.Or(cmp.Compare(truth(a.Holds), truth(b.Holds)), cmp.Compare(a.Share, b.Share), value)
	}
	if t.evidence == nil || further(&e, t.evidence) > 0 {
		t.evidence = &e
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// missing describes what would have to be observed to test a rule.
func missing(rule descriptor.Bottleneck, points int) string {
	figures := rule.Figures()
	for _, m := range rule.With {
		figures = append(figures, m.Figures()...)
	}
	for _, figure := range []string{rule.Whole, rule.Parts} {
		if figure != "" {
			figures = append(figures, figure)
		}
	}
	slices.Sort(figures)
	text := title(rule.Name) + ": " + strings.Join(slices.Compact(figures), ", ")
	if points > 0 && points < leastPoints {
		return fmt.Sprintf("%s: at least %d points, of which this phase has %d: measure for longer", text, leastPoints, points)
	}
	if rule.Observe != "" {
		text += ": " + rule.Observe
	}
	return text
}

// sentence renders the sentence of a rule that holds.
func (t *tested) sentence() string {
	e := t.evidence
	return strings.NewReplacer("{source}", e.Source, "{value}", withUnit(e.Value, e.Unit), "{even}", withUnit(t.even, "percent")).Replace(t.rule.Sentence)
}

// Threshold describes when a rule holds, for the documentation and a verdict's test.
func Threshold(rule descriptor.Bottleneck) string {
	if rule.Uneven {
		text := fmt.Sprintf("share of %s at least %s times the mean of the others", figureText(rule.Measure), number(rule.Limit))
		if rule.LeastShare > 0 {
			text += fmt.Sprintf(" and %s of the sum", withUnit(rule.LeastShare, "percent"))
		}
		return text
	}
	texts := []string{measureText(rule.Measure)}
	for _, m := range rule.With {
		texts = append(texts, measureText(m))
	}
	return strings.Join(texts, " and ")
}

func measureText(m descriptor.Measure) string {
	side := "above"
	if m.Below {
		side = "below"
	}
	return figureText(m) + " " + side + " " + withUnit(m.Limit, m.Unit)
}

func figureText(m descriptor.Measure) string {
	text := m.Figure
	if m.Times != "" {
		text += " × " + m.Times
	}
	if m.Per != "" {
		text += " / " + m.Per
	}
	return text
}

// number formats a value with about three digits.
func number(v float64) string {
	decimals := 2
	switch {
	case v >= 100 || v <= -100:
		return result.Thousands(uint64(v + 0.5))
	case v >= 10:
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func withUnit(v float64, unit string) string {
	switch unit {
	case "":
		return number(v)
	case "percent":
		return number(v) + " %"
	}
	return number(v) + " " + unit
}
