package result_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// A window that begins late, because its agent did, belongs to the interval of the others.
func TestTheIntervalOfAWindow(t *testing.T) {
	for name, test := range map[string]struct {
		window latency.Window
		step   time.Duration
		want   result.Slot
	}{
		"at its start":         {latency.Window{Start: 3 * time.Second}, time.Second, result.Slot{Index: 3}},
		"within it":            {latency.Window{Start: 3700 * time.Millisecond}, time.Second, result.Slot{Index: 3}},
		"of several windows":   {latency.Window{Start: 9 * time.Second}, 5 * time.Second, result.Slot{Index: 1}},
		"after the end":        {latency.Window{Start: 9 * time.Second, Tail: true}, 5 * time.Second, result.Slot{Index: 1, Tail: true}},
		"by number, if by any": {latency.Window{ID: latency.WindowID{Seq: 7}, Start: time.Second}, 0, result.Slot{Index: 7}},
	} {
		require.Equal(t, test.want, result.SlotOf(&test.window, test.step), name)
	}
}

func TestIntervalsAreOrderedByTime(t *testing.T) {
	want := []result.Slot{{Index: 1}, {Index: 2}, {Index: 2, Tail: true}, {Index: 3}}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, result.Slot.Compare)
	require.Equal(t, want, got)
	require.Zero(t, want[2].Compare(result.Slot{Index: 2, Tail: true}))
}

func TestAnIntervalCoversItsWindows(t *testing.T) {
	span := result.ExtentOf(&latency.Window{Start: 3300 * time.Millisecond, End: 4 * time.Second})
	span.Cover(&latency.Window{Start: 3 * time.Second, End: 3900 * time.Millisecond})
	require.Equal(t, result.Extent{Start: 3 * time.Second, End: 4 * time.Second}, span)
}
