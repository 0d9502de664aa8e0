package result

import (
	"fmt"
	"iter"
	"slices"

	"github.com/benchd/benchd/internal/latency"
)

// Combine configures how operations are combined into the series that YCSB prints. YCSB counts a READ as a READ even
// if it is part of a larger operation, and all failed ones together as READ-FAILED.
type Combine struct {
	EachError bool     // a series for each outcome (reportlatencyforeacherror)
	Errors    []string // a series for each of these outcomes (latencytrackederrors)
}

// Name is the series that an operation's latency goes to.
func (c Combine) Name(op, outcome string) string {
	switch {
	case Good(outcome):
		return op
	case c.EachError || slices.Contains(c.Errors, outcome):
		return op + "-" + outcome
	}
	return op + "-FAILED"
}

// Combined combines series. Percentiles that a user asked for are not among the figures.
func (c Combine) Combined(series []latency.Series) ([]Combined, error) {
	return c.combined(slices.Values(series), newScale(nil))
}

// combined merges series by name. An operation that always failed has an empty series of its own name, which has its
// outcomes.
func (c Combine) combined(series iter.Seq[latency.Series], s scale) ([]Combined, error) {
	var byName latency.Merged
	returns := make(map[string]map[string]uint64)
	none := new(latency.Histogram)
	for sum := range series {
		op := sum.Key.Op
		if err := byName.Add([]latency.Series{
			{Key: latency.Key{Op: c.Name(op, sum.Key.Outcome)}, Response: sum.Response, Service: sum.Service},
			{Key: latency.Key{Op: op}, Response: none, Service: none},
		}); err != nil {
			return nil, fmt.Errorf("combine series %s: %w", sum.Key, err)
		}
		if returns[op] == nil {
			returns[op] = make(map[string]uint64)
		}
		returns[op][sum.Key.Outcome] += sum.Response.Count()
	}
	out := make([]Combined, 0, len(returns))
	for sum := range byName.All {
		out = append(out, Combined{
			Name:    sum.Key.Op,
			Figures: s.combined(sum.Response),
			Service: s.combined(sum.Service),
			Returns: returns[sum.Key.Op],
		})
	}
	return out, nil
}
