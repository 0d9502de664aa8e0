//go:build integration

package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

// largeOf is the size of the large archive: BENCHD_LARGE_SUITES and BENCHD_LARGE_WINDOWS of each, or a small one.
func largeOf(t *testing.T) (suites, windows int) {
	t.Helper()
	suites, windows = largeWeeks, 200
	for name, into := range map[string]*int{"BENCHD_LARGE_SUITES": &suites, "BENCHD_LARGE_WINDOWS": &windows} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			require.NoError(t, err, "%s is a number", name)
			*into = n
		}
	}
	return suites, windows
}

const (
	largeWeeks = 52
	largeFirst = 2800 // the first week
)

// fill makes an archive with suites in 52 weeks. Their histograms are shorter than real ones.
func fill(t *testing.T, a *Archive, suites, windows int) {
	t.Helper()
	for i := range suites {
		id := fmt.Sprint("s", i)
		suite, run := archivetest.SuiteOf(id), archivetest.RunOf(id, "1")
		week := int64(largeFirst + i*largeWeeks/suites)
		suite.Created, suite.Status = time.Unix(0, week*int64(weekLength)+int64(time.Hour)).UTC(), result.Complete
		run.Status, run.Started, run.Ended = result.Complete, suite.Created, suite.Created.Add(time.Hour)
		require.NoError(t, a.CreateSuite(t.Context(), suite, []archive.RunRecord{run}))
		for _, statement := range []string{
			`INSERT INTO phase (run, name) SELECT $1 || '.1', 'measure' WHERE $2::bigint > 0 AND $3::bigint > 0 AND $4::bigint > 0`,
			`INSERT INTO "window" (id, phase, seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded, cores, host_idle, own_cpu, net_rx, net_tx,
				gc_pauses, gc_pause_total_ns, gc_pause_max_ns, sched_lag_p99_ns, sched_lag_max_ns, late_sends, late_max_ns, backlog, ops, week)
				SELECT $2::bigint + k, p.id, k, 0, 1, k * 1000000000, (k + 1) * 1000000000, 0, 0, 1, 1, 1, 1, 8, 0.5, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1000, $3
				FROM phase p, generate_series(0, $4::bigint - 1) AS k WHERE p.run = $1 || '.1'`,
			`INSERT INTO measurement (id, "window", op, outcome, part_of, count, response_sum_ns, response_min_ns, response_max_ns, response_overflow, response, week)
				SELECT m, $2::bigint + k, 'READ', 'OK', '', 200, 1, 1, 1, 0, '\x0102030405060708', $3 FROM generate_series(0, $4::bigint - 1) AS k, generate_series(0, 4) AS m WHERE $1 <> ''`,
			`UPDATE space SET bytes = bytes + $4 * 8892 + 0 * ($2::bigint + $3) WHERE suite = $1`,
		} {
			_, err := a.reader.Exec(t.Context(), statement, id, int64(1)<<40+int64(i*windows), week, int64(windows))
			require.NoError(t, err)
		}
	}
}

// used is the CPU time of this process for what do does.
func used(t *testing.T, do func()) time.Duration {
	t.Helper()
	now := func() time.Duration {
		var usage syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := now()
	do()
	return now() - before
}

// A year of suites is listed, and a month of them expires, while a run is in progress: each of its windows is acknowledged. The figures are
// printed.
func TestAMonthOfALargeArchiveExpires(t *testing.T) {
	suites, windows := largeOf(t)
	s := startOwn(t, postgrestest.Options{Settings: map[string]string{"max_wal_size": "8GB", "checkpoint_timeout": "30min", "full_page_writes": "off"}})
	a := leading(t, urlOf(s.Address(), "benchd"))
	before := time.Now()
	fill(t, a, suites, windows)
	size, err := s.SQL(`SELECT pg_database_size('postgres')`)
	require.NoError(t, err)
	t.Logf("%d suites with %d windows and %d measurements, %d bytes counted as with real histograms, %s on the disk, in %v",
		suites, suites*windows, 5*suites*windows, sizeOf(t, a), size, time.Since(before))

	var list []archive.SuiteSummary
	cpu := used(t, func() { list, err = a.Suites(t.Context()) })
	require.NoError(t, err)
	require.Len(t, list, suites)
	t.Logf("all suites listed in %v of CPU", cpu)
	before = time.Now()
	page, err := a.Select(t.Context(), archive.SuiteQuery{Limit: 50})
	require.NoError(t, err)
	t.Logf("a page of %d suites in %v", len(page), time.Since(before))

	run := archivetest.Create(t, a, "running")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var expiring atomic.Bool
	var took [2][]time.Duration // of batches before, and meanwhile
	ready := make(chan struct{})
	var group errgroup.Group
	group.Go(func() error {
		for seq := 0; ctx.Err() == nil; seq++ {
			batch := make([]latency.Window, 20)
			for shard := range batch {
				batch[shard] = archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 50)
			}
			begun, at := time.Now(), 0
			if expiring.Load() {
				at = 1
			}
			receipts, err := a.AddWindows(t.Context(), batch)
			if err != nil || !receipts[0].Fresh {
				return fmt.Errorf("add windows: %v: %w", receipts, err)
			}
			if took[at] = append(took[at], time.Since(begun)); at == 0 && len(took[0]) == 100 {
				close(ready)
			}
		}
		return nil
	})
	select {
	case <-ready:
	case <-time.After(time.Minute):
		stop()
		require.NoError(t, group.Wait())
		require.Fail(t, "windows are not added")
	}
	expiring.Store(true)
	before = time.Now()
	const weeks = 5
	ids, err := a.Expire(t.Context(), time.Unix(0, (largeFirst+weeks)*int64(weekLength)))
	lasted := time.Since(before)
	stop()
	require.NoError(t, errors.Join(err, group.Wait()))
	require.NotEmpty(t, ids)
	require.Len(t, weeksOf(t, a), largeWeeks-weeks+1)
	t.Logf("%d suites of %d weeks expired in %v; meanwhile %d batches, median %v, slowest %v; before %d, median %v, slowest %v", len(ids), weeks, lasted,
		len(took[1]), median(took[1]), slices.Max(append(took[1], 0)), len(took[0]), median(took[0]), slices.Max(took[0]))
	for _, c := range countsOf(t, a, run) {
		require.Empty(t, c.Missing)
		require.Equal(t, len(took[0])+len(took[1]), c.Windows)
	}
}

func countsOf(t *testing.T, a *Archive, run string) []archive.Count {
	t.Helper()
	counts, err := a.Counts(t.Context(), run)
	require.NoError(t, err)
	require.NotEmpty(t, counts)
	return counts
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
