package result

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

// The set of window numbers contains each number once and has no more ranges than gaps.
func TestSeqSet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var s seqSet
		in := make(map[int]bool)
		for range r.IntN(60) {
			n := r.IntN(40)
			require.Equal(t, !in[n], s.add(n, Stretch{time.Duration(n), time.Duration(n + 1)}))
			in[n] = true
		}
		missing := make(map[int]bool)
		for _, g := range s.gaps(45) {
			require.LessOrEqual(t, g.First, g.Last)
			for n := g.First; n <= g.Last; n++ {
				missing[n] = true
			}
		}
		end := 0
		for n := range 45 {
			require.Equal(t, !in[n], missing[n], "number %d", n)
			if in[n] {
				end = n + 1
			}
		}
		require.Equal(t, end, s.end())
		require.Empty(t, s.uncovered(), "a missing window is a gap, not a hole")
		_, ok := s.start()
		require.Equal(t, in[0], ok)
		for i := 1; i < len(s.ranges); i++ {
			require.Greater(t, s.ranges[i].First, s.ranges[i-1].Last+1)
		}
	}
}

// A series of days has points of minutes.
func TestPointLength(t *testing.T) {
	for _, tc := range []struct{ interval, phase, want time.Duration }{
		{time.Second, time.Minute, time.Second},
		{time.Second, 10_000 * time.Second, time.Second},
		{time.Second, 0, time.Second},
		{0, time.Hour, 0},
		{time.Second, 10_001 * time.Second, 5 * time.Second},
		{time.Second, 12_504 * time.Second, 5 * time.Second},
		{time.Second, 12_505 * time.Second, 10 * time.Second},
		{time.Second, 24 * time.Hour, 50 * time.Second},
		{time.Second, 4 * 24 * time.Hour, 500 * time.Second},
		{100 * time.Millisecond, time.Hour, 5 * time.Second},
	} {
		require.Equal(t, tc.want, PointLength(tc.interval, tc.phase))
	}
	step := time.Second
	for length := step; length < 10*365*24*time.Hour; length += length/7 + 1 {
		longer := PointLength(time.Second, length)
		require.Zero(t, longer%step, "points of %s can be made of points of %s", longer, step)
		if length > wholePoints*time.Second {
			require.LessOrEqual(t, length/longer, time.Duration(maxPoints))
		}
		step = longer
	}
}

// Means do not depend on how windows were merged before.
func TestExactSumsDoNotDependOnTheOrder(t *testing.T) {
	var all latency.Histogram
	var one, many exactSum
	for i := range 1000 {
		var h latency.Histogram
		h.Record(int64(1)<<(i%40) + int64(i))
		many.add(&h)
		require.NoError(t, all.Merge(&h))
	}
	one.add(&all)
	require.Equal(t, one, many)
	require.InDelta(t, meanUS(&all), many.mean(1000), 0)
}

func TestLengthText(t *testing.T) {
	for _, tc := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ns"},
		{850, "850 ns"},
		{1020, "1.02 µs"},
		{999_600, "1000 µs"},
		{time.Millisecond, "1 ms"},
		{12_340 * time.Microsecond, "12.3 ms"},
		{150 * time.Second, "150 s"},
	} {
		require.Equal(t, tc.want, lengthText(tc.d))
	}
}

func TestPercentText(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.9999: "99 %", 0.43: "43 %", 0.001: "0.1 %", 0.0123: "1.2 %", 0.0000001: "less than 0.01 %", 0.0999: "10 %",
	} {
		require.Equal(t, want, percentText(share))
	}
}

// Histograms of old intervals are released: memory grows only by their figures, and not at all in a builder for Live.
func TestIntervalsAreReleased(t *testing.T) {
	for _, liveOnly := range []bool{false, true} {
		b := NewBuilder(BuilderConfig{
			Interval: time.Second, LiveOnly: liveOnly,
			Phases: []PhaseInfo{{Name: "measure"}}, Shards: []ShardInfo{{Index: 0, Attempt: 1, Agent: "a"}},
		})
		for seq := range 500 {
			var h latency.Histogram
			h.Record(1000)
			_, err := b.Add(&latency.Window{
				ID:    latency.WindowID{Phase: "measure", Attempt: 1, Seq: seq},
				Start: time.Duration(seq) * time.Second, End: time.Duration(seq+1) * time.Second,
				Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h}},
			})
			require.NoError(t, err)
		}
		p := b.phases["measure"]
		require.LessOrEqual(t, len(p.series.open), openIntervals)
		require.Len(t, p.ledger[shardID{0, 1}].have.ranges, 1)
		if liveOnly {
			require.Empty(t, p.series.done)
			require.Nil(t, p.generators["a"].course)
			continue
		}
		require.Len(t, p.series.done, 500-openIntervals)
		for _, iv := range p.series.done {
			for _, c := range iv.cells {
				require.Nil(t, c.response)
			}
		}
	}
}

// Windows in the order of their starts need the histograms of one interval and its tail, and lose no percentile.
func TestIntervalsInOrderAreReleasedEarlier(t *testing.T) {
	const agents, seconds = 5, 40
	random := rand.New(rand.NewPCG(1, 2))
	var windows []latency.Window
	for agent := range agents {
		for second := range seconds {
			start := time.Duration(second)*time.Second + time.Duration(random.IntN(900))*time.Millisecond
			samples := make([]int64, 40)
			for i := range samples {
				samples[i] = int64(1000 << random.IntN(12))
			}
			windows = append(windows, latency.Window{
				ID: latency.WindowID{Shard: agent, Seq: second}, Start: start, End: start + time.Second, Tail: random.IntN(3) == 0, Series: readsOf(samples...),
			})
		}
	}
	slices.SortFunc(windows, func(a, b latency.Window) int { return cmp.Compare(a.Start, b.Start) })
	for _, step := range []time.Duration{time.Second, 5 * time.Second} {
		ordered, whole := newSeries(step, true, false, newScale(nil)), newSeries(step, false, false, newScale(nil))
		whole.most = len(windows) // all are open
		for i := range windows {
			require.NoError(t, ordered.add(&windows[i]))
			require.NoError(t, whole.add(&windows[i]))
			require.LessOrEqual(t, len(ordered.open), openInOrder)
		}
		require.Equal(t, whole.points(), ordered.points())
	}
}

func TestColumnLength(t *testing.T) {
	for _, tc := range []struct {
		point, phase time.Duration
		atMost       int
		want         time.Duration
	}{
		{time.Second, 2 * time.Hour, Columns, 20 * time.Second},
		{time.Second, 2*time.Hour + 1, Columns, 50 * time.Second},
		{time.Second, time.Minute, Columns, time.Second},
		{time.Second, 361 * time.Second, Columns, 2 * time.Second},
		{500 * time.Second, 4 * 24 * time.Hour, Columns, 1000 * time.Second},
		{100 * time.Millisecond, time.Hour, 100, 50 * time.Second},
		{time.Second, 2 * time.Hour, 0, time.Second},
		{time.Second, 0, 1, time.Second},
		{0, time.Hour, 10, 0},
	} {
		require.Equal(t, tc.want, ColumnLength(tc.point, tc.phase, tc.atMost), "%v", tc)
	}
}
