package result

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

func readsOf(values ...int64) []latency.Series {
	h := new(latency.Histogram)
	for _, v := range values {
		h.Record(v)
	}
	return []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h}}
}

// The sums of a fleet's agents are exact, whether they are dense or sparse.
func TestSumsOfManyAgentsAreExact(t *testing.T) {
	var sum totals
	const agents = mostDense + 20
	for range 12 { // enough for a sparse sum to be added up
		for agent := range agents {
			require.NoError(t, sum.add(strconv.Itoa(agent), readsOf(int64(1000+agent), 1_000_000)))
		}
	}
	dense := 0
	for agent := range agents {
		own := sum.of(latency.Key{Op: "READ", Outcome: "OK"}).agents[strconv.Itoa(agent)]
		if own.dense != nil {
			dense++
		}
		own.read(func(h *latency.Histogram) {
			require.Equal(t, uint64(24), h.Count())
			require.Equal(t, int64(1000+agent), h.Quantile(0.5))
			require.Equal(t, uint64(12), h.AtLeast(1_000_000))
		})
		require.Equal(t, int64(1_000_000), own.max())
	}
	require.Equal(t, mostDense, dense)
}

// Intervals use the memory of earlier ones, and have none of their samples.
func TestIntervalsShareMemoryAndNoSamples(t *testing.T) {
	s := newSeries(time.Second, false, false, newScale(nil))
	const intervals = 4 * openIntervals
	value := func(i int) int64 { return int64(1000) << (i * 7 % 20) } // in other pages each time
	for i := range intervals {
		samples := make([]int64, 20)
		for k := range samples {
			samples[k] = value(i)
		}
		start := time.Duration(i) * time.Second
		require.NoError(t, s.add(&latency.Window{ID: latency.WindowID{Seq: i}, Start: start, End: start + time.Second, Series: readsOf(samples...)}))
	}
	points := s.points()
	require.Len(t, points, intervals)
	for i, p := range points {
		require.Equal(t, uint64(20), p.Operations[0].Count)
		require.InDelta(t, float64(value(i))/1000, *p.Operations[0].P50, float64(value(i))/1e6)
		require.InDelta(t, float64(value(i))/1000, p.Operations[0].Max, 0)
	}
	require.LessOrEqual(t, len(s.spare[latency.Key{Op: "READ", Outcome: "OK"}]), 1)
}
