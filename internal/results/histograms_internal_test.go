package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Histograms have the intervals of a result's series: the window of an agent that began late, because it continued a load,
// is merged with those of the others; windows after the planned end are not.
func TestHistogramsHaveTheIntervalsOfTheSeries(t *testing.T) {
	const second = time.Second
	type sent struct {
		phase string
		span  result.Extent
		tail  bool
		ops   uint64
	}
	var got []sent
	m := merger{step: func(phase string) time.Duration {
		return map[string]time.Duration{"load": second, "measure": 5 * second}[phase]
	}, send: func(phase string, tail bool, iv *interval) error {
		got = append(got, sent{phase, iv.Extent, tail, latency.Ops(iv.merged.Series())})
		return nil
	}}
	window := func(phase string, start, end time.Duration, tail bool) *latency.Window {
		var h latency.Histogram
		h.Record(int64(time.Millisecond))
		return &latency.Window{
			ID: latency.WindowID{Phase: phase}, Start: start, End: end, Tail: tail,
			Series: []latency.Series{{Key: latency.Key{Op: "INSERT", Outcome: "OK"}, Response: &h, Service: &h}},
		}
	}
	for _, w := range []*latency.Window{
		window("load", 2*second, 3*second, false),
		window("load", 3*second, 4*second, false),
		window("load", 3*second+second/3, 4*second, false),
		window("measure", 5*second, 6*second, false),
		window("measure", 6*second, 6*second+second/2, false),
		window("measure", 6*second+second/2, 7*second, true),
		window("measure", 7*second, 8*second, true),
	} {
		require.NoError(t, m.add(w))
	}
	require.NoError(t, m.flush())
	require.Equal(t, []sent{
		{"load", result.Extent{Start: 2 * second, End: 3 * second}, false, 1},
		{"load", result.Extent{Start: 3 * second, End: 4 * second}, false, 2},
		{"measure", result.Extent{Start: 5 * second, End: 6*second + second/2}, false, 2},
		{"measure", result.Extent{Start: 6*second + second/2, End: 8 * second}, true, 2},
	}, got)
}
