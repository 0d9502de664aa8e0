package compare

import (
	"slices"
	"strings"

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
		case result.Good(o.Outcome):
			// Where there are both, those that were only collected say nothing of the target's time.
			if o.Outcome == "OK" || !goodBefore(phase.Operations[:i], o.Op) {
				f.operation(prefix(o.Op), o.Figures)
				if phase.Loop == string(plan.Open) {
					f.operation(prefix(o.Op)+"_service", o.Service)
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

func goodBefore(operations []result.Operation, op string) bool {
	return slices.ContainsFunc(operations, func(o result.Operation) bool {
		return o.Op == op && o.PartOf == nil && result.Good(o.Outcome)
	})
}

// prefix is what the names of an operation's figures begin with: read, insert, rmw …
func prefix(op string) string {
	if op == "READ-MODIFY-WRITE" {
		return "rmw"
	}
	return strings.ReplaceAll(strings.ToLower(op), "-", "_")
}

func (f figures) operation(prefix string, of result.Figures) {
	f[prefix+"_count"] = float64(of.Count)
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
	for _, o := range phase.Operations {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		for _, a := range o.Agents {
			if a.Name == agent {
				f.operation(prefix(o.Op), result.Figures{
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
	base, second := unitless(name)
	if base == "runtime" {
		base = "total" // as YCSB calls it
	}
	for _, unit := range units() {
		v, ok := f[base+unit.suffix]
		switch {
		case !ok || second == 0:
		case second < unit.second:
			return v / (unit.second / second), true
		default:
			return v * (second / unit.second), true
		}
	}
	return 0, false
}

// timeUnit is one in which times are written.
type timeUnit struct {
	suffix, name string
	second       float64 // as many of them are a second
}

func units() []timeUnit {
	return []timeUnit{{"_us", "µs", 1e6}, {"_ms", "ms", 1e3}, {"_s", "s", 1}}
}

// unitless parts the unit of time from a name; as many of it are a second, or 0 where there is none.
func unitless(name string) (base string, second float64) {
	for _, u := range units() {
		if b, ok := strings.CutSuffix(name, u.suffix); ok {
			return b, u.second
		}
	}
	return name, 0
}

// unitOf is the unit of a figure by its name.
func unitOf(name string) string {
	for _, u := range units() {
		if strings.HasSuffix(name, u.suffix) {
			return u.name
		}
	}
	switch {
	case strings.HasSuffix(name, "_ops") && name != "failed_ops" && name != "not_found_ops", strings.HasPrefix(name, "qps_"):
		return "ops/s"
	}
	return ""
}

// isPercentile reports whether a figure is a percentile: read_p99_us.
func isPercentile(name string) bool {
	base, second := unitless(name)
	at := strings.LastIndex(base, "_p")
	return second > 0 && at >= 0 && len(base) > at+2 && strings.Trim(base[at+2:], "0123456789") == ""
}
