package result

import (
	"slices"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// Subject is the phase that a run is about: the measured one, or else the load. Nil if there is none yet.
func (r Run) Subject() *Phase {
	for _, name := range []plan.PhaseName{plan.Measure, plan.Load} {
		for i := range r.Phases {
			if r.Phases[i].Name == string(name) {
				return &r.Phases[i]
			}
		}
	}
	return nil
}

// Measurement has the values from which the figures of a run are read; nil if nothing was measured.
func (r Run) Measurement() *figure.Measurement {
	p := r.Subject()
	if p == nil {
		return nil
	}
	milliseconds := 1000 * p.Seconds
	m := &figure.Measurement{
		Milliseconds: &milliseconds, Throughput: p.Throughput, Offered: p.Offered, Ops: p.Ops,
		Course: p.course(), Target: r.Provenance.Target, Observed: p.observed,
	}
	for _, g := range p.Groups {
		m.Groups = append(m.Groups, figure.Group{Name: g.Name, Throughput: g.Throughput, Offered: g.Offered})
	}
	if p.insertsOnly() && p.Ops > 0 {
		rows := p.Throughput * float64(p.Rows) / float64(p.Ops)
		m.RowThroughput = &rows
	}
	for _, g := range p.Generators {
		m.GC.Count, m.GC.Milliseconds = plus(m.GC.Count, float64(g.GCPauses)), plus(m.GC.Milliseconds, g.GCPauseTotal)
	}
	for i, o := range p.Operations {
		_, op := workload.SplitGroup(o.Op)
		switch {
		case o.PartOf != nil && op == Verification:
			wrong := 0.0
			if !Good(o.Outcome) {
				wrong = float64(o.Count)
			}
			m.Verified.Rows, m.Verified.Wrong = plus(m.Verified.Rows, float64(o.Count)), plus(m.Verified.Wrong, wrong)
		case o.PartOf != nil:
		case Good(o.Outcome):
			// Where there are both, operations that were only collected do not show the target's time.
			if o.Outcome == "OK" || !succeeded(p.Operations[:i], o.Op) {
				m.Operations = append(m.Operations, operation(o, p.LoopOf(o.Op)))
			}
		default:
			m.FailedOps += o.Count
			if o.Outcome == "NOT_FOUND" {
				m.NotFoundOps += o.Count
			}
		}
	}
	return m
}

// insertsOnly reports whether every operation of the phase inserts.
func (p *Phase) insertsOnly() bool {
	return len(p.Operations) > 0 && !slices.ContainsFunc(p.Operations, func(o Operation) bool {
		_, op := workload.SplitGroup(o.Op)
		return o.PartOf == nil && op != workload.Insert.String()
	})
}

func plus(sum *float64, x float64) *float64 {
	if sum != nil {
		x += *sum
	}
	return &x
}

func operation(o Operation, loop string) figure.Operation {
	out := figure.Operation{Op: o.Op, Response: o.latency()}
	if loop == string(plan.Open) {
		service := o.Service.latency()
		out.Service = &service
	}
	return out
}

// succeeded reports whether there are operations of a kind that succeeded.
func succeeded(operations []Operation, op string) bool {
	return slices.ContainsFunc(operations, func(o Operation) bool {
		return o.Op == op && o.PartOf == nil && Good(o.Outcome)
	})
}

// observed is a figure that one source reported, at the start and at the end of the phase.
func (p *Phase) observed(name string) (first, last float64, ok bool) {
	for _, o := range p.Observations {
		if o.Name == name && len(o.Points) > 0 {
			return o.Points[0][1], o.Points[len(o.Points)-1][1], true
		}
	}
	return 0, 0, false
}

// AgentMeasurement has the values from which the figures of one agent's part in a run are read; nil if nothing was
// measured.
func (r Run) AgentMeasurement(agent string) *figure.Measurement {
	p := r.Subject()
	if p == nil {
		return nil
	}
	m := new(figure.Measurement)
	for _, g := range p.Generators {
		if g.Name == agent && g.Seconds > 0 {
			milliseconds := 1000 * g.Seconds
			m.Milliseconds = &milliseconds
		}
	}
	for _, o := range p.Operations {
		if o.PartOf != nil || !Good(o.Outcome) {
			continue
		}
		for _, a := range o.Agents {
			if a.Name == agent {
				own := Figures{Count: a.Count, Mean: a.Mean, Min: a.Min, Max: a.Max, P50: a.P50, P95: a.P95, P99: a.P99}
				m.Operations = append(m.Operations, figure.Operation{Op: o.Op, Response: own.latency()})
			}
		}
	}
	return m
}

// Percentile returns the percentile of a rank, 0 to 100: one that every result has, or one that was requested. It is nil
// if there are too few samples; known is false if the result has none of that rank.
func (f *Figures) Percentile(p float64) (us *float64, known bool) {
	if us, known = f.Percentiles[PercentileName(p)]; known {
		return us, true
	}
	switch p {
	case 50:
		return f.P50, true
	case 90:
		return f.P90, true
	case 95:
		return f.P95, true
	case 99:
		return f.P99, true
	case 99.9:
		return f.P999, true
	case 99.99:
		return f.P9999, true
	}
	return nil, false
}

func (f *Figures) latency() figure.Latency {
	return figure.Latency{Count: f.Count, Mean: f.Mean, Min: f.Min, Max: f.Max, Percentile: func(p float64) *float64 {
		us, _ := f.Percentile(p)
		return us
	}}
}
