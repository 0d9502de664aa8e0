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
	byKey map[latency.Key]*keySum
	order []*keySum // the same, in the order of latency.Key
	sums  int       // of agents
}

// keySum is the sum of one operation with one outcome.
type keySum struct {
	key      latency.Key
	response latency.Parts
	service  *latency.Batch // nil as long as no window has service times that differ from its response times
	agents   byAgent        // nil if not needed
}

// byAgent is the response times of one operation with one outcome, by agent.
type byAgent map[string]*agentSum

// mostDense is how many sums of agents of a phase are batches, which are fast and large. Further ones, of a fleet, take less memory.
const mostDense = 256

// agentSum is a sum of an agent's response times, or of its lateness: dense, or else sparse.
type agentSum struct {
	dense  *latency.Batch
	sparse latency.Sparse
}

func (s *agentSum) merge(h *latency.Histogram) error {
	if s.dense != nil {
		return s.dense.Merge(h)
	}
	return s.sparse.Merge(h)
}

// read calls read with the sum, which is empty for nil and must be neither changed nor kept.
func (s *agentSum) read(read func(sum *latency.Histogram)) {
	switch {
	case s == nil:
		read(new(latency.Histogram))
	case s.dense != nil:
		read(s.dense.Histogram())
	default:
		s.sparse.Read(read)
	}
}

// max returns the largest sample.
func (s *agentSum) max() int64 {
	if s.dense != nil {
		return s.dense.Histogram().Max()
	}
	return s.sparse.Max()
}

// add merges a window's series, also by agent unless the agent's name is empty. The series have been validated.
func (t *totals) add(agent string, series []latency.Series) error {
	for i := range series {
		if err := t.of(series[i].Key).add(&series[i], t, agent); err != nil {
			return fmt.Errorf("merge series %s of agent %s: %w", series[i].Key, agent, err)
		}
	}
	return nil
}

// of returns the sum of a key.
func (t *totals) of(key latency.Key) *keySum {
	sum := t.byKey[key]
	if sum == nil {
		if t.byKey == nil {
			t.byKey = make(map[latency.Key]*keySum)
		}
		sum = &keySum{key: key}
		t.byKey[key] = sum
		at, _ := slices.BinarySearchFunc(t.order, key, func(s *keySum, key latency.Key) int { return s.key.Compare(key) })
		t.order = slices.Insert(t.order, at, sum)
	}
	return sum
}

func (k *keySum) add(s *latency.Series, t *totals, agent string) error {
	if s.Service != s.Response && k.service == nil {
		k.service = new(latency.Batch)
		if err := k.service.Merge(k.response.Histogram()); err != nil {
			return err
		}
	}
	if err := k.addResponse(s.Response, t, agent); err != nil {
		return err
	}
	if k.service != nil {
		return k.service.Merge(s.Service)
	}
	return nil
}

// addResponse merges response times, also by agent unless the agent's name is empty.
func (k *keySum) addResponse(h *latency.Histogram, t *totals, agent string) error {
	if agent == "" {
		return k.response.Merge(h, nil)
	}
	own := k.of(agent, t)
	if err := k.response.Merge(h, own.dense); err != nil || own.dense != nil {
		return err
	}
	return own.sparse.Merge(h)
}

// of returns the sum of an agent.
func (k *keySum) of(agent string, t *totals) *agentSum {
	own := k.agents[agent]
	if own == nil {
		own = new(agentSum)
		if t.nextIsDense() {
			own.dense = k.response.New()
		}
		if k.agents == nil {
			k.agents = make(byAgent)
		}
		k.agents[agent] = own
	}
	return own
}

// newSum returns an empty sum of an agent that is no part of another one.
func (t *totals) newSum() *agentSum {
	if t.nextIsDense() {
		return &agentSum{dense: new(latency.Batch)}
	}
	return new(agentSum)
}

// nextIsDense counts a new sum of an agent, and reports whether it is to be dense.
func (t *totals) nextIsDense() bool {
	t.sums++
	return t.sums <= mostDense
}

// all yields the sums, ordered by key. They are the totals' own: they may be read until these change.
func (t *totals) all(yield func(latency.Series) bool) {
	for _, k := range t.order {
		if !yield(k.series()) {
			return
		}
	}
}

func (k *keySum) series() latency.Series {
	s := latency.Series{Key: k.key, Response: k.response.Histogram()}
	if s.Service = s.Response; k.service != nil {
		s.Service = k.service.Histogram()
	}
	return s
}

// series returns the sums in the order of results: an operation's outcomes together, OK first, then the operation's
// parts. The histograms are the totals' own.
func (t *totals) series() []latency.Series {
	return slices.SortedFunc(t.all, func(a, b latency.Series) int { return compareKeys(a.Key, b.Key) })
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
		agents := t.byKey[sum.Key].agents
		op := Operation{
			Op:      sum.Key.Op,
			Outcome: sum.Key.Outcome,
			PartOf:  partOf(sum.Key),
			Figures: s.figures(sum.Response),
			Service: s.figures(sum.Service),
			Agents:  make([]AgentOperation, 0, len(agents)),
		}
		for _, name := range slices.Sorted(maps.Keys(agents)) {
			agents[name].read(func(h *latency.Histogram) {
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
	for _, k := range t.order {
		if k.key.PartOf == "" {
			n += k.response.Count()
		}
	}
	return n
}
