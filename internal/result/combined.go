package result

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/latency"
)

// Combine says how operations are combined into the series that YCSB prints. There a READ is a READ whatever
// it was part of, and all failed ones are together in READ-FAILED.
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
	t := make(totals, len(series))
	if err := t.add("", series); err != nil {
		return nil, err
	}
	return t.combined(c, newScale(nil))
}

// combined merges the totals' histograms by name. An operation that only failed has an empty series of its own
// name, which says how.
func (t totals) combined(c Combine, s scale) ([]Combined, error) {
	type sums struct {
		response, service latency.Histogram
		returns           map[string]uint64
	}
	byName := make(map[string]*sums)
	of := func(name string) *sums {
		if byName[name] == nil {
			byName[name] = new(sums)
		}
		return byName[name]
	}
	for key, sum := range t {
		series := of(c.Name(key.Op, key.Outcome))
		if err := series.response.Merge(sum.response); err != nil {
			return nil, fmt.Errorf("combine series %s: %w", key, err)
		}
		if err := series.service.Merge(sum.service); err != nil {
			return nil, fmt.Errorf("combine series %s: %w", key, err)
		}
		own := of(key.Op)
		if own.returns == nil {
			own.returns = make(map[string]uint64)
		}
		own.returns[key.Outcome] += sum.response.Count()
	}
	out := make([]Combined, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		sum := byName[name]
		out = append(out, Combined{
			Name:    name,
			Figures: s.combined(&sum.response),
			Service: s.combined(&sum.service),
			Returns: sum.returns,
		})
	}
	return out, nil
}
