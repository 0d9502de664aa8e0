package bottleneck

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Conclude sets the bottleneck of each measured phase of a run on a target.
func Conclude(run *result.Run, target descriptor.Target) {
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Name != string(plan.Warmup) && p.Ops > 0 {
			found := Find(*run, p, target)
			p.Bottleneck = &found
		}
	}
}

// examination is a phase with its figures.
type examination struct {
	phase   *result.Phase
	shared  []string // agents on whose machines a server runs
	figures figures
}

// Find returns what limited the throughput of a phase of a run on a target.
func Find(run result.Run, p *result.Phase, target descriptor.Target) result.Bottleneck {
	shared := sharedMachines(run, p)
	x := &examination{phase: p, shared: shared, figures: newFigures(p, shared)}
	all := x.clients()
	late := delayed(p)
	if p.Kept() && !slices.ContainsFunc(all, func(t tested) bool {
		return t.holds() && (t.resource == result.ClientCPU || overlap(t.agents, late))
	}) {
		return kept(p)
	}
	for _, rule := range Rules(target) {
		all = append(all, x.test(rule))
	}
	return conclude(p, all)
}

// lateOps is the share of operations sent late, in percent, from which an agent was the limit although the rate was kept, if it
// also lacked a resource. An agent without processor time is the limit even if it sent on time: the latencies are its own, too.
const lateOps = 1

// delayed lists the agents that sent so many operations late.
func delayed(p *result.Phase) []string {
	var names []string
	for _, c := range p.Clients {
		if c.Resource == result.ClientTiming && c.Value > lateOps {
			names = append(names, c.Agents...)
		}
	}
	return names
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// kept is the verdict on an open loop whose offered rate was kept.
func kept(p *result.Phase) result.Bottleneck {
	return result.Bottleneck{
		Name: None,
		Sentence: fmt.Sprintf("%s: the offered rate was kept: offered %s ops/s, achieved %s ops/s",
			title(None), number(*p.Offered), number(p.Throughput)),
		Test: fmt.Sprintf("%s; no agent lacked processor time, or lacked another resource and sent more than %d %% of its operations late", result.KeptTest, lateOps),
		Evidence: []result.Evidence{{
			Rule: None, Holds: true, Source: p.Name, Figure: "throughput", Value: p.Throughput, Limit: *p.Offered, Unit: "ops/s",
			Share: 1, Points: 1,
		}},
	}
}

// conclude chooses the verdict among the rules, which are in the order of causes.
func conclude(p *result.Phase, all []tested) result.Bottleneck {
	out := result.Bottleneck{Name: NotDetermined, Evidence: []result.Evidence{}}
	var also []string
	var first *tested
	for i, t := range all {
		switch {
		case !t.holds():
			continue
		case first == nil:
			first = &all[i]
		case t.rule.Name != first.rule.Name && !slices.Contains(also, title(t.rule.Name)):
			also = append(also, title(t.rule.Name))
		}
		out.Evidence = append(out.Evidence, rounded(*t.evidence))
	}
	for _, t := range all {
		if t.evidence != nil && !t.evidence.Holds {
			out.Evidence = append(out.Evidence, rounded(*t.evidence))
		}
	}
	form := fmt.Sprintf("in at least half of its points, and in at least %d: ", leastPoints)
	if first != nil {
		out.Name = first.rule.Name
		out.Sentence = title(out.Name) + ": " + first.sentence()
		if len(also) > 0 {
			out.Sentence += fmt.Sprintf(" (these limits were reached, too: %s)", strings.Join(also, ", "))
		}
		out.Test = form + first.threshold
		return out
	}
	for _, t := range all {
		if t.missing != "" && !slices.Contains(out.Observe, t.missing) {
			out.Observe = append(out.Observe, t.missing)
		}
	}
	out.Sentence = title(NotDetermined) + ": " + undetermined(len(out.Evidence), len(out.Observe))
	out.Test = form + "no rule"
	if p.Offered == nil {
		out.Observe = append(out.Observe, "a run with more workers: if its throughput is higher, the number of workers is the limit")
	}
	return out
}

// undetermined says why no rule decided, by the numbers of rules that were tested, and that lack their figures.
func undetermined(rules, missing int) string {
	switch {
	case rules == 0:
		return "no rule had enough figures to be tested"
	case missing == 0:
		return fmt.Sprintf("none of the %d tested rules holds", rules)
	}
	return fmt.Sprintf("none of the %d tested rules holds, and %d more lack their figures", rules, missing)
}

// rounded is evidence without the digits that depend on the order of sums.
func rounded(e result.Evidence) result.Evidence {
	for _, v := range []*float64{&e.Value, &e.Limit, &e.Share} {
		*v = math.Round(*v*1e6) / 1e6
	}
	return e
}
