// Package figure is the vocabulary of figures: what a run, and each of its operations, is measured by.
//
//  1. OfRuns and Stats are the table of them. An entry has the figure's name and unit, what a case needs to have it, how it
//     is read off a Measurement, and which value stands for several runs. A figure is added there, and nowhere else.
//  2. A Vocabulary joins the columns to it that the descriptions of targets bring.
//  3. A Measurement is made by package result from a run, or from one agent's part in it; a Vocabulary reads all figures off it.
//  4. Parse takes the name of a column apart: what tells rows apart, a figure of a whole run, or a figure of one operation.
//     Anything else is a setting of the cases, or in nothing but what was published.
//  5. MissingRequirement reports what a case would need to have a figure. Package spec validates the tables of a suite by it,
//     before anything runs.
//
// Values.Get converts times: a figure may be asked for in another unit than a result has it in.
package figure

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
)

// Vocabulary is the figures that runs have. It does not change; the zero Vocabulary has the figures of every target, and no
// others.
type Vocabulary struct{ columns []Figure }

// New makes the vocabulary of targets that have these columns.
func New(columns []descriptor.Column) Vocabulary {
	var v Vocabulary
	for _, c := range columns {
		base, unit := Split(c.Name)
		v.columns = append(v.columns, Figure{Name: base, Time: unit, Unit: c.Unit, Read: func(m *Measurement) *float64 {
			return c.Read(descriptor.Reported{Facts: m.Target, Observed: m.Observed})
		}})
	}
	return v
}

// Figure is an entry of the vocabulary: a figure of a whole run.
type Figure struct {
	Name string // without the unit of a time
	Also string // another name for it
	Time Unit   // in which Read gives it and a result names it; the zero Unit where it is no time
	Unit string // of what is no time; empty for what is counted

	Leads   bool // it comes first in a case, in the order of the table
	OfAgent bool // one agent's part in a run has it, too
	Over    Over
	Needs   func(plan.Settings) string  // what a case would need besides; nil for nothing
	Read    func(*Measurement) *float64 // nil where a run has none
}

// Over is which value of several runs stands for all of them.
type Over int

// The values.
const (
	Mean     Over = iota
	Median        // of percentiles, which are not averaged (law 1)
	Least         // of what is a least
	Greatest      // of what is a greatest
)

// perSecond is the unit of throughput.
const perSecond = "ops/s"

// OfRuns are the figures of a whole run.
func (v Vocabulary) OfRuns() []Figure { return append(ofRuns(), v.columns...) }

// ofRuns are those that every target has.
func ofRuns() []Figure {
	return []Figure{
		{Name: "throughput_ops", Unit: perSecond, Leads: true, Read: func(m *Measurement) *float64 { return &m.Throughput }},
		{Name: "offered_ops", Unit: perSecond, Leads: true, Needs: openLoop, Read: func(m *Measurement) *float64 { return m.Offered }},
		{Name: "total", Also: "runtime", Time: milliseconds(), Leads: true, OfAgent: true, Read: func(m *Measurement) *float64 { return m.Milliseconds }},
		{Name: "ops", Leads: true, Read: func(m *Measurement) *float64 { return counted(m.Ops) }},
		{Name: "failed_ops", Leads: true, Read: func(m *Measurement) *float64 { return counted(m.FailedOps) }},
		{Name: "not_found_ops", Leads: true, Read: func(m *Measurement) *float64 { return counted(m.NotFoundOps) }},

		{Name: "qps_low", Unit: perSecond, Over: Least, Read: func(m *Measurement) *float64 { return m.Course.Low }},
		{Name: "qps_high", Unit: perSecond, Over: Greatest, Read: func(m *Measurement) *float64 { return m.Course.High }},
		{Name: "qps_worst", Unit: perSecond, Over: Least, Needs: actions, Read: func(m *Measurement) *float64 { return m.Course.Worst }},

		{Name: "gc_total_count", Read: func(m *Measurement) *float64 { return m.GC.Count }},
		{Name: "gc_total", Time: milliseconds(), Read: func(m *Measurement) *float64 { return m.GC.Milliseconds }},

		{Name: "recovery", Time: seconds(), Needs: actions, Read: func(m *Measurement) *float64 { return m.Course.Recovery }},

		{Name: "verify_count", Needs: verification, Read: func(m *Measurement) *float64 { return m.Verified.Rows }},
		{Name: "verify_failed_count", Needs: verification, Read: func(m *Measurement) *float64 { return m.Verified.Wrong }},
	}
}

func counted(n uint64) *float64 {
	x := float64(n)
	return &x
}

// find returns the figure of a whole run of that name.
func find(figures []Figure, name string) (Figure, bool) {
	base, unit := Split(name)
	for _, f := range figures {
		switch isTime := f.Time != (Unit{}); {
		case !isTime && f.Name == name:
			return f, true
		case isTime && unit != (Unit{}) && (f.Name == base || f.Also == base && base != ""):
			return f, true
		}
	}
	return Figure{}, false
}

// Order returns a comparison of names that puts the figures that lead first, in the order of the table, and all others in
// that of the alphabet.
func Order() func(a, b string) int {
	var leading []string
	for _, f := range ofRuns() {
		if f.Leads {
			leading = append(leading, f.Name+f.Time.Suffix)
		}
	}
	rank := func(name string) int {
		if i := slices.Index(leading, name); i >= 0 {
			return i
		}
		return len(leading)
	}
	return func(a, b string) int {
		if x, y := rank(a), rank(b); x != y {
			return x - y
		}
		return strings.Compare(a, b)
	}
}
