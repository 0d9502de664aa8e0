//go:build integration

package archives

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/target/all"
)

// served is an archive as coordinators use it.
type served interface {
	store
	results.Archive
	AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error)
	Counts(ctx context.Context, run string) ([]archive.Count, error)
}

// retention removes the suites of the oldest month, as a coordinator with --keep does, while the windows of a run are stored.
func retention(t *testing.T, h home, oldest time.Time) {
	t.Helper()
	s := h.open(t)
	defer func() { require.NoError(t, s.Close(context.WithoutCancel(t.Context()))) }()
	now := archivetest.SuiteOf("now")
	now.Created = time.Now()
	run := archivetest.RunOf("now", "1")
	require.NoError(t, s.CreateSuite(t.Context(), now, []archive.RunRecord{run}))
	suites, err := s.Suites(t.Context())
	require.NoError(t, err)
	before, err := s.Size(t.Context())
	require.NoError(t, err)

	store := results.New(results.Config{
		Archive: s, Reader: all.Targets().Reader(), Version: "test", Clock: clock.NewSource(clock.Skew{}),
		Keep: results.Keep{Age: time.Since(oldest)}, Quarantine: quarantine.NewList(slog.New(slog.DiscardHandler)), Logger: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	var slowest time.Duration
	written := 0
	writing.Go(func() { slowest, written = write(ctx, t, s, run.ID) })
	began := time.Now()
	require.NoError(t, store.LookAfter(t.Context()))
	took := time.Since(began)
	stop()
	writing.Wait()

	left, err := s.Suites(t.Context())
	require.NoError(t, err)
	after, err := s.Size(t.Context())
	require.NoError(t, err)
	gone := 0
	for _, suite := range suites {
		if suite.Created.Before(oldest) {
			gone++
		}
	}
	require.Len(t, left, len(suites)-gone)
	require.Positive(t, written)
	counts, err := s.Counts(t.Context(), run.ID)
	require.NoError(t, err)
	stored := 0
	for _, c := range counts {
		require.Empty(t, c.Missing)
		stored += c.Windows
	}
	require.Equal(t, written, stored)
	t.Logf("  --keep has removed %d suites (%.2f GB) in %s; meanwhile %d windows of a run were stored, each batch within %s",
		gone, float64(before-after)/1e9, took.Round(10*time.Millisecond), written, slowest.Round(time.Millisecond))
	if chosen.limits {
		require.Less(t, took, time.Minute)
		require.Less(t, slowest, time.Second)
	}
}

// write stores the windows of six agents every tenth of a second until ctx ends, and returns the longest time that this took.
func write(ctx context.Context, t *testing.T, s served, run string) (slowest time.Duration, written int) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for seq := 0; ; seq++ {
		var batch []latency.Window
		for shard := range 6 {
			batch = append(batch, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 500))
		}
		began := time.Now()
		receipts, err := s.AddWindows(context.WithoutCancel(ctx), batch)
		if err != nil {
			t.Error(err)
			return slowest, written
		}
		for _, receipt := range receipts {
			if !receipt.Fresh {
				t.Error("a window was not stored", receipt.Err)
			}
			written++
		}
		slowest = max(slowest, time.Since(began))
		select {
		case <-ctx.Done():
			return slowest, written
		case <-tick.C:
		}
	}
}
