package result

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/plan"
)

// verdicts are the statements that were tested (law 8). What could not be tested is not among them.
func (b *Builder) verdicts(run Run) ([]Verdict, error) {
	var out []Verdict
	tail, err := b.tailOwner()
	if err != nil {
		return nil, err
	}
	for _, v := range []*Verdict{b.clientBound(), b.overloaded(), tail, b.notFound(), b.reconciled(run.Reconcile)} {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out, nil
}

// judged are the phases whose figures a result is about: not the warm-up (law 5).
func (b *Builder) judged() []*phase {
	var out []*phase
	for _, p := range b.order {
		if p.begun() && p.info.Name != string(plan.Warmup) {
			out = append(out, p)
		}
	}
	return out
}

// notFound tells whether more operations than the limit found no row: reads of rows that are not there measure
// nothing (law 3).
func (b *Builder) notFound() *Verdict {
	limit := b.cfg.NotFoundShare
	if limit >= 1 {
		return nil
	}
	v := Verdict{
		Name: "not_found",
		Test: fmt.Sprintf("NOT_FOUND of more than %s of the operations of a phase", percentText(limit)),
	}
	var because []string
	for _, p := range b.judged() {
		all := p.totals.count()
		if all == 0 {
			continue
		}
		var none uint64
		for key, sum := range p.totals {
			if key.PartOf == "" && key.Outcome == "NOT_FOUND" {
				none += sum.response.Count()
			}
		}
		share := float64(none) / float64(all)
		v.Value = v.Value || share > limit
		because = append(because, fmt.Sprintf("%s: %d of %d (%s)", p.info.Name, none, all, percentText(share)))
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// overloaded tells whether the target did less than an open loop offered. Then response times grow for as long
// as the phase goes on, and their percentiles say how long it was and not how fast the target is.
func (b *Builder) overloaded() *Verdict {
	const shortfall = 0.01
	v := Verdict{
		Name: "overloaded",
		Test: "throughput more than 1 % below the offered rate, and at some time a backlog of more than 1 % of the operations offered",
	}
	var because []string
	for _, p := range b.judged() {
		offered := p.offered(b.shardCount())
		if offered == nil {
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
		behind := achieved < (1-shortfall)**offered
		v.Value = v.Value || behind && float64(most) > shortfall**offered*p.end.Seconds()
		because = append(because, fmt.Sprintf("%s: offered %.0f ops/s, achieved %.0f ops/s; backlog at most %d operations, %d at the end",
			p.info.Name, *offered, achieved, most, last))
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// reconciled tells whether the counts agree (law 9), and if not, of which agents' shards they do not.
func (b *Builder) reconciled(r Reconcile) *Verdict {
	if len(b.judged()) == 0 {
		return nil
	}
	v := Verdict{
		Name:    "reconcile",
		Value:   r.OK,
		Because: fmt.Sprintf("%d issued, %d recorded, %d merged", r.Issued, r.Recorded, r.Merged),
		Test:    "operations issued = recorded = merged, over all phases and agents, without the parts of larger operations",
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
			v.Because += fmt.Sprintf("; agent %s: %d issued, %d recorded, %d merged", info.Agent, issued, recorded, merged)
		}
	}
	return &v
}

// percentText is a share in percent with about two significant digits: "0.1 %", "43 %", "100 %". Nothing but
// all is "100 %", and nothing but nothing is "0 %".
func percentText(share float64) string {
	p := 100 * share
	switch {
	case p > 0 && p < 0.01:
		return "less than 0.01 %"
	case p > 99 && p < 100:
		p = 99
	case p >= 10:
		p = math.Round(p)
	}
	return trimmed(p, 2) + " %"
}

// lengthText is a latency in the unit that suits it, with two or three significant digits: "1.02 ms".
func lengthText(d time.Duration) string {
	unit, name := time.Second, " s"
	switch {
	case d < time.Microsecond:
		unit, name = time.Nanosecond, " ns"
	case d < time.Millisecond:
		unit, name = time.Microsecond, " µs"
	case d < time.Second:
		unit, name = time.Millisecond, " ms"
	}
	return trimmed(float64(d)/float64(unit), 3) + name
}

// trimmed writes x ≥ 0 with so many significant digits after the point as digits leaves, and no zeros at the end.
func trimmed(x float64, digits int) string {
	before := len(strconv.FormatInt(int64(x), 10))
	if x < 1 {
		before = 0
	}
	text := strconv.FormatFloat(x, 'f', max(digits-before, 0), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
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

func microText(us float64) string { return lengthText(time.Duration(us * float64(time.Microsecond))) }
