package archivetest

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func testWindowIsReadAsItWasAdded(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")

	full := WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1}, 50)
	empty := latency.Window{ID: latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 1}, Start: time.Second, End: time.Second, Tail: true, Last: true}
	overflow := latency.Window{ID: latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 2}, Start: 2 * time.Second, End: 2 * time.Second}
	h := new(latency.Histogram)
	for _, v := range []int64{0, 1, math.MaxInt64, math.MaxInt64, math.MaxInt64} {
		h.Record(v)
	}
	overflow.Series = []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h}}

	Add(t, a, full, empty, overflow)
	got := WindowsIn(t, a, run)
	require.Len(t, got, 3)
	for i, want := range []latency.Window{full, empty, overflow} {
		RequireSameWindow(t, want, got[i])
	}
	require.Same(t, got[0].Series[0].Response, got[0].Series[0].Service, "equal histograms are stored once")
}

func testWindowIsAddedOnce(t *testing.T, open Open) {
	dir := t.TempDir()
	a := open(t, dir)
	run := Create(t, a, "s")
	id := latency.WindowID{Run: run, Phase: "measure", Shard: 1, Attempt: 1, Seq: 7}
	first := WindowOf(id, 20)
	other := WindowOf(id, 30) // of the same identity, with other contents

	require.Equal(t, []bool{true, false}, Add(t, a, first, other), "twice in one call")
	require.Equal(t, []bool{false}, Add(t, a, other), "in a later call")
	require.NoError(t, a.Close(t.Context()))
	a = open(t, dir)
	require.Equal(t, []bool{false}, Add(t, a, other), "after a restart")

	got := WindowsIn(t, a, run)
	require.Len(t, got, 1)
	RequireSameWindow(t, first, got[0])
}

func testWindowIsFreshForOneOfManyAdders(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	const adders, windows = 4, 20
	var fresh [windows]atomic.Int64
	var group errgroup.Group
	for range adders {
		group.Go(func() error {
			for seq := range windows {
				receipts, err := a.AddWindows(t.Context(), []latency.Window{WindowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12)})
				if err != nil {
					return err
				}
				if receipts[0].Fresh {
					fresh[seq].Add(1)
				}
				for _, err := range a.Windows(t.Context(), run) { // readers beside the writers
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	for seq := range fresh {
		require.EqualValues(t, 1, fresh[seq].Load(), "window %d", seq)
	}
}

func testEachPartOfTheIdentityCounts(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	one, two := Create(t, a, "s"), Create(t, a, "t")
	base := latency.WindowID{Run: one, Phase: "measure", Shard: 1, Attempt: 1, Seq: 1}
	Add(t, a, latency.Window{ID: base})
	for name, change := range map[string]func(*latency.WindowID){
		"run":     func(id *latency.WindowID) { id.Run = two },
		"phase":   func(id *latency.WindowID) { id.Phase = "warmup" },
		"shard":   func(id *latency.WindowID) { id.Shard = 2 },
		"attempt": func(id *latency.WindowID) { id.Attempt = 2 },
		"seq":     func(id *latency.WindowID) { id.Seq = 2 },
	} {
		id := base
		change(&id)
		require.Equal(t, []bool{true}, Add(t, a, latency.Window{ID: id}), name)
	}
}

func testBadWindowIsRefusedAlone(t *testing.T, open Open) {
	key := latency.Key{Op: "READ", Outcome: "OK"}
	one := HistogramOf(1, 1)
	for name, tc := range map[string]struct {
		change func(*latency.Window)
		want   error
	}{
		"unknown run":       {func(w *latency.Window) { w.ID.Run = "nobody.1" }, archive.ErrNotFound},
		"ends before start": {func(w *latency.Window) { w.End = -1 }, archive.ErrInvalid},
		"count too large":   {func(w *latency.Window) { w.Bytes = math.MaxUint64 }, archive.ErrInvalid},
		"NaN":               {func(w *latency.Window) { w.Health.HostIdle = math.NaN() }, archive.ErrInvalid},
		"negative seq":      {func(w *latency.Window) { w.ID.Seq = -1 }, archive.ErrInvalid},
		"no histogram":      {func(w *latency.Window) { w.Series = []latency.Series{{Key: key, Response: one}} }, archive.ErrInvalid},
		"counts differ": {func(w *latency.Window) {
			w.Series = []latency.Series{{Key: key, Response: one, Service: HistogramOf(2, 1)}}
		}, archive.ErrInvalid},
		"series twice": {func(w *latency.Window) {
			w.Series = []latency.Series{{Key: key, Response: one, Service: one}, {Key: key, Response: one, Service: one}}
		}, archive.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, t.TempDir())
			run := Create(t, a, "s")
			id := latency.WindowID{Run: run, Phase: "measure", Attempt: 1}
			good, bad := latency.Window{ID: id}, latency.Window{ID: id}
			bad.ID.Seq = 1
			tc.change(&bad)

			receipts, err := a.AddWindows(t.Context(), []latency.Window{bad, good, bad})
			require.NoError(t, err)
			require.Equal(t, archive.Receipt{Fresh: true}, receipts[1])
			for _, i := range []int{0, 2} {
				require.False(t, receipts[i].Fresh)
				require.ErrorIs(t, receipts[i].Err, tc.want)
			}
			require.Equal(t, []latency.WindowID{good.ID}, IDsOf(WindowsIn(t, a, run)))
		})
	}
}

// The result of an ended run does not change: a window that arrives later is refused, even the first of its phase, and a
// stored one is recognized.
func testNothingIsMeasuredAfterTheEnd(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run, other := Create(t, a, "s"), Create(t, a, "t")
	window := func(run, phase string, seq int) latency.Window {
		return WindowOf(latency.WindowID{Run: run, Phase: phase, Attempt: 1, Seq: seq}, 12)
	}
	Add(t, a, window(run, "measure", 0))
	record := RunOf("s", "1")
	record.Status = result.Complete
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{record}, Suite: "s", Status: result.Complete}))

	receipts, err := a.AddWindows(t.Context(), []latency.Window{window(run, "measure", 1), window(run, "measure", 0), window(run, "load", 0), window(other, "measure", 0)})
	require.NoError(t, err)
	require.ErrorIs(t, receipts[0].Err, archive.ErrEnded)
	require.Equal(t, archive.Receipt{}, receipts[1])
	require.ErrorIs(t, receipts[2].Err, archive.ErrEnded)
	require.Equal(t, archive.Receipt{Fresh: true}, receipts[3])
	require.Equal(t, []latency.WindowID{window(run, "measure", 0).ID}, IDsOf(WindowsIn(t, a, run)))
	extents, err := a.Extents(t.Context(), run)
	require.NoError(t, err)
	require.Len(t, extents, 1)

	require.ErrorIs(t, a.AddObservations(t.Context(), run, ObservedBy("rs1:16020")), archive.ErrEnded)
	observed, err := a.Observations(t.Context(), run)
	require.NoError(t, err)
	require.Empty(t, observed)
}

func testWindowsAreOrdered(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	var want []latency.WindowID
	for _, phase := range []string{"warmup", "measure"} { // not in the order of the alphabet
		for seq := range 3 {
			for shard := range 2 {
				for attempt := 1; attempt <= 2; attempt++ {
					want = append(want, latency.WindowID{Run: run, Phase: phase, Seq: seq, Shard: shard, Attempt: attempt})
				}
			}
		}
	}
	// The first window of each phase comes in its order, all others the wrong way round.
	Add(t, a, WindowOf(want[5], 12), WindowOf(want[len(want)/2+5], 12))
	for _, id := range slices.Backward(want) {
		Add(t, a, WindowOf(id, 12))
	}

	got := WindowsIn(t, a, run)
	require.Equal(t, want, IDsOf(got))
	for i := range got {
		RequireSameWindow(t, WindowOf(want[i], 12), got[i])
	}
}

func testReadingEndsWhenTheCallerHasEnough(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	for seq := range 5 {
		Add(t, a, WindowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12))
	}
	for range 16 { // a leaked reader would be noticed
		n := 0
		for _, err := range a.Windows(t.Context(), run) {
			require.NoError(t, err)
			if n++; n == 2 {
				break
			}
		}
		require.Equal(t, 2, n)
	}
}

func testReadingSeesOneInstant(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	id := latency.WindowID{Run: run, Phase: "measure"}
	Add(t, a, WindowOf(id, 12))
	n := 0
	for _, err := range a.Windows(t.Context(), run) {
		require.NoError(t, err)
		n++
		id.Seq = n
		Add(t, a, WindowOf(id, 12)) // a writer does not wait for readers
	}
	require.Equal(t, 1, n)
	require.Len(t, WindowsIn(t, a, run), 2)
}

func testReadingEndsWithItsContext(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	for seq := range 3 {
		Add(t, a, WindowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range a.Windows(ctx, run) {
		cancel()
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
}

// An archive reads ahead in runs of many windows: those that a caller has are not changed by the ones that come, and it may stop at any of them.
func testALongRun(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	sent := make([]latency.Window, 700)
	for seq := range sent {
		sent[seq] = WindowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12)
		if seq == 300 { // histograms that are larger than others
			sent[seq] = WindowOf(sent[seq].ID, 5000)
		}
	}
	Add(t, a, sent...)
	got := WindowsIn(t, a, run)
	require.Equal(t, IDsOf(sent), IDsOf(got))
	for i := range sent {
		RequireSameWindow(t, sent[i], got[i])
	}
	for _, enough := range []int{1, 255, 256, 257, 511, 512, 513, 699, 700, 701} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for w, err := range a.Windows(ctx, run) {
			require.NoError(t, err)
			require.Equal(t, n, w.ID.Seq)
			if n++; n == enough {
				break
			}
		}
		require.Equal(t, min(enough, len(sent)), n)
		n = 0
		var last error
		for _, err := range a.Windows(ctx, run) {
			if last = err; err == nil {
				n++
			}
			if n == enough {
				cancel()
			}
		}
		if cancel(); enough < len(sent) {
			require.ErrorIs(t, last, context.Canceled, "after %d windows", enough)
		}
	}
	require.Equal(t, IDsOf(sent), IDsOf(WindowsIn(t, a, run)))
}

func testAddingEndsWithItsContextAndStoresNothing(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.AddWindows(ctx, []latency.Window{{ID: latency.WindowID{Run: run, Phase: "measure"}}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, WindowsIn(t, a, run))
}

func testCounts(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	for _, w := range []struct {
		phase               string
		shard, attempt, seq int
		last                bool
	}{
		{"load", 1, 1, 0, false},
		{"load", 1, 1, 1, false},
		{"load", 1, 1, 2, true},
		{"load", 0, 1, 2, false},
		{"load", 0, 1, 3, false},
		{"load", 0, 1, 7, true},
		{"load", 0, 2, 0, false},
		{"measure", 1, 1, 0, true},
	} {
		Add(t, a, latency.Window{ID: latency.WindowID{Run: run, Phase: w.phase, Shard: w.shard, Attempt: w.attempt, Seq: w.seq}, Last: w.last})
	}
	got, err := a.Counts(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []archive.Count{
		{Phase: "load", Shard: 0, Attempt: 1, Windows: 3, Highest: 7, Last: true, Missing: []archive.Gap{{From: 0, To: 1}, {From: 4, To: 6}}},
		{Phase: "load", Shard: 0, Attempt: 2, Windows: 1},
		{Phase: "load", Shard: 1, Attempt: 1, Windows: 3, Highest: 2, Last: true},
		{Phase: "measure", Shard: 1, Attempt: 1, Windows: 1, Last: true},
	}, got)

	none, err := a.Counts(t.Context(), "nobody.1")
	require.NoError(t, err)
	require.Empty(t, none)
}

func testALoadIsHandedOverWhereItsNewestWindowEnds(t *testing.T, open Open) {
	dir := t.TempDir()
	a := open(t, dir)
	run := Create(t, a, "s")
	window := func(shard, attempt, seq int, loaded ...int64) latency.Window {
		w := WindowOf(latency.WindowID{Run: run, Phase: "load", Shard: shard, Attempt: attempt, Seq: seq}, 5)
		w.Loaded = loaded
		return w
	}
	handOver := func(shard, attempt int) []int64 {
		rows, err := a.HandOver(t.Context(), run, shard, attempt)
		require.NoError(t, err)
		return rows
	}
	Add(t, a, window(0, 1, 0, 10, 20), window(1, 1, 0, 30, 40), window(0, 1, 2, 12, 22))
	Add(t, a, window(0, 1, 1, 11, 21)) // late
	require.Equal(t, []int64{12, 22}, handOver(0, 2))
	require.Equal(t, []bool{false, true}, Add(t, a, window(0, 1, 3, 13, 23), window(1, 1, 1, 33, 43)), "its rows are written again")
	require.Equal(t, []int64{12, 22}, handOver(0, 2), "asked again")
	require.NoError(t, a.Close(t.Context()))
	a = open(t, dir)
	require.Equal(t, []int64{12, 22}, handOver(0, 2), "after a restart")
	require.Equal(t, []int64{12, 22}, handOver(0, 3), "an attempt without a window")
	require.Equal(t, []bool{false, true}, Add(t, a, window(0, 2, 0, 13, 23), window(0, 3, 0, 15, 25)))
	require.Equal(t, []int64{15, 25}, handOver(0, 4))
	require.Nil(t, handOver(2, 2), "it has no window")
	require.Equal(t, []int64{33, 43}, handOver(1, 2))
}

// A shard that was handed out again, and an agent that joined late, number their windows from 0 while others are far ahead.
// A reader that makes a series from windows can keep few intervals open only if windows of one instant come together.
func testWindowsAreReadInTheOrderOfTime(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "s")
	for shard, from := range []int{0, 0, 20} {
		for seq := range 40 {
			id := latency.WindowID{Run: run, Phase: "load", Shard: min(shard, 1), Attempt: 1, Seq: seq}
			if shard == 2 {
				id.Attempt = 2
			}
			w := WindowOf(id, 20)
			w.Start = time.Duration(from+seq) * time.Second
			w.End = w.Start + time.Second
			Add(t, a, w)
		}
	}
	var starts []time.Duration
	got := WindowsIn(t, a, run)
	for _, w := range got {
		starts = append(starts, w.Start)
		require.Len(t, w.Series, len(got[0].Series), "with all that belongs to it")
	}
	require.Len(t, starts, 120)
	require.True(t, slices.IsSorted(starts), "%v", starts)
}

// ObservedBy returns observations that a server reported.
func ObservedBy(source string) []result.Observed {
	at := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}
	return []result.Observed{
		{Name: "server.regions", Source: source, Unit: "1", At: at, Values: []float64{3, 3, 4}},
		{Name: "server.requests", Source: source, Unit: "1/s", At: at[1:], Values: []float64{1234.5678, 0.1}},
		{Name: "telemetry.nothing", Source: source, Unit: "1"},
	}
}

func testObservationsComeBackInOrder(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	run := Create(t, a, "S")
	require.NoError(t, a.AddObservations(t.Context(), run, ObservedBy("rs1:16020")))
	later := []result.Observed{{Name: "server.regions", Source: "rs1:16020", Unit: "1", At: []time.Duration{500 * time.Millisecond, 4 * time.Second}, Values: []float64{2, 5}}}
	require.NoError(t, a.AddObservations(t.Context(), run, later))
	require.NoError(t, a.AddObservations(t.Context(), run, nil))

	got, err := a.Observations(t.Context(), run)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, result.Observed{
		Name: "server.regions", Source: "rs1:16020", Unit: "1",
		At: []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}, Values: []float64{2, 3, 3, 4, 5},
	}, got[0], "also if two agents observe at the same time")
	require.Equal(t, ObservedBy("rs1:16020")[1], got[1])

	require.ErrorIs(t, a.AddObservations(t.Context(), "T.1", later), archive.ErrNotFound)
}
