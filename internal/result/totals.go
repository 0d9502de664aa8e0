package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/latency"
)

// totals merges all windows of a phase, in any order.
type totals struct {
	merged latency.Merged
	agents map[latency.Key]byAgent // nil if not needed
	sums   int                     // of agents
}

// byAgent is the response times of one operation with one outcome, by agent.
type byAgent map[string]*agentSum

// mostDense is how many sums of agents of a phase are histograms, which are fast and large. Further ones, of a fleet, take less memory.
const mostDense = 256

// agentSum is a sum of an agent's response times, or of its lateness: dense, or else sparse.
type agentSum struct {
	dense  *latency.Histogram
	sparse latency.Sparse
}

func (s *agentSum) merge(h *latency.Histogram) error {
	if s.dense != nil {
		return s.dense.Merge(h)
	}
	return s.sparse.Merge(h)
}

// histogram returns the sum, which is empty for nil. It must not be changed.
func (s *agentSum) histogram() *latency.Histogram {
	if s == nil {
		return new(latency.Histogram)
	}
	if s.dense != nil {
		return s.dense
	}
	return s.sparse.Histogram()
}

// add merges a window's series, also by agent unless the agent's name is empty.
func (t *totals) add(agent string, series []latency.Series) error {
	if err := t.merged.Add(series); err != nil {
		return err
	}
	if agent == "" {
		return nil
	}
	for i := range series {
		if err := t.of(series[i].Key, agent).merge(series[i].Response); err != nil {
			return fmt.Errorf("merge series %s of agent %s: %w", series[i].Key, agent, err)
		}
	}
	return nil
}

// of returns the sum of an agent's own series.
func (t *totals) of(key latency.Key, agent string) *agentSum {
	if t.agents == nil {
		t.agents = make(map[latency.Key]byAgent)
	}
	if t.agents[key] == nil {
		t.agents[key] = make(byAgent)
	}
	own := t.agents[key][agent]
	if own == nil {
		own = t.newSum()
		t.agents[key][agent] = own
	}
	return own
}

// newSum returns an empty sum, which is dense if there are few.
func (t *totals) newSum() *agentSum {
	sum := new(agentSum)
	if t.sums++; t.sums <= mostDense {
		sum.dense = new(latency.Histogram)
	}
	return sum
}

// series returns the sums in the order of results: an operation's outcomes together, OK first, then the operation's
// parts. The histograms are the totals' own.
func (t *totals) series() []latency.Series {
	return slices.SortedFunc(t.merged.All, func(a, b latency.Series) int { return compareKeys(a.Key, b.Key) })
}

func compareKeys(a, b latency.Key) int {
	return cmp.Or(
		cmp.Compare(cmp.Or(a.PartOf, a.Op), cmp.Or(b.PartOf, b.Op)),
		cmp.Compare(a.PartOf, b.PartOf),
		cmp.Compare(a.Op, b.Op),
		compareOutcomes(a.Outcome, b.Outcome),
	)
}

func compareOutcomes(a, b string) int {
	if good := Good(a); good != Good(b) {
		if good {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// Good reports whether an outcome means that the operation succeeded.
func Good(outcome string) bool { return outcome == "OK" || outcome == "BATCHED_OK" }

// operations are the totals' figures.
func (t *totals) operations(s scale) []Operation {
	all := t.series()
	out := make([]Operation, 0, len(all))
	for _, sum := range all {
		agents := t.agents[sum.Key]
		op := Operation{
			Op:      sum.Key.Op,
			Outcome: sum.Key.Outcome,
			PartOf:  partOf(sum.Key),
			Figures: s.figures(sum.Response),
			Service: s.figures(sum.Service),
			Agents:  make([]AgentOperation, 0, len(agents)),
		}
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			h := agents[name].histogram()
			op.Agents = append(op.Agents, AgentOperation{
				Name:  name,
				Count: h.Count(),
				Mean:  meanUS(h),
				Min:   microseconds(h.Min()),
				P50:   s.p50.of(h),
				P95:   s.p95.of(h),
				P99:   s.p99.of(h),
				Max:   microseconds(h.Max()),
			})
		}
		out = append(out, op)
	}
	return out
}

func partOf(key latency.Key) *string {
	if key.PartOf == "" {
		return nil
	}
	return &key.PartOf
}

// count is how many operations the series hold, excluding the parts of larger ones.
func (t *totals) count() uint64 {
	var n uint64
	for s := range t.merged.All {
		if s.Key.PartOf == "" {
			n += s.Response.Count()
		}
	}
	return n
}
