package result

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/benchd/benchd/internal/latency"
)

// When an agent owns a tail.
const (
	tailQuantile = 0.99
	tailRisk     = 0.001 // of naming an innocent agent, over all that are tested
	tailFactor   = 1.1   // by how much its p99 exceeds the others'
)

// suspect is an agent whose part in the tail of one operation is tested.
type suspect struct {
	phase, op, agent string
	own, all         uint64  // samples at or above the merged p99
	share            float64 // of the operations
	p99, others      float64 // in microseconds
}

// part is the agent's part of the samples at or above the merged p99.
func (s suspect) part() float64 { return float64(s.own) / float64(s.all) }

// owner reports whether the agent alone owns the tail. Its part of the tail must exceed its share of the
// operations by half of what is possible, so that there can be but one; no chance may explain that; and the
// tail must be one that matters.
func (s suspect) owner(tests int) bool {
	return s.part() > (1+s.share)/2 &&
		s.p99 >= tailFactor*s.others &&
		binomialTail(s.own, s.all, s.share) < tailRisk/float64(tests)
}

// tailOwner tells whether one agent alone makes the merged percentiles what they are (law 1): then they speak
// of that agent, its network or its part of the data, and not of the target. It takes two agents, and an
// operation of which there are samples enough for a p99.
func (b *Builder) tailOwner() (*Verdict, error) {
	var suspects []suspect
	for _, p := range b.judged() {
		found, err := p.suspects()
		if err != nil {
			return nil, err
		}
		suspects = append(suspects, found...)
	}
	if len(suspects) == 0 {
		return nil, nil
	}
	var because []string
	worst := suspects[0]
	for _, s := range suspects {
		if s.part()-s.share > worst.part()-worst.share {
			worst = s
		}
		if s.owner(len(suspects)) {
			because = append(because, fmt.Sprintf(
				"agent %s: %s of the samples at or above the p99 of %s in %s, with %s of the operations; its p99 is %s, the others' %s",
				s.agent, percentText(s.part()), s.op, s.phase, percentText(s.share), microText(s.p99), microText(s.others)))
		}
	}
	v := Verdict{
		Name:    "tail_owner",
		Value:   len(because) > 0,
		Because: strings.Join(because, "; "),
		Test: fmt.Sprintf("an agent with share s of an operation has more than (1+s)/2 of its samples at or above the merged p99, "+
			"one-sided binomial p below %g over %d tests, and a p99 at least %g times the others'", tailRisk, len(suspects), tailFactor),
	}
	if !v.Value {
		v.Because = fmt.Sprintf("at most agent %s: %s of %s samples at or above the p99 of %s in %s, with %s of the operations",
			worst.agent, percentText(worst.part()), Thousands(worst.all), worst.op, worst.phase, percentText(worst.share))
	}
	return &v, nil
}

// suspects are the agents by each operation that can be tested.
func (p *phase) suspects() ([]suspect, error) {
	var out []suspect
	for _, key := range p.totals.keys() {
		sum := p.totals[key]
		if key.PartOf != "" || !Good(key.Outcome) || len(sum.agents) < 2 || !sum.response.Supports(tailQuantile) {
			continue
		}
		limit := belowTail(sum.response)
		all := above(sum.response, limit)
		for _, name := range slices.Sorted(maps.Keys(sum.agents)) {
			own := sum.agents[name]
			var others latency.Histogram
			for other, h := range sum.agents {
				if other == name {
					continue
				}
				if err := others.Merge(h); err != nil {
					return nil, fmt.Errorf("merge series %s: %w", key, err)
				}
			}
			out = append(out, suspect{
				phase: p.info.Name, op: key.Op, agent: name,
				own: above(own, limit), all: all,
				share:  float64(own.Count()) / float64(sum.response.Count()),
				p99:    microseconds(own.Quantile(tailQuantile)),
				others: microseconds(others.Quantile(tailQuantile)),
			})
		}
	}
	return out, nil
}

// belowTail is a value that all samples from the p99 on are above, and all others are not. The tail begins
// with the whole bucket that the p99 is in: where many operations take the same time, few may be slower.
func belowTail(h *latency.Histogram) int64 {
	p99 := h.Quantile(tailQuantile)
	rank := firstRank(h, func(v int64) bool { return v >= p99 })
	if rank == 0 {
		return -1
	}
	return atRank(h, rank-1)
}

// above counts the samples above v, which is at the edge of a bucket.
func above(h *latency.Histogram, v int64) uint64 {
	return h.Count() - firstRank(h, func(sample int64) bool { return sample > v })
}

// firstRank is the first rank, from 0, whose sample has a property that all later ones have too; the number of
// samples if there is none.
func firstRank(h *latency.Histogram, has func(v int64) bool) uint64 {
	return uint64(sort.Search(int(h.Count()), func(rank int) bool { return has(atRank(h, uint64(rank))) }))
}

// atRank is the sample of a rank, from 0. Half a rank of room keeps rounding from reaching the next.
func atRank(h *latency.Histogram, rank uint64) int64 {
	return h.Quantile((float64(rank) + 0.5) / float64(h.Count()))
}
