package descriptor

import "strconv"

// Column is a figure of a run that the facts and the telemetry of its target give. Results have it beside the figures of every
// run, and the tables of a suite can have it as a column.
type Column struct {
	// Name is the name of the column. That of a time ends with its unit: _us, _ms or _s.
	Name string
	// Unit is the unit of what is no time; empty for what is counted.
	Unit string
	// Read reads the figure; nil where the target did not report it.
	Read func(Reported) *float64
}

// Reported is what a target reported in a run.
type Reported struct {
	// Facts are the facts of the target as the run began.
	Facts map[string]string
	// Observed is what telemetry reported as the phase that a run is about began and as it ended.
	Observed func(name string) (first, last float64, reported bool)
}

// Fact reads a fact that is a number.
func Fact(name string) func(Reported) *float64 {
	return func(r Reported) *float64 {
		n, err := strconv.ParseFloat(r.Facts[name], 64)
		if err != nil {
			return nil
		}
		return &n
	}
}

// First reads what telemetry reported as the phase began.
func First(name string) func(Reported) *float64 {
	return func(r Reported) *float64 {
		if value, _, ok := r.Observed(name); ok {
			return &value
		}
		return nil
	}
}

// Last reads what telemetry reported as the phase ended.
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
