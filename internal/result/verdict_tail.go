package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/stats"
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

// owner reports whether the agent alone owns the tail. Its part of the tail must exceed its share of the operations by
// half of the possible excess, so that there can be only one owner; chance must not explain it; and the tail must be
// long enough to matter.
func (s suspect) owner(tests int) bool {
	return s.part() > (1+s.share)/2 &&
		s.p99 >= tailFactor*s.others &&
		stats.BinomialTail(s.own, s.all, s.share) < tailRisk/float64(tests)
}

// tailOwner tests whether one agent alone determines the merged percentiles (law 1): then they describe that agent, its
// network or its part of the data, and not the target. The test needs two agents, and an operation with enough samples
// for a p99.
func (b *Builder) tailOwner() *Verdict {
	var suspects []suspect
	for _, p := range b.evaluated() {
		suspects = append(suspects, p.suspects()...)
	}
	if len(suspects) == 0 {
		return nil
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
				s.agent, percentText(s.part()), s.op, s.phase, percentText(s.share), MicroText(s.p99), MicroText(s.others)))
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
		v.Because = fmt.Sprintf("largest share: agent %s: %s of %s samples at or above the p99 of %s in %s, with %s of the operations",
			worst.agent, percentText(worst.part()), Thousands(worst.all), worst.op, worst.phase, percentText(worst.share))
	}
	return &v
}

// suspects are the agents, for each operation that can be tested.
func (p *phase) suspects() []suspect {
	var out []suspect
	for _, sum := range p.totals.series() {
		all, agents := sum.Response, p.totals.byKey[sum.Key].agents
		if sum.Key.PartOf != "" || !Good(sum.Key.Outcome) || len(agents) < 2 || !all.Supports(tailQuantile) {
			continue
		}
		// The tail includes all of the p99's bucket: where many operations take the same time, few may be slower.
		limit := all.Quantile(tailQuantile)
		slow := all.AtLeast(limit)
		largest, second := agents.largest()
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			agents[name].read(func(own *latency.Histogram) {
				most := largest
				if own.Max() == largest {
					most = second
				}
				out = append(out, suspect{
					phase: p.info.Name, op: sum.Key.Op, agent: name,
					own: own.AtLeast(limit), all: slow,
					share:  float64(own.Count()) / float64(all.Count()),
					p99:    microseconds(own.Quantile(tailQuantile)),
					others: microseconds(all.QuantileWithout(own, tailQuantile, most)),
				})
			})
		}
	}
	return out
}

// largest are the largest and the second largest of the agents' longest times.
func (b byAgent) largest() (largest, second int64) {
	for _, own := range b {
		switch most := own.max(); {
		case most > largest:
			largest, second = most, largest
		default:
			second = max(second, most)
		}
	}
	return largest, second
}
