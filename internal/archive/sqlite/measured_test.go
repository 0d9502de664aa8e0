package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// sums are the samples of each series of some windows.
func sums(t *testing.T, windows []latency.Window) map[latency.Key]string {
	t.Helper()
	var merged latency.Merged
	for _, w := range windows {
		require.NoError(t, merged.Add(w.Series))
	}
	out := make(map[latency.Key]string)
	for s := range merged.All {
		response, err := s.Response.AppendBinary(nil)
		require.NoError(t, err)
		service, err := s.Service.AppendBinary(nil)
		require.NoError(t, err)
		out[s.Key] = string(response) + "|" + string(service)
	}
	return out
}

func measured(t *testing.T, a *Archive, run, phase string, from, to time.Duration) (list []latency.Window) {
	t.Helper()
	for w, err := range a.Measured(t.Context(), run, phase, from, to) {
		require.NoError(t, err)
		list = append(list, *w)
	}
	return list
}

// Before and after a roll-up, the measured windows of each step have the samples of all its windows.
func TestMeasuredWindowsHaveAllSamplesOfTheirTime(t *testing.T) {
	t.Parallel()
	const n, step = 60, 5 * time.Second
	a := openIn(t, t.TempDir())
	run := archivetest.Create(t, a, "S")
	all := longWindows(run, n)
	archivetest.Add(t, a, all...)
	archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "load", Attempt: 1}, 5))
	for _, rolled := range []bool{false, true} {
		if rolled {
			require.NoError(t, a.RollUp(t.Context(), archive.RollUp{Run: run, Phase: "measure", Step: step, Windows: 5, Before: n}, onward))
		}
		for from := time.Duration(0); from < n*time.Second; from += 2 * step {
			var want []latency.Window
			for _, w := range all {
				if w.Start >= from && w.Start < from+2*step {
					want = append(want, w)
				}
			}
			got := measured(t, a, run, "measure", from, from+2*step)
			require.Equal(t, sums(t, want), sums(t, got), "rolled %v, from %s", rolled, from)
			require.Equal(t, rolled, len(got) < len(want), "from %s", from)
			for i, w := range got {
				require.True(t, w.Start >= from && w.End <= from+2*step+time.Second)
				require.True(t, i == 0 || got[i-1].Start <= w.Start)
			}
		}
		whole := measured(t, a, run, "measure", 0, time.Hour)
		require.Equal(t, sums(t, all), sums(t, whole))
		require.True(t, whole[len(whole)-1].Tail)
	}
	require.Empty(t, measured(t, a, run, "warmup", 0, time.Hour))
	require.Empty(t, measured(t, a, "other.1", "measure", 0, time.Hour))
	var windows int
	for range a.Measured(t.Context(), run, "measure", 0, time.Hour) {
		windows++
		break
	}
	require.Equal(t, 1, windows, "a caller may stop")
}

// A short part of a long run takes the time of its windows that have measurements: an index of these finds them.
func TestMeasuredWindowsAreFoundByTheirIndex(t *testing.T) {
	a := openIn(t, t.TempDir())
	var plan []string
	require.NoError(t, a.read(t.Context(), "explain a query of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var id, parent, unused int
			var detail string
			err := row.Scan(&id, &parent, &unused, &detail)
			plan = append(plan, detail)
			return err
		}, "EXPLAIN QUERY PLAN "+measuredWindows, "S.1", "measure", 0, 1)
	}))
	text := strings.Join(plan, "\n")
	require.Contains(t, text, "SEARCH w USING INDEX window_measured (phase=? AND start_ns>? AND start_ns<?)")
	require.NotContains(t, text, "SCAN", text)
	require.NotContains(t, text, "USE TEMP B-TREE", text)
}
