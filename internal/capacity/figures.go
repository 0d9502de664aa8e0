package capacity

import (
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// figureOf is a latency in microseconds; nil if there are too few samples.
func figureOf(f search.Figure, of result.Figures) *float64 {
	switch f {
	case search.Mean:
		return &of.Mean
	case search.Max:
		return &of.Max
	case search.P50:
		return of.P50
	case search.P90:
		return of.P90
	case search.P95:
		return of.P95
	case search.P99:
		return of.P99
	case search.P999:
		return of.P999
	case search.P9999:
		return of.P9999
	case search.Errors, search.Throughput:
	}
	return nil
}

// need is how many samples a figure needs (law 6).
func need(f search.Figure) uint64 {
	quantiles := map[search.Figure]float64{
		search.P50: 0.5, search.P90: 0.9, search.P95: 0.95, search.P99: 0.99, search.P999: 0.999, search.P9999: 0.9999,
	}
	if q, ok := quantiles[f]; ok {
		return latency.MinSamples(q)
	}
	return 1
}
