package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/latency"
)

// totals merges all windows of a phase, in whatever order they come.
type totals map[latency.Key]*total

// total is one operation with one outcome.
type total struct {
	response *latency.Histogram
	service  *latency.Histogram         // the same one for as long as no window tells the clocks apart
	agents   map[string]*latency.Sparse // response times; nil when nobody asks for them
}

// add merges a window's series, which have been checked. Without an agent's name nothing is kept by agent.
func (t totals) add(agent string, series []latency.Series) error {
	for i := range series {
		s := &series[i]
		sum := t[s.Key]
		if sum == nil {
			h := new(latency.Histogram)
			sum = &total{response: h, service: h}
			t[s.Key] = sum
		}
		if err := sum.add(agent, s); err != nil {
			return fmt.Errorf("merge series %s: %w", s.Key, err)
		}
	}
	return nil
}

func (t *total) add(agent string, s *latency.Series) error {
	if agent != "" {
		own := t.agents[agent]
		if own == nil {
			if t.agents == nil {
				t.agents = make(map[string]*latency.Sparse)
			}
			own = new(latency.Sparse)
			t.agents[agent] = own
		}
		if err := own.Merge(s.Response); err != nil {
			return err
		}
	}
	if t.service == t.response && s.Service != s.Response {
		t.service = t.response.Clone()
	}
	if err := t.response.Merge(s.Response); err != nil {
		return err
	}
	if t.service == t.response {
		return nil
	}
	return t.service.Merge(s.Service)
}

// keys lists the series as results print them: an operation's outcomes together, OK first; the parts of an
// operation after it.
func (t totals) keys() []latency.Key {
	return slices.SortedFunc(maps.Keys(t), compareKeys)
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

// Good reports whether an outcome says that the operation did what was asked.
func Good(outcome string) bool { return outcome == "OK" || outcome == "BATCHED_OK" }

// operations are the totals' figures.
func (t totals) operations(s scale) []Operation {
	out := make([]Operation, 0, len(t))
	for _, key := range t.keys() {
		sum := t[key]
		op := Operation{
			Op:      key.Op,
			Outcome: key.Outcome,
			PartOf:  partOf(key),
			Figures: s.figures(sum.response),
			Service: s.figures(sum.service),
			Agents:  make([]AgentOperation, 0, len(sum.agents)),
		}
		for _, name := range slices.Sorted(maps.Keys(sum.agents)) {
			h := sum.agents[name].Histogram()
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

// count is how many operations the series hold, without the parts of larger ones.
func (t totals) count() uint64 {
	var n uint64
	for key, sum := range t {
		if key.PartOf == "" {
			n += sum.response.Count()
		}
	}
	return n
}
