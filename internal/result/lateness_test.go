package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Send lateness is merged as all percentiles are (law 1), for each agent and over all; a closed loop has none.
func TestLateness(t *testing.T) {
	b := result.NewBuilder(open(config(2), 100))
	for shard := range 2 {
		ws := of("measure", shard)
		for second := range 10 {
			w := ws.next(series("READ", "OK", same(100, 10)...))
			w.Lateness = new(latency.Histogram)
			for i := range 100 {
				late := 20 * time.Microsecond
				if shard == 1 && second == 3 && i < 50 {
					late = 8 * time.Millisecond
				}
				w.Lateness.Record(int64(late))
			}
			add(t, b, w)
		}
	}
	p := document(t, b).Phases[0]
	check := func(l *result.Lateness, count uint64, p50, p99, most float64) {
		t.Helper()
		require.NotNil(t, l)
		require.Equal(t, count, l.Count)
		require.InEpsilon(t, p50, *l.P50, 0.001)
		require.InEpsilon(t, p99, *l.P99, 0.001)
		require.Nil(t, l.P999, "too few samples")
		require.InEpsilon(t, most, l.Max, 0.001)
	}
	check(p.Lateness, 2000, 0.02, 8, 8)
	check(p.Generators[0].Lateness, 1000, 0.02, 0.02, 0.02)
	check(p.Generators[1].Lateness, 1000, 0.02, 8, 8)

	b = result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(series("READ", "OK", 1)))
	p = document(t, b).Phases[0]
	require.Nil(t, p.Lateness)
	require.Nil(t, p.Generators[0].Lateness)
}
