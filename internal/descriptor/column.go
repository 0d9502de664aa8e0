package descriptor

import "strconv"

// Column is a figure of a run from the facts or the telemetry of its target. Results contain it beside the figures of every
// run, and the tables of a suite can show it as a column.
type Column struct {
	// Name is the name of the column. That of a time ends with its unit: _us, _ms or _s.
	Name string
	// Unit is the unit if the figure is not a time; empty for a count.
	Unit string
	// Read returns the figure, or nil if the target did not report it.
	Read func(Reported) *float64
}

// Reported is what a target reported in a run.
type Reported struct {
	// Facts are the facts of the target at the beginning of the run.
	Facts map[string]string
	// Observed returns the values that telemetry reported at the beginning and the end of the run's main phase.
	Observed func(name string) (first, last float64, reported bool)
}

// Fact returns a reader of a numeric fact.
func Fact(name string) func(Reported) *float64 {
	return func(r Reported) *float64 {
		n, err := strconv.ParseFloat(r.Facts[name], 64)
		if err != nil {
			return nil
		}
		return &n
	}
}

// First returns a reader of the value that telemetry reported at the beginning of the phase.
func First(name string) func(Reported) *float64 {
	return func(r Reported) *float64 {
		if value, _, ok := r.Observed(name); ok {
			return &value
		}
		return nil
	}
}

// Last returns a reader of the value that telemetry reported at the end of the phase.
func Last(name string) func(Reported) *float64 {
	return func(r Reported) *float64 {
		if _, value, ok := r.Observed(name); ok {
			return &value
		}
		return nil
	}
}

// Columns lists the columns of all targets, each name once.
func (l List) Columns() []Column {
	return union(l, func(t Target) []Column { return t.Columns }, func(c Column) string { return c.Name })
}
