package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// verdicts are the outcomes of all tests (law 8), except those that could not be carried out.
func (b *Builder) verdicts(run Run, examined map[*phase]examination) []Verdict {
	var out []Verdict
	for _, v := range []*Verdict{b.clientBound(examined), b.overloaded(), b.idleShards(), b.tailOwner(), b.agentsAgree(run), b.notFound(), b.wrongValues(), b.reconciled(run.Reconcile), mixedBuilds(run.Provenance)} {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// Bad reports whether a verdict is bad news: reconcile, steady, flat and agents_agree should be yes, all others no.
func (v Verdict) Bad() bool {
	return v.Value != (v.Name == "reconcile" || v.Name == "steady" || v.Name == "flat" || v.Name == "agents_agree")
}

// evaluated are the phases that verdicts are about: not the warm-up (law 5).
func (b *Builder) evaluated() []*phase {
	var out []*phase
	for _, p := range b.order {
		if p.begun() && p.info.Name != string(plan.Warmup) {
			out = append(out, p)
		}
	}
	return out
}

// notFound tests whether more operations than the limit found no row: reads of missing rows measure nothing (law 3).
func (b *Builder) notFound() *Verdict {
	limit := b.cfg.NotFoundShare
	if limit >= 1 {
		return nil
	}
	v := Verdict{
		Name: "not_found",
		Test: fmt.Sprintf("more than %s of a phase's operations ended with NOT_FOUND", percentText(limit)),
	}
	var because []string
	for _, p := range b.evaluated() {
		all := p.totals.count()
		if all == 0 {
			continue
		}
		var none uint64
		for s := range p.totals.all {
			if s.Key.PartOf == "" && s.Key.Outcome == "NOT_FOUND" {
				none += s.Response.Count()
			}
		}
		share := float64(none) / float64(all)
		v.Value = v.Value || share > limit
		because = append(because, fmt.Sprintf("%s: %s of %s (%s)", p.info.Name, Thousands(none), Thousands(all), percentText(share)))
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// Verification is the operation, a part of others, that compares the values read with those written.
const Verification = "VERIFY"

// wrongValues tests whether reads returned other values than were written, if that was verified.
func (b *Builder) wrongValues() *Verdict {
	v := Verdict{Name: "wrong_values", Test: "any row was read with other values than dataintegrity wrote"}
	var because []string
	for _, p := range b.evaluated() {
		var all, wrong uint64
		for s := range p.totals.all {
			if _, op := workload.SplitGroup(s.Key.Op); op == Verification {
				all += s.Response.Count()
				if !Good(s.Key.Outcome) {
					wrong += s.Response.Count()
				}
			}
		}
		if all > 0 {
			v.Value = v.Value || wrong > 0
			because = append(because, fmt.Sprintf("%s: %s of %s rows", p.info.Name, Thousands(wrong), Thousands(all)))
		}
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// shortfall is the share of an open loop's operations that may be missing or waiting without an overload.
const shortfall = 0.01

// KeptTest is the test of Kept.
const KeptTest = "throughput at most 1 % below the offered rate, or a backlog of at most 1 % of the operations offered at the end"

// Kept reports whether the phase was an open loop whose offered rate was kept. Other than the verdict overloaded it allows for a
// backlog that was worked off: a Poisson process of a short phase may intend some percent less than its rate.
func (p *Phase) Kept() bool {
	if p.Offered == nil {
		return false
	}
	return !overload(*p.Offered, p.Throughput, p.Seconds, p.Unsent)
}

func overload(offered, achieved, seconds float64, backlog uint64) bool {
	return achieved < (1-shortfall)*offered && float64(backlog) > shortfall*offered*seconds
}

// overloaded tests whether the target did less than an open loop offered. Then response times grow for as long as the
// phase lasts, and their percentiles depend on its length and not on the target's speed.
func (b *Builder) overloaded() *Verdict {
	v := Verdict{
		Name: "overloaded",
		Test: "throughput more than 1 % below the offered rate, and at some time a backlog of more than 1 % of the operations offered",
	}
	var because []string
	for _, p := range b.evaluated() {
		offered := p.offered(b.shardCount())
		if offered == nil {
			for _, g := range p.groupDocuments(nil, b.shardCount()) {
				if g.Offered == nil {
					continue
				}
				achieved := float64(p.mergedOf(g.Name)-g.OpsAfter) / p.end.Seconds()
				v.Value = v.Value || overload(*g.Offered, achieved, p.end.Seconds(), p.mostBacklog(g.Name))
				because = append(because, fmt.Sprintf("%s, group %s: offered %s ops/s, achieved %s ops/s, backlog at most %s operations, %s at the end",
					p.info.Name, g.Name, RateText(*g.Offered), RateText(achieved), Thousands(p.mostBacklog(g.Name)), Thousands(g.Unsent)))
			}
			continue
		}
		var most, last uint64
		for _, g := range p.generators {
			most += g.backlog
		}
		for _, e := range p.ledger {
			last += e.backlog
		}
		achieved := p.throughput()
		v.Value = v.Value || overload(*offered, achieved, p.end.Seconds(), most)
		because = append(because, fmt.Sprintf("%s: offered %s ops/s, achieved %s ops/s, backlog at most %s operations, %s at the end",
			p.info.Name, RateText(*offered), RateText(achieved), Thousands(most), Thousands(last)))
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// reconciled tests whether the counts agree (law 9), and if not, for which agents they differ.
func (b *Builder) reconciled(r Reconcile) *Verdict {
	if len(b.evaluated()) == 0 {
		return nil
	}
	v := Verdict{
		Name:    "reconcile",
		Value:   r.OK,
		Because: countsText(r.Issued, r.Recorded, r.Merged),
		Test:    "operations issued = recorded = merged, over all phases and agents, excluding the parts of larger operations",
	}
	if r.OK {
		return &v
	}
	for _, info := range b.shards() {
		var issued, recorded, merged uint64
		for _, p := range b.order {
			if e := p.ledger[shardID{info.Index, info.Attempt}]; e != nil {
				issued += e.issued
				recorded += e.recorded
				merged += e.merged
			}
		}
		if issued != recorded || recorded != merged {
			v.Because += "; agent " + info.Agent + ": " + countsText(issued, recorded, merged)
		}
	}
	return &v
}

// mixedBuilds names the builds of a run whose coordinator and agents differ in theirs (law 10); nil if all are the same,
// or only one is known.
func mixedBuilds(p Provenance) *Verdict {
	of := make(map[string][]string)
	if p.Benchd != "" {
		of[p.Benchd] = append(of[p.Benchd], "coordinator")
	}
	for _, a := range p.Agents {
		if a.Version != "" && !slices.Contains(of[a.Version], a.Name) {
			of[a.Version] = append(of[a.Version], a.Name)
		}
	}
	if len(of) < 2 {
		return nil
	}
	var because []string
	for _, build := range slices.Sorted(maps.Keys(of)) {
		because = append(because, build+": "+strings.Join(of[build], ", "))
	}
	return &Verdict{
		Name: "mixed_builds", Value: true, Because: strings.Join(because, "; "),
		Test: "the versions or commits of the coordinator and of the run's agents differ",
	}
}

// agentsText names agents: "agent a", "agents a, b and c".
func agentsText(names []string) string {
	if len(names) == 1 {
		return "agent " + names[0]
	}
	last := len(names) - 1
	return "agents " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// agentNames are the agents that have windows of the phase.
func (p *phase) agentNames() []string { return slices.Sorted(maps.Keys(p.generators)) }
