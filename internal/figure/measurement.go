package figure

// Measurement is what figures are read off: the phase that a run is about, or one agent's part in it, with what surrounds
// it. What is not known is nil.
type Measurement struct {
	Milliseconds                *float64 // how long it was
	Throughput                  float64  // operations per second
	Offered                     *float64 // operations per second that an open loop intended
	Ops, FailedOps, NotFoundOps uint64
	Operations                  []Operation // those that succeeded, without the parts of others

	Course   Course
	GC       GC
	Verified Verified

	Target   map[string]string                                      // the target's facts
	Observed func(name string) (first, last float64, reported bool) // what telemetry reported at the phase's begin and end
}

// Operation is how long operations took that succeeded.
type Operation struct {
	Op       string
	Response Latency
	Service  *Latency // of an open loop
}

// Latency is how long operations took, in microseconds.
type Latency struct {
	Count          uint64
	Mean, Min, Max float64
	Percentile     func(p float64) *float64 // 0 to 100; nil where there were too few samples
}

// Course is how throughput went, by its intervals, in operations per second.
type Course struct {
	Low, High *float64 // beside actions
	Worst     *float64 // that came of an action
	Recovery  *float64 // in seconds, the longest
}

// GC is the pauses of all agents for garbage collection.
type GC struct{ Count, Milliseconds *float64 }

// Verified is the rows whose values were compared with what was written, and those that had others.
type Verified struct{ Rows, Wrong *float64 }

// Values are figures by their names, in the units of their names: throughput_ops, total_ms, read_avg_us …
type Values map[string]float64

// Values reads all figures off a measurement.
func (v Vocabulary) Values(m *Measurement) Values { return m.values(v.OfRuns(), false) }

// AgentValues reads off the figures that one agent's part in a run has.
func (m *Measurement) AgentValues() Values { return m.values(ofRuns(), true) }

func (m *Measurement) values(figures []Figure, ofAgent bool) Values {
	if m == nil {
		return nil
	}
	v := make(Values)
	for _, f := range figures {
		if ofAgent && !f.OfAgent {
			continue
		}
		if x := f.Read(m); x != nil {
			v[f.Name+f.Time.Suffix] = *x
		}
	}
	for i := range m.Operations {
		o := &m.Operations[i]
		v.operation(Of(o.Op), &o.Response, ofAgent)
		if o.Service != nil {
			v.operation(Of(o.Op)+service, o.Service, ofAgent)
		}
	}
	return v
}

func (v Values) operation(prefix string, l *Latency, ofAgent bool) {
	for _, s := range Stats() {
		if ofAgent && !s.OfAgent {
			continue
		}
		if x := s.Read(l); x != nil {
			v[name(prefix, s.Name)] = *x
		}
	}
}

// name is that of an operation's figure as a result has it.
func name(prefix, stat string) string {
	if stat == Count {
		return prefix + "_" + stat
	}
	return prefix + "_" + stat + microseconds().Suffix
}

// Get returns a figure in the unit that its name asks for: read_avg_ms is there where read_avg_us is.
func (v Values) Get(name string) (float64, bool) {
	if x, ok := v[name]; ok {
		return x, true
	}
	base, asked := Split(name)
	if asked == (Unit{}) {
		return 0, false
	}
	if f, ok := find(ofRuns(), name); ok { // columns of targets have one name each
		base = f.Name
	}
	for _, unit := range Units() {
		x, ok := v[base+unit.Suffix]
		switch {
		case !ok:
		case asked.Second < unit.Second:
			return x / (unit.Second / asked.Second), true
		default:
			return x * (asked.Second / unit.Second), true
		}
	}
	return 0, false
}
