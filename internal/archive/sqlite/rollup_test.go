package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func onward(ctx context.Context) error { return ctx.Err() }

// longWindows are windows of two shards of an open loop, with gaps, failed operations, empty intervals, and a tail.
func longWindows(run string, n int) []latency.Window {
	random := rand.New(rand.NewPCG(3, 4))
	var list []latency.Window
	for seq := range n {
		for shard := range 2 {
			w := archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 5)
			w.Health.HostIdle, w.Health.OwnCPU = random.Float64(), random.Float64()
			w.Health.Backlog, w.Health.LateSends = random.Uint64N(9), random.Uint64N(3)
			w.Samples[0].Message = time.Duration(random.Int64()).String()
			switch {
			case seq == n-1:
				w.Tail, w.Last = true, true
			case random.IntN(9) == 0:
				w.Series, w.Lateness, w.Samples = nil, nil, nil
			case random.IntN(3) == 0:
				w.Samples = nil
			}
			list = append(list, w)
		}
	}
	return list
}

// shown is a run's result as JSON, with points of a length.
func shown(t *testing.T, a *Archive, run string, length time.Duration) string {
	t.Helper()
	b := result.NewBuilder(result.BuilderConfig{
		Run: run, Interval: time.Second, NotFoundShare: 1, Percentiles: []float64{75},
		Phases: []result.PhaseInfo{{Name: "measure", Loop: "open", Length: length, Intended: func(d time.Duration) float64 { return 100 * d.Seconds() }}},
		Shards: []result.ShardInfo{{Index: 0, Attempt: 1, Agent: "a"}, {Index: 1, Attempt: 1, Agent: "b"}},
	})
	for w, err := range a.Windows(t.Context(), run) {
		require.NoError(t, err)
		_, err := b.Add(w)
		require.NoError(t, err)
	}
	doc, err := b.Document(result.Run{ID: run}, result.Notes{})
	require.NoError(t, err)
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(text)
}

// A result is the same, byte for byte, before and after a roll-up, for any steps, with late windows, and if the roll-up is
// interrupted anywhere.
func TestRollUpDoesNotChangeTheResult(t *testing.T) {
	t.Parallel()
	const n = 110
	dir := t.TempDir()
	a, whole := openIn(t, dir), openIn(t, t.TempDir())
	run := archivetest.Create(t, a, "S")
	archivetest.Create(t, whole, "S")
	random := rand.New(rand.NewPCG(1, 2))
	all := longWindows(run, n)
	var early, late []latency.Window
	for _, w := range all {
		if random.IntN(10) == 0 {
			late = append(late, w)
		} else {
			early = append(early, w)
		}
	}
	archivetest.Add(t, a, early...)
	archivetest.Add(t, whole, early...)

	same := func(windows int) {
		t.Helper()
		for _, step := range []int{windows, 100} {
			length := time.Duration(step) * 2500 * time.Second
			require.Equal(t, time.Duration(step)*time.Second, result.PointLength(time.Second, length))
			require.Equal(t, shown(t, whole, run, length), shown(t, a, run, length))
		}
		want, err := whole.Counts(t.Context(), run)
		require.NoError(t, err)
		got, err := a.Counts(t.Context(), run)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, query(t, whole, `SELECT * FROM run_window`), query(t, a, `SELECT * FROM run_window`))
		require.Equal(t, query(t, whole, `SELECT * FROM run_operation`), query(t, a, `SELECT * FROM run_operation`))
	}
	same(5)
	enough := errors.New("enough")
	for _, windows := range []int{5, 10, 50} {
		a.rollTogether = 1
		r := archive.RollUp{Run: run, Phase: "measure", Step: time.Duration(windows) * time.Second, Windows: windows, Before: n}
		for stop := range min(4, n/windows/2) { // broken off after some transactions
			left := stop
			require.ErrorIs(t, a.RollUp(t.Context(), r, func(context.Context) error {
				if left--; left < 0 {
					return enough
				}
				return nil
			}), enough)
			same(windows)
		}
		for range 7 { // windows come late while it goes on
			if len(late) == 0 {
				break
			}
			i := random.IntN(len(late))
			require.Equal(t, []bool{true}, archivetest.Add(t, a, late[i]))
			archivetest.Add(t, whole, late[i])
			late = slices.Delete(late, i, i+1)
		}
		same(windows)
		require.NoError(t, a.RollUp(t.Context(), r, onward))
		same(windows)
		require.NoError(t, a.Close(t.Context()))
		a = openIn(t, dir)
		same(windows)
		if windows == 10 {
			archivetest.Add(t, a, late...)
			archivetest.Add(t, whole, late...)
			late = nil
		}
	}
	for _, fresh := range archivetest.Add(t, a, all...) {
		require.False(t, fresh, "what was rolled up is still known")
	}
	// All windows before the last stretch are merged: a row for each shard, step and kind of operation.
	rows := query(t, a, `SELECT count(*) FROM (SELECT shard, start_ns / 50000000000 AS slot, count(DISTINCT window.id) AS holders
		FROM window JOIN measurement ON window = window.id WHERE seq < 100 GROUP BY shard, slot HAVING holders > 1)`)
	require.Equal(t, [][]any{{int64(0)}}, rows)
	require.Equal(t, [][]any{{int64(50), int64(100)}}, query(t, a, `SELECT rolled_windows, rolled_seq FROM phase`))
	require.NotEmpty(t, query(t, a, `SELECT 1 FROM window WHERE rolled_ns > 0 AND rolled_ns = (seq / 50 + 1) * 50000000000`))
}

// A roll-up leaves alone: phases rolled up by coarser steps, or by steps that do not divide the new ones; windows whose
// interval may get more windows; an unknown phase.
func TestRollUpLeavesAlone(t *testing.T) {
	a := openIn(t, t.TempDir())
	run := archivetest.Create(t, a, "S")
	archivetest.Add(t, a, longWindows(run, 60)...)
	roll := func(windows, before int) {
		t.Helper()
		require.NoError(t, a.RollUp(t.Context(), archive.RollUp{
			Run: run, Phase: "measure", Step: time.Duration(windows) * time.Second, Windows: windows, Before: before,
		}, onward))
	}
	roll(10, 39)
	held := func() [][]any {
		return query(t, a, `SELECT count(DISTINCT window), (SELECT max(seq) FROM window WHERE rolled_ns = 0) FROM measurement`)
	}
	before := held()
	require.Equal(t, int64(29), before[0][1])
	roll(5, 60)
	roll(25, 60)
	roll(1, 60)
	require.Equal(t, before, held())
	require.NoError(t, a.RollUp(t.Context(), archive.RollUp{Run: run, Phase: "load", Step: time.Minute, Windows: 60, Before: 60}, onward))
	extents, err := a.Extents(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []archive.PhaseExtent{{Run: run, Phase: "measure", Windows: 60, Length: time.Minute, Rolled: 10, RolledTo: 30}}, extents)
	none, err := a.Extents(t.Context(), "T.1")
	require.NoError(t, err)
	require.Empty(t, none)
}
