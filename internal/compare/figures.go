package compare

import (
	"slices"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// figures are those of a run by their names, in the units of their names: throughput_ops, total_ms, read_avg_us …
type figures map[string]float64

// subject is the phase that a run is about: what was measured, or else what was loaded. Nil if there is none yet.
func subject(run result.Run) *result.Phase {
	for _, name := range []plan.PhaseName{plan.Measure, plan.Load} {
		for i := range run.Phases {
			if run.Phases[i].Name == string(name) {
				return &run.Phases[i]
			}
		}
	}
	return nil
}

// of reads the figures off a run.
func of(run result.Run) figures {
	phase := subject(run)
	if phase == nil {
		return nil
	}
	f := figures{
		"throughput_ops": phase.Throughput,
		"total_ms":       1000 * phase.Seconds,
		"ops":            float64(phase.Ops),
		"failed_ops":     0,
		"not_found_ops":  0,
	}
	for _, g := range phase.Generators {
		f["gc_total_count"] += float64(g.GCPauses)
		f["gc_total_ms"] += g.GCPauseTotal
	}
	if phase.Offered != nil {
		f["offered_ops"] = *phase.Offered
	}
	for i, o := range phase.Operations {
		switch {
		case o.PartOf != nil:
			f.verified(o)
		case result.Good(o.Outcome):
			// Where there are both, those that were only collected say nothing of the target's time.
			if o.Outcome == "OK" || !goodBefore(phase.Operations[:i], o.Op) {
				f.operation(figure.Of(o.Op), o.Figures)
				if phase.Loop == string(plan.Open) {
					f.operation(figure.Of(o.Op)+"_service", o.Service)
				}
			}
		default:
			f["failed_ops"] += float64(o.Count)
			if o.Outcome == "NOT_FOUND" {
				f["not_found_ops"] += float64(o.Count)
			}
		}
	}
	f.target(run, *phase)
	f.course(*phase)
	return f
}

// verified counts the rows whose values were compared with what was written, and those that were something else.
func (f figures) verified(o result.Operation) {
	if o.Op != result.Verification {
		return
	}
	f["verify_count"] += float64(o.Count)
	f["verify_failed_count"] += 0
	if !result.Good(o.Outcome) {
		f["verify_failed_count"] += float64(o.Count)
	}
}

func goodBefore(operations []result.Operation, op string) bool {
	return slices.ContainsFunc(operations, func(o result.Operation) bool {
		return o.Op == op && o.PartOf == nil && result.Good(o.Outcome)
	})
}

func (f figures) operation(prefix string, of result.Figures) {
	f[prefix+"_"+figure.Count] = float64(of.Count)
	f[prefix+"_avg_us"] = of.Mean
	f[prefix+"_min_us"] = of.Min
	f[prefix+"_max_us"] = of.Max
	for _, p := range []struct {
		name  string
		value *float64
	}{{"p50", of.P50}, {"p90", of.P90}, {"p95", of.P95}, {"p99", of.P99}, {"p999", of.P999}, {"p9999", of.P9999}} {
		if p.value != nil {
			f[prefix+"_"+p.name+"_us"] = *p.value
		}
	}
}

// agentFigures are the figures of one agent's part in a run: what a result has of them.
func agentFigures(run result.Run, agent string) figures {
	phase := subject(run)
	if phase == nil {
		return nil
	}
	f := figures{}
	for _, g := range phase.Generators {
		if g.Name == agent && g.Seconds > 0 {
			f["total_ms"] = 1000 * g.Seconds
		}
	}
	for _, o := range phase.Operations {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		for _, a := range o.Agents {
			if a.Name == agent {
				f.operation(figure.Of(o.Op), result.Figures{
					Count: a.Count, Mean: a.Mean, Min: a.Min, Max: a.Max, P50: a.P50, P95: a.P95, P99: a.P99,
				})
			}
		}
	}
	return f
}

// get returns a figure in the unit that its name asks for: read_avg_ms is there where read_avg_us is.
func (f figures) get(name string) (float64, bool) {
	if v, ok := f[name]; ok {
		return v, true
	}
	base, asked := figure.Split(name)
	if base == "runtime" {
		base = "total" // as YCSB calls it
	}
	for _, unit := range figure.Units() {
		v, ok := f[base+unit.Suffix]
		switch {
		case !ok || asked.Second == 0:
		case asked.Second < unit.Second:
			return v / (unit.Second / asked.Second), true
		default:
			return v * (asked.Second / unit.Second), true
		}
	}
	return 0, false
}
