package descriptor

// Bottleneck is a rule that recognizes one limit of a system in the figures that its parts reported over a phase: its
// servers, regions or disks. Package bottleneck tests it on each part, and lists the limits that a rule may name.
type Bottleneck struct {
	// Name is the name of the limit, such as "cache_misses".
	Name string
	// Measure is beyond its limit in at least half of its points if the rule holds.
	Measure
	// Uneven reports that the part's share of the sum over all parts is tested instead of the figure itself. Limit is then
	// how many times the mean of the other parts it has at least; 3 is 75 % of two parts, 60 % of three and 25 % of ten.
	Uneven bool
	// LeastShare is the lowest share of an uneven part, in percent.
	LeastShare float64
	// Whole and Parts are the figures of the sum over all parts and of their number, if not each part is observed. They are
	// added up over their sources. Optional.
	Whole, Parts string
	// With are further measures of the same part, which must be beyond their limits at the same instants.
	With []Measure
	// Sentence states the limit. {source} is the name of the part, {value} the mean of the measure over the phase with its
	// unit, and {even} the even share.
	Sentence string
	// Observe is how to observe the figures where they are missing. Optional.
	Observe string
}

// Measure is a value from the figures of one part of a system, and its limit.
type Measure struct {
	Figure string // as telemetry names it
	// Times and Per are figures of the same part by which it is multiplied or divided. Optional. Points at which Per is zero
	// are left out.
	Times, Per string
	Unit       string // of the result; empty for a plain number
	Below      bool   // values below the limit are beyond it, else those above
	Limit      float64
}

// Figures lists the figures that the measure is computed from.
func (m Measure) Figures() []string {
	all := []string{m.Figure}
	for _, other := range []string{m.Times, m.Per} {
		if other != "" {
			all = append(all, other)
		}
	}
	return all
}

// Beyond reports whether a value is beyond the limit.
func (m Measure) Beyond(value float64) bool {
	if m.Below {
		return value < m.Limit
	}
	return value > m.Limit
}
