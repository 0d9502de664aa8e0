package archive

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/latency"
)

func TestWindowIsReadAsItWasAdded(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")

	full := windowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1}, 50)
	empty := latency.Window{ID: latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 1}, Start: time.Second, End: time.Second, Tail: true, Last: true}
	overflow := latency.Window{ID: latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 2}, Start: 2 * time.Second, End: 2 * time.Second}
	h := new(latency.Histogram)
	for _, v := range []int64{0, 1, math.MaxInt64, math.MaxInt64, math.MaxInt64} {
		h.Record(v)
	}
	overflow.Series = []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: h, Service: h}}

	add(t, a, full, empty, overflow)
	got := windowsIn(t, a, run)
	require.Len(t, got, 3)
	for i, want := range []latency.Window{full, empty, overflow} {
		requireSameWindow(t, want, got[i])
	}
	require.Same(t, got[0].Series[0].Response, got[0].Series[0].Service, "equal histograms are stored once")
}

func TestWindowIsAddedOnce(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	run := create(t, a, "s")
	id := latency.WindowID{Run: run, Phase: "measure", Shard: 1, Attempt: 1, Seq: 7}
	first := windowOf(id, 20)
	other := windowOf(id, 30) // of the same identity, whatever it holds

	require.Equal(t, []bool{true, false}, add(t, a, first, other), "twice in one call")
	require.Equal(t, []bool{false}, add(t, a, other), "in a later call")
	require.NoError(t, a.Close(t.Context()))
	a = openIn(t, dir)
	require.Equal(t, []bool{false}, add(t, a, other), "after a restart")

	got := windowsIn(t, a, run)
	require.Len(t, got, 1)
	requireSameWindow(t, first, got[0])
}

func TestWindowIsFreshForOneOfManyAdders(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	const adders, windows = 4, 20
	var fresh [windows]atomic.Int64
	var group errgroup.Group
	for range adders {
		group.Go(func() error {
			for seq := range windows {
				receipts, err := a.AddWindows(t.Context(), []latency.Window{windowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12)})
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

func TestEachPartOfTheIdentityCounts(t *testing.T) {
	a := openIn(t, t.TempDir())
	one, two := create(t, a, "s"), create(t, a, "t")
	base := latency.WindowID{Run: one, Phase: "measure", Shard: 1, Attempt: 1, Seq: 1}
	add(t, a, latency.Window{ID: base})
	for name, change := range map[string]func(*latency.WindowID){
		"run":     func(id *latency.WindowID) { id.Run = two },
		"phase":   func(id *latency.WindowID) { id.Phase = "warmup" },
		"shard":   func(id *latency.WindowID) { id.Shard = 2 },
		"attempt": func(id *latency.WindowID) { id.Attempt = 2 },
		"seq":     func(id *latency.WindowID) { id.Seq = 2 },
	} {
		id := base
		change(&id)
		require.Equal(t, []bool{true}, add(t, a, latency.Window{ID: id}), name)
	}
}

func TestBadWindowIsRefusedAlone(t *testing.T) {
	key := latency.Key{Op: "READ", Outcome: "OK"}
	one := histogramOf(1, 1)
	for name, tc := range map[string]struct {
		change func(*latency.Window)
		want   error
	}{
		"unknown run":       {func(w *latency.Window) { w.ID.Run = "nobody.1" }, ErrNotFound},
		"ends before start": {func(w *latency.Window) { w.End = -1 }, ErrInvalid},
		"count too large":   {func(w *latency.Window) { w.Bytes = math.MaxUint64 }, ErrInvalid},
		"no number":         {func(w *latency.Window) { w.Health.HostIdle = math.NaN() }, ErrInvalid},
		"negative seq":      {func(w *latency.Window) { w.ID.Seq = -1 }, ErrInvalid},
		"no histogram":      {func(w *latency.Window) { w.Series = []latency.Series{{Key: key, Response: one}} }, ErrInvalid},
		"counts differ": {func(w *latency.Window) {
			w.Series = []latency.Series{{Key: key, Response: one, Service: histogramOf(2, 1)}}
		}, ErrInvalid},
		"series twice": {func(w *latency.Window) {
			w.Series = []latency.Series{{Key: key, Response: one, Service: one}, {Key: key, Response: one, Service: one}}
		}, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			a := openIn(t, t.TempDir())
			run := create(t, a, "s")
			id := latency.WindowID{Run: run, Phase: "measure", Attempt: 1}
			good, bad := latency.Window{ID: id}, latency.Window{ID: id}
			bad.ID.Seq = 1
			tc.change(&bad)

			receipts, err := a.AddWindows(t.Context(), []latency.Window{bad, good, bad})
			require.NoError(t, err)
			require.Equal(t, Receipt{Fresh: true}, receipts[1])
			for _, i := range []int{0, 2} {
				require.False(t, receipts[i].Fresh)
				require.ErrorIs(t, receipts[i].Err, tc.want)
			}
			require.Equal(t, []latency.WindowID{good.ID}, idsOf(windowsIn(t, a, run)))
		})
	}
}

func TestWindowsAreOrdered(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
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
	add(t, a, windowOf(want[5], 12), windowOf(want[len(want)/2+5], 12))
	for _, id := range slices.Backward(want) {
		add(t, a, windowOf(id, 12))
	}

	got := windowsIn(t, a, run)
	require.Equal(t, want, idsOf(got))
	for i := range got {
		requireSameWindow(t, windowOf(want[i], 12), got[i])
	}
}

func TestReadingEndsWhenTheCallerHasEnough(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	for seq := range 5 {
		add(t, a, windowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12))
	}
	for range readers + 1 { // a reader that was not given back would be missed
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

func TestReadingSeesOneInstant(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	id := latency.WindowID{Run: run, Phase: "measure"}
	add(t, a, windowOf(id, 12))
	n := 0
	for _, err := range a.Windows(t.Context(), run) {
		require.NoError(t, err)
		n++
		id.Seq = n
		add(t, a, windowOf(id, 12)) // a writer does not wait for readers
	}
	require.Equal(t, 1, n)
	require.Len(t, windowsIn(t, a, run), 2)
}

func TestReadingEndsWithItsContext(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	for seq := range 3 {
		add(t, a, windowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 12))
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

func TestAddingEndsWithItsContextAndStoresNothing(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.AddWindows(ctx, []latency.Window{{ID: latency.WindowID{Run: run, Phase: "measure"}}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, windowsIn(t, a, run))
}

func TestDamagedRowIsReported(t *testing.T) {
	for name, damage := range map[string]string{
		"histogram": `UPDATE measurement SET response = x'00' WHERE op = 'READ-MODIFY-WRITE'`,
		"count":     `UPDATE measurement SET count = count + 1 WHERE op = 'READ-MODIFY-WRITE'`,
		"service":   `UPDATE measurement SET service = x'' WHERE op = 'UPDATE'`,
		"max":       `UPDATE measurement SET service_max_ns = 1 WHERE op = 'UPDATE'`,
	} {
		t.Run(name, func(t *testing.T) {
			a := openIn(t, t.TempDir())
			run := create(t, a, "s")
			add(t, a, windowOf(latency.WindowID{Run: run, Phase: "measure"}, 12))
			_, err := a.writer.ExecContext(t.Context(), damage)
			require.NoError(t, err)
			var last error
			for _, err := range a.Windows(t.Context(), run) {
				last = err
			}
			require.ErrorIs(t, last, ErrCorrupt)
			require.ErrorContains(t, last, "window 0 of shard 0 in phase measure of run s.1")
		})
	}
}

func TestCounts(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
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
		add(t, a, latency.Window{ID: latency.WindowID{Run: run, Phase: w.phase, Shard: w.shard, Attempt: w.attempt, Seq: w.seq}, Last: w.last})
	}
	got, err := a.Counts(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []Count{
		{Phase: "load", Shard: 0, Attempt: 1, Windows: 3, Highest: 7, Last: true, Missing: []Gap{{0, 1}, {4, 6}}},
		{Phase: "load", Shard: 0, Attempt: 2, Windows: 1},
		{Phase: "load", Shard: 1, Attempt: 1, Windows: 3, Highest: 2, Last: true},
		{Phase: "measure", Shard: 1, Attempt: 1, Windows: 1, Last: true},
	}, got)
	sealed := make([]bool, len(got))
	for i := range got {
		sealed[i] = got[i].Sealed()
	}
	require.Equal(t, []bool{false, false, true, true}, sealed)

	none, err := a.Counts(t.Context(), "nobody.1")
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestALoadIsHandedOverWhereItsNewestWindowEnds(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	run := create(t, a, "s")
	window := func(shard, attempt, seq int, loaded ...int64) latency.Window {
		w := windowOf(latency.WindowID{Run: run, Phase: "load", Shard: shard, Attempt: attempt, Seq: seq}, 5)
		w.Loaded = loaded
		return w
	}
	handOver := func(shard, attempt int) []int64 {
		rows, err := a.HandOver(t.Context(), run, shard, attempt)
		require.NoError(t, err)
		return rows
	}
	add(t, a, window(0, 1, 0, 10, 20), window(1, 1, 0, 30, 40), window(0, 1, 2, 12, 22))
	add(t, a, window(0, 1, 1, 11, 21)) // late
	require.Equal(t, []int64{12, 22}, handOver(0, 2))
	require.Equal(t, []bool{false, true}, add(t, a, window(0, 1, 3, 13, 23), window(1, 1, 1, 33, 43)), "its rows are written again")
	require.Equal(t, []int64{12, 22}, handOver(0, 2), "asked again")
	require.NoError(t, a.Close(t.Context()))
	a = openIn(t, dir)
	require.Equal(t, []int64{12, 22}, handOver(0, 2), "after a restart")
	require.Equal(t, []int64{12, 22}, handOver(0, 3), "an attempt without a window")
	require.Equal(t, []bool{false, true}, add(t, a, window(0, 2, 0, 13, 23), window(0, 3, 0, 15, 25)))
	require.Equal(t, []int64{15, 25}, handOver(0, 4))
	require.Nil(t, handOver(2, 2), "nothing was heard of it")
	require.Equal(t, []int64{33, 43}, handOver(1, 2))
}

// A shard that was handed out again, and an agent that came late, number their windows from 0 while others are far ahead.
// Who makes a series of windows can keep few intervals open only if those of one instant come together.
func TestWindowsAreReadInTheOrderOfTime(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := create(t, a, "s")
	for shard, from := range []int{0, 0, 20} {
		for seq := range 40 {
			id := latency.WindowID{Run: run, Phase: "load", Shard: min(shard, 1), Attempt: 1, Seq: seq}
			if shard == 2 {
				id.Attempt = 2
			}
			w := windowOf(id, 20)
			w.Start = time.Duration(from+seq) * time.Second
			w.End = w.Start + time.Second
			add(t, a, w)
		}
	}
	var starts []time.Duration
	got := windowsIn(t, a, run)
	for _, w := range got {
		starts = append(starts, w.Start)
		require.Len(t, w.Series, len(got[0].Series), "with all that belongs to it")
	}
	require.Len(t, starts, 120)
	require.True(t, slices.IsSorted(starts), "%v", starts)
}
