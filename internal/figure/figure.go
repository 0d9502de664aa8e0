// Package figure is the vocabulary of figures: the values measured for a run, and for each of its operations.
//
//  1. OfRuns and Stats are the table of figures. An entry has the figure's name and unit, the requirement that a case must
//     meet to have it, how it is read from a Measurement, and which value represents several runs. New figures are added
//     there, and nowhere else.
//  2. A Vocabulary adds the columns that the descriptions of targets define.
//  3. Package result makes a Measurement from a run, or from one agent's part in it; a Vocabulary reads all figures from it.
//  4. Parse parses the name of a column: an identity, a figure of a whole run, or a figure of one operation. Anything else
//     is a setting of the cases, or a published value.
//  5. MissingRequirement reports what a case lacks to have a figure. Package spec validates the tables of a suite with it
//     before anything runs.
//
// Values.Get converts times: a figure may be requested in another unit than the result's.
package figure

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
)

// Vocabulary is the set of figures of runs. It is immutable; the zero Vocabulary has the figures that every target has.
type Vocabulary struct{ columns []Figure }

// New returns the vocabulary of targets with these columns.
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
	Time Unit   // of Read and of the name in results; the zero Unit if it is not a time
	Unit string // if it is not a time; empty for counts

	Leads   bool // it comes first in a case, in the order of the table
	OfAgent bool // one agent's part in a run has it, too
	Over    Over
	Needs   func(plan.Settings) string  // returns a further requirement that a case does not meet; may be nil
	Read    func(*Measurement) *float64 // returns nil if a run does not have it
}

// Over is how one value represents several runs.
type Over int

// The values.
const (
	Mean     Over = iota
	Median        // of percentiles, which are not averaged (law 1)
	Least         // of minima
	Greatest      // of maxima
)

// perSecond and rowsPerSecond are the units of throughput.
const (
	perSecond     = "ops/s"
	rowsPerSecond = "rows/s"
)

// The figures of throughput. Operations that insert batches of different sizes are compared by their rows.
const (
	Throughput    = "throughput_ops"
	RowThroughput = "throughput_rows"
	offered       = "offered_ops"
)

// OfRuns are the figures of a whole run.
func (v Vocabulary) OfRuns() []Figure { return append(ofRuns(), v.columns...) }

// ofRuns are the figures that every target has.
func ofRuns() []Figure {
	return []Figure{
		{Name: Throughput, Unit: perSecond, Leads: true, Read: func(m *Measurement) *float64 { return &m.Throughput }},
		{Name: RowThroughput, Unit: rowsPerSecond, Leads: true, Needs: insertsOnly, Read: func(m *Measurement) *float64 { return m.RowThroughput }},
		{Name: offered, Unit: perSecond, Leads: true, Needs: openLoop, Read: func(m *Measurement) *float64 { return m.Offered }},
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

// ofGroups are the figures of a whole run that a group of workers has, too.
func ofGroups() []Figure {
	return slices.DeleteFunc(ofRuns(), func(f Figure) bool { return f.Name != Throughput && f.Name != offered })
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

// Order returns a comparison of names that puts leading figures first, in the order of the table, and all others in
// alphabetical order.
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
