package figure

import "github.com/benchd/benchd/internal/workload"

// Measurement is the source of figures: the phase that a run is about, or one agent's part in it, with its context.
// Unknown values are nil.
type Measurement struct {
	Milliseconds                *float64 // its length
	Throughput                  float64  // operations per second
	RowThroughput               *float64 // rows per second, if every operation inserts
	Offered                     *float64 // operations per second that an open loop intended
	Ops, FailedOps, NotFoundOps uint64
	Operations                  []Operation // the successful ones, without the parts of others
	Groups                      []Group     // of workers

	Course   Course
	GC       GC
	Verified Verified

	Target   map[string]string                                      // the target's facts
	Observed func(name string) (first, last float64, reported bool) // telemetry at the phase's start and end
}

// Group has the rates of a group of workers, in operations per second.
type Group struct {
	Name       string
	Throughput float64
	Offered    *float64 // of an open loop
}

// Operation has the latencies of successful operations.
type Operation struct {
	Op       string
	Response Latency
	Service  *Latency // of an open loop
}

// Latency has the figures of a latency, in microseconds.
type Latency struct {
	Count          uint64
	Mean, Min, Max float64
	Percentile     func(p float64) *float64 // of rank 0 to 100; nil if there are too few samples
}

// Course summarizes the throughput of the intervals, in operations per second.
type Course struct {
	Low, High *float64 // without an action
	Worst     *float64 // because of an action
	Recovery  *float64 // in seconds, the longest
}

// GC is the pauses of all agents for garbage collection.
type GC struct{ Count, Milliseconds *float64 }

// Verified counts the rows whose values were compared with the written ones, and those that differed.
type Verified struct{ Rows, Wrong *float64 }

// Values are figures by name, in the units of their names: throughput_ops, total_ms, read_avg_us …
type Values map[string]float64

// Values reads all figures from a measurement.
func (v Vocabulary) Values(m *Measurement) Values { return m.values(v.OfRuns(), false) }

// AgentValues reads the figures of one agent's part in a run.
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
	for i := range m.Groups {
		g := &m.Groups[i]
		for _, f := range ofGroups() {
			if x := f.Read(&Measurement{Throughput: g.Throughput, Offered: g.Offered}); x != nil && !ofAgent {
				v[workload.InGroup(g.Name, f.Name)] = *x
			}
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

// name is the name of an operation's figure in a result.
func name(prefix, stat string) string {
	if stat == Count {
		return prefix + "_" + stat
	}
	return prefix + "_" + stat + microseconds().Suffix
}

// Get returns a figure in the unit of the given name: if there is read_avg_us, it also returns read_avg_ms.
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
