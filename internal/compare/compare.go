package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/workload"
)

// Settings are what a comparison depends on besides its runs.
type Settings struct {
	// Smallest is the smallest effect that is worth naming, as a share: 0.05 for 5 %.
	Smallest float64
	// Figures are the names of those to compare, such as throughput_ops and read_p99_us; empty for the usual ones.
	Figures []string
}

// Confidence is that of all intervals.
const Confidence = 0.95

// Comparison is B against A, as JSON has it.
type Comparison struct {
	Schema   int     `json:"schema"`
	Kind     string  `json:"kind"` // "comparison"
	A        string  `json:"a"`
	B        string  `json:"b"`
	Smallest float64 `json:"smallest_effect"`
	Method   string  `json:"method"`

	Differences []Difference `json:"differences"` // between the sides, besides what was measured
	Cases       []Case       `json:"cases"`
	OnlyA       []string     `json:"only_a"` // cases that B does not have
	OnlyB       []string     `json:"only_b"`
}

// Case is a case of A against one of B.
type Case struct {
	Name    string `json:"case"` // of the pair
	A       string `json:"a"`
	B       string `json:"b"`
	Refused string `json:"refused,omitempty"` // why the two must not be compared; there are no figures then
	// Outcome is what the figures come to together, and Sentence states it with its evidence.
	Outcome  Outcome  `json:"outcome"`
	Sentence string   `json:"sentence"`
	RunsA    []string `json:"runs_a"`
	RunsB    []string `json:"runs_b"`
	Notes    []string `json:"notes"` // what a reader must know beside the figures
	Figures  []Figure `json:"figures"`
}

// Figure is a figure of a case of A against that of B.
type Figure struct {
	Name    string       `json:"name"`
	Unit    string       `json:"unit"`
	A       Sample       `json:"a"`
	B       Sample       `json:"b"`
	Verdict Verdict      `json:"verdict"`
	Shift   *stats.Shift `json:"factor"`     // of B over A; null where there are too few runs
	Holds   bool         `json:"holds"`      // the difference is still there after the correction for many figures
	Odd     []Odd        `json:"odd_values"` // runs far from the others of their side
}

// Sample is the values of a side: one of each run.
type Sample struct {
	Values []float64 `json:"values"`
	Median float64   `json:"median"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
}

// Odd is a value that lies far from the others of its side. It is compared like the others.
type Odd struct {
	Side  string  `json:"side"` // a or b
	Run   string  `json:"run"`
	Value float64 `json:"value"`
}

// Method describes in a sentence how differences are found.
const Method = "factor of the medians of all pairs (Hodges-Lehmann) with the 95 % interval of the Mann-Whitney test, which assumes no " +
	"distribution; named when the interval leaves out 1 and the estimate is at least the smallest effect; corrected for the number of " +
	"figures by Benjamini-Hochberg at 5 %"

// New compares B with A.
func New(a, b Side, s Settings) Comparison {
	c := Comparison{
		Schema: 1, Kind: "comparison", A: a.Name, B: b.Name, Smallest: s.Smallest, Method: Method,
		Differences: differences(a, b), Cases: []Case{}, OnlyA: []string{}, OnlyB: []string{},
	}
	for _, p := range pairs(a, b) {
		switch {
		case p.b == nil:
			c.OnlyA = append(c.OnlyA, p.a.Name)
		case p.a == nil:
			c.OnlyB = append(c.OnlyB, p.b.Name)
		default:
			one := compareCases(p.a, p.b, s)
			one.Name = p.title(selectedBy(a.only, b.only))
			c.Cases = append(c.Cases, one)
		}
	}
	correct(c.Cases)
	for i := range c.Cases {
		c.Cases[i].conclude()
	}
	return c
}

// Worse reports whether a figure of some case is worse in B than in A.
func (c Comparison) Worse() bool {
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			if f.Verdict == Worse {
				return true
			}
		}
	}
	return false
}

type pair struct{ a, b *group }

// pairs matches the cases of two sides by their names, or where both sides were selected by a target or a value of the
// matrix, by what the cases have besides. Two sides of one case each are compared whatever the names.
func pairs(a, b Side) []pair {
	if len(a.cases) == 1 && len(b.cases) == 1 {
		return []pair{{&a.cases[0], &b.cases[0]}}
	}
	key := func(g *group) string { return g.Name }
	if without := selectedBy(a.only, b.only); len(without) > 0 {
		key = func(g *group) string { return identity(g.of, without) }
	}
	of := make(map[string]*group, len(b.cases))
	for i := range b.cases {
		of[key(&b.cases[i])] = &b.cases[i]
	}
	var out []pair
	paired := make(map[*group]bool)
	for i := range a.cases {
		other := of[key(&a.cases[i])]
		paired[other] = true
		out = append(out, pair{&a.cases[i], other})
	}
	for i := range b.cases {
		if !paired[&b.cases[i]] {
			out = append(out, pair{nil, &b.cases[i]})
		}
	}
	return out
}

// title is the name of a pair of cases: what both have in common.
func (p pair) title(without []string) string {
	switch x, y := identity(p.a.of, without), identity(p.b.of, without); {
	case p.a.Name == p.b.Name:
		return p.a.Name
	case len(without) > 0 && x == y:
		return x
	}
	return p.a.Name + "  against  " + p.b.Name
}

func compareCases(a, b *group, s Settings) Case {
	c := Case{
		A: a.Name, B: b.Name, RunsA: a.ids(), RunsB: b.ids(), Notes: append(a.notes("A"), b.notes("B")...), Figures: []Figure{},
	}
	if c.Refused = refusal(a, b); c.Refused != "" {
		return c
	}
	if note := oneAfterTheOther(a, b); note != "" {
		c.Notes = append(c.Notes, note)
	}
	c.Notes = append(c.Notes, foreignNotes(a, b)...)
	if byRow(a, b) {
		c.Notes = append(c.Notes, "operations of A and B insert batches of different sizes: the throughput is in rows, and response times are left out")
	}
	for _, name := range wanted(a, b, s.Figures) {
		c.Figures = append(c.Figures, compareFigure(name, a, b, s.Smallest))
	}
	return c
}

// wanted are the figures that both sides have, of those that were asked for or else of the usual ones: throughput, and
// median and tail of each operation.
func wanted(a, b *group, asked []string) []string {
	var out []string
	same, foreign := sameClock(a, b), a.foreign() != nil || b.foreign() != nil
	byRow := byRow(a, b)
	for name := range a.values {
		if byRow && (name == figure.Throughput || isLatency(name)) {
			continue
		}
		if _, both := b.values[name]; !both || !same && isLatency(name) {
			continue
		}
		if slices.Contains(asked, name) || len(asked) == 0 && (usual(name) || byRow && name == figure.RowThroughput || foreign && strings.HasSuffix(name, "_p95_us")) { // YCSB prints p95 and p99
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(x, y string) int {
		a, b := placeOf(x), placeOf(y)
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.stat, b.stat), figure.Order()(x, y))
	})
	return out
}

// place orders figures: those of runs first, then those of each operation by their percentile.
type place struct {
	operation string
	stat      int
}

func placeOf(name string) place {
	base, _ := figure.Split(name)
	for i, s := range figure.Stats() {
		if op, ok := strings.CutSuffix(cmp.Or(base, name), "_"+s.Name); ok {
			return place{op, i}
		}
	}
	return place{}
}

// byRow reports whether the operations of two cases insert batches of different sizes.
func byRow(a, b *group) bool {
	name, _ := result.ThroughputOf(a.of, b.of)
	return name == figure.RowThroughput
}

func usual(name string) bool {
	if strings.Contains(name, "_service_") {
		return false
	}
	for _, suffix := range []string{"_p50_us", "_p99_us", "_p999_us"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	_, own := workload.SplitGroup(name)
	return own == figure.Throughput
}

func compareFigure(name string, a, b *group, smallest float64) Figure {
	x, y := a.values[name], b.values[name]
	f := Figure{Name: name, Unit: a.units[name], A: sample(x), B: sample(y), Odd: append(odd("a", x), odd("b", y)...)}
	shift, ok := stats.RatioOf(f.A.Values, f.B.Values, Confidence)
	if ok {
		f.Shift = &shift
	}
	f.Verdict = verdict(f.Shift, HigherIsBetter(name), smallest)
	return f
}

func sample(values []value) Sample {
	s := Sample{Values: make([]float64, len(values))}
	for i, v := range values {
		s.Values[i] = v.x
	}
	s.Median, s.Min, s.Max = stats.Median(s.Values), slices.Min(s.Values), slices.Max(s.Values)
	return s
}

// odd names the values of a side that lie far from its median.
func odd(side string, values []value) []Odd {
	out := []Odd{}
	for _, i := range stats.Odd(sample(values).Values) {
		out = append(out, Odd{Side: side, Run: values[i].run, Value: values[i].x})
	}
	return out
}

// oneAfterTheOther warns where all runs of one side began before those of the other: a machine that changes in between
// looks like a difference of the sides.
func oneAfterTheOther(a, b *group) string {
	firstA, lastA, okA := a.began()
	firstB, lastB, okB := b.began()
	if !okA || !okB || len(a.runs) < stats.LeastRepeats {
		return ""
	}
	switch {
	case lastA.Before(firstB):
		return "all runs of A began before those of B: what changed on the machines in between is part of the difference; " +
			"a suite with order: interleaved avoids that"
	case lastB.Before(firstA):
		return "all runs of B began before those of A: what changed on the machines in between is part of the difference; " +
			"a suite with order: interleaved avoids that"
	}
	return ""
}
