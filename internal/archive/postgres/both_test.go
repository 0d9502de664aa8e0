//go:build integration

package postgres

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
)

func onward(ctx context.Context) error { return ctx.Err() }

// longWindows are windows of two shards of an open loop, with gaps, failed operations, empty intervals, odd messages and a tail.
func longWindows(run string, n int, random *rand.Rand) []latency.Window {
	var list []latency.Window
	for seq := range n {
		for shard := range 2 {
			w := archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 5)
			w.Health.HostIdle, w.Health.OwnCPU = random.Float64(), random.Float64()
			w.Samples[0].Message = string([]byte{byte(random.IntN(256)), 0, byte(random.IntN(256))}) + time.Duration(random.Int64()).String()
			switch {
			case seq == n-1:
				w.Tail, w.Last = true, true
			case random.IntN(9) == 0:
				w.Series, w.Lateness, w.Samples = nil, nil, nil
			case random.IntN(3) == 0:
				w.Samples, w.Retries, w.Groups = nil, nil, nil
			}
			if random.IntN(8) > 0 {
				list = append(list, w)
			}
		}
	}
	random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// The same calls have the same results on both archives: windows in any order and batches, again and late, before and after roll-ups.
func TestBothArchivesAreTheSame(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 5))
		own := leading(t, freshURL())
		other, err := sqlite.Open(t.Context(), t.TempDir(), discard())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, other.Close(context.WithoutCancel(t.Context()))) })
		run := archivetest.Create(t, own, "S")
		archivetest.Create(t, other, "S")
		const n = 120
		windows := longWindows(run, n, random)
		add := func(batch []latency.Window) {
			want, err := other.AddWindows(t.Context(), batch)
			require.NoError(t, err)
			got, err := own.AddWindows(t.Context(), batch)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		roll := func(windows int) {
			r := archive.RollUp{Run: run, Phase: "measure", Step: time.Duration(windows) * time.Second, Windows: windows, Before: n}
			require.NoError(t, other.RollUp(t.Context(), r, onward))
			require.NoError(t, own.RollUp(t.Context(), r, onward))
		}
		for step, rest := 0, windows; len(rest) > 0; step++ {
			size := min(len(rest), 1+random.IntN(60))
			batch := append([]latency.Window{windows[random.IntN(len(windows))]}, rest[:size]...)
			rest = rest[size:]
			add(batch)
			if step%3 == 2 {
				roll(5)
			}
			requireSame(t, other, own, run)
		}
		own.rollTogether = 1
		roll(10)
		requireSame(t, other, own, run)
		own.rollTogether = 0
		roll(50)
		requireSame(t, other, own, run)
		add(windows)
		requireSame(t, other, own, run)
	}
}

// The server ends a transaction that waits too long for its client, here for a millisecond. A roll-up repeats it.
func TestARollUpGoesOnAfterItsTransactionTookTooLong(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL())
	run := archivetest.Create(t, a, "S")
	const n, step = 300, 5
	var windows []latency.Window
	for seq := range n {
		windows = append(windows, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq}, 500))
	}
	_, err := a.AddWindows(t.Context(), windows)
	require.NoError(t, err)
	phase, _, _, err := a.rollPhase(t.Context(), run, "measure")
	require.NoError(t, err)
	require.NoError(t, a.rollBegin(t.Context(), phase, step))
	a.slot <- struct{}{}
	_, err = a.conn.Exec(t.Context(), `SET idle_in_transaction_session_timeout = 1`)
	before := a.conn.PgConn().PID()
	<-a.slot
	require.NoError(t, err)

	r := archive.RollUp{Run: run, Phase: "measure", Step: step * time.Second, Windows: step, Before: n}
	require.NoError(t, a.RollUp(t.Context(), r, onward))
	require.NotEqual(t, before, a.conn.PgConn().PID(), "the server has ended the session")
	extents, err := a.Extents(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, n, extents[0].RolledTo)
}

// requireSame compares all that is read of a run.
func requireSame(t *testing.T, want, got archivetest.Archive, run string) {
	t.Helper()
	windows := archivetest.WindowsIn(t, got, run)
	expected := archivetest.WindowsIn(t, want, run)
	require.Equal(t, archivetest.IDsOf(expected), archivetest.IDsOf(windows))
	for i := range expected {
		archivetest.RequireSameWindow(t, expected[i], windows[i])
	}
	for _, span := range [][2]time.Duration{{0, time.Hour}, {7 * time.Second, 60 * time.Second}} {
		var ids [2][]latency.WindowID
		var ends [2][]time.Duration
		for i, a := range []archivetest.Archive{want, got} {
			for w, err := range a.Measured(t.Context(), run, "measure", span[0], span[1]) {
				require.NoError(t, err)
				ids[i], ends[i] = append(ids[i], w.ID), append(ends[i], w.End)
			}
		}
		require.Equal(t, ids[0], ids[1])
		require.Equal(t, ends[0], ends[1])
	}
	for _, of := range []func(a archivetest.Archive) (any, error){
		func(a archivetest.Archive) (any, error) { return a.Counts(t.Context(), run) },
		func(a archivetest.Archive) (any, error) { return a.Extents(t.Context(), run) },
		func(a archivetest.Archive) (any, error) { return a.Extents(t.Context(), "") },
	} {
		want, err := of(want)
		require.NoError(t, err)
		got, err := of(got)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
