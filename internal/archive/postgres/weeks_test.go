//go:build integration

package postgres

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestWeeks(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for at, want := range map[time.Duration]int64{0: 0, 7*day - 1: 0, 7 * day: 1, -1: -1, -7 * day: -1, -7*day - 1: -2} {
		require.Equal(t, want, weekOf(time.Unix(0, int64(at))), at)
	}
	for _, week := range []int64{-3, 0, 2944} {
		for _, table := range partitions() {
			got, ok := weekIn(partition(table, week))
			require.True(t, ok)
			require.Equal(t, week, got)
		}
	}
	_, ok := weekIn("window")
	require.False(t, ok)
}

// createIn creates an ended suite of a week with a run that has a window, and an observation.
func createIn(t *testing.T, a *Archive, id string, week int64) (run string) {
	t.Helper()
	suite, record := archivetest.SuiteOf(id), archivetest.RunOf(id, "1")
	suite.Created = time.Unix(0, week*int64(weekLength)+int64(time.Hour)).UTC()
	require.NoError(t, a.CreateSuite(t.Context(), suite, []archive.RunRecord{record}))
	archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: record.ID, Phase: "measure", Attempt: 1}, 5))
	require.NoError(t, a.AddObservations(t.Context(), record.ID, archivetest.ObservedBy("rs1")))
	record.Status, record.Ended = result.Complete, suite.Created.Add(time.Hour)
	require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{record}, Suite: id, Status: result.Complete}))
	return record.ID
}

// rowsIn counts the rows of the large tables, and of others.
func rowsIn(t *testing.T, a *Archive) map[string]int {
	t.Helper()
	rows := make(map[string]int)
	for _, table := range append(partitions(), "suite", "run", "phase", "figure", "space") {
		var n int
		require.NoError(t, a.reader.QueryRow(t.Context(), `SELECT count(*) FROM `+quoted(table)).Scan(&n))
		if n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// weeksOf lists how many tables there are for each week.
func weeksOf(t *testing.T, a *Archive) map[int64]int {
	t.Helper()
	tables := make(map[int64]int)
	require.NoError(t, each(t.Context(), a.reader, func(row pgx.Rows) error {
		var name string
		err := row.Scan(&name)
		if week, ok := weekIn(name); ok {
			tables[week]++
		}
		return err
	}, `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`, a.schema))
	return tables
}

func sizeOf(t *testing.T, a *Archive) int64 {
	t.Helper()
	size, err := a.Size(t.Context())
	require.NoError(t, err)
	return size
}

// plain opens an archive as on a server without partitions.
func plain(tb testing.TB, url string) *Archive {
	tb.Helper()
	a, err := open(tb.Context(), url, discard(), migrationFiles, false)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, a.Close(context.WithoutCancel(tb.Context()))) })
	lead(tb, a)
	return a
}

func TestConformanceWithoutPartitions(t *testing.T) {
	archivetest.Run(t, func(tb testing.TB, dir string) archivetest.Archive {
		return plain(tb, urlOf(server.Address(), schemaIn(dir)))
	})
}

// Removing suites leaves no row, and no row of others is missing; the last one takes the tables of its week with it.
func TestRemovedSuitesLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, opened := range map[string]func(testing.TB, string) *Archive{"partitions": leading, "plain tables": plain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := opened(t, freshURL())
			createIn(t, a, "old1", 2900)
			one := sizeOf(t, a)
			require.Positive(t, one)
			createIn(t, a, "old2", 2900)
			createIn(t, a, "other", 2901)
			require.Equal(t, 3*one, sizeOf(t, a))
			require.Equal(t, map[string]int{
				"window": 3, "measurement": 15, "lateness": 3, "error_sample": 3, "observation": 3, "suite": 3, "run": 3, "phase": 3, "figure": 6, "space": 3,
			}, rowsIn(t, a))
			require.NoError(t, a.Remove(t.Context(), "old1"))
			require.Equal(t, 10, rowsIn(t, a)["measurement"])
			require.Equal(t, 2*one, sizeOf(t, a))
			require.NoError(t, a.Remove(t.Context(), "old2"))
			if a.partitioned {
				require.Equal(t, map[int64]int{2901: 5}, weeksOf(t, a))
			}
			require.Equal(t, map[string]int{
				"window": 1, "measurement": 5, "lateness": 1, "error_sample": 1, "observation": 1, "suite": 1, "run": 1, "phase": 1, "figure": 2, "space": 1,
			}, rowsIn(t, a))
			createIn(t, a, "old1", 2900)
			require.NoError(t, a.Remove(t.Context(), "old1"))
			require.NoError(t, a.Remove(t.Context(), "other"))
			require.Empty(t, rowsIn(t, a))
			require.Empty(t, weeksOf(t, a))
		})
	}
}

// Expired suites are invisible at once, and leave with the last one of their week.
func TestExpiredSuitesLeaveWithTheirWeek(t *testing.T) {
	t.Parallel()
	for name, opened := range map[string]func(testing.TB, string) *Archive{"partitions": leading, "plain tables": plain} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := opened(t, freshURL())
			createIn(t, a, "a", 2900)
			createIn(t, a, "b", 2900)
			gone := createIn(t, a, "c", 2901)
			kept := createIn(t, a, "d", 2901)
			late := archivetest.RunOf("d", "1")
			late.Status, late.Ended = result.Complete, time.Unix(0, 2903*int64(weekLength))
			require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{late}}))
			one := sizeOf(t, a) / 4
			ids, err := a.Expire(t.Context(), time.Unix(0, 2902*int64(weekLength)))
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"a", "b", "c"}, ids)
			require.Equal(t, 2, rowsIn(t, a)["window"], "the week of d is there")
			require.Equal(t, one, sizeOf(t, a))
			if a.partitioned { // an expired suite is imported again
				var file bytes.Buffer
				other := leading(t, freshURL())
				createIn(t, other, "c", 2901)
				require.NoError(t, other.Export(t.Context(), "c", &file))
				_, err := a.Import(t.Context(), &file, func(context.Context, archive.Suite, []archive.RunRecord) error { return nil })
				require.NoError(t, err)
				require.Equal(t, 2*one, sizeOf(t, a))
				_, err = a.Expire(t.Context(), time.Unix(0, 2902*int64(weekLength)))
				require.NoError(t, err)
			}
			suites, err := a.Suites(t.Context())
			require.NoError(t, err)
			require.Len(t, suites, 1)
			_, err = a.Run(t.Context(), gone)
			require.ErrorIs(t, err, archive.ErrNotFound)
			receipts, err := a.AddWindows(t.Context(), []latency.Window{archivetest.WindowOf(latency.WindowID{Run: gone, Phase: "measure", Attempt: 1}, 5)})
			require.NoError(t, err)
			require.ErrorIs(t, receipts[0].Err, archive.ErrNotFound)
			require.Len(t, archivetest.WindowsIn(t, a, kept), 1)
			ids, err = a.Expire(t.Context(), time.Unix(0, 2904*int64(weekLength)))
			require.NoError(t, err)
			require.Equal(t, []string{"d"}, ids)
			require.Empty(t, rowsIn(t, a))
			require.Empty(t, weeksOf(t, a))
		})
	}
}

// A week is dropped although a reader is in it, who reads on to its end. Nobody else waits meanwhile: neither those who add windows and create
// suites, nor those who read.
func TestDroppingAWeekKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	for name, asOldest := range map[string]bool{"as this server": false, "as PostgreSQL 12": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := leading(t, freshURL())
			a.detaches = a.detaches && !asOldest
			old := createIn(t, a, "old", 2900)
			running := archivetest.Create(t, a, "new")
			for seq := range 2 * chunkWindows {
				w := latency.Window{ID: latency.WindowID{Run: running, Phase: "load", Attempt: 1, Seq: seq}, Start: time.Duration(seq), End: time.Duration(seq)}
				archivetest.Add(t, a, w)
			}
			next, stop := iter.Pull2(a.Windows(t.Context(), old))
			_, err, ok := next() // the reader is in the middle
			require.True(t, ok)
			require.NoError(t, err)
			var group errgroup.Group
			removed := make(chan struct{})
			group.Go(func() error {
				defer close(removed)
				return a.Remove(t.Context(), "old")
			})
			require.Eventually(t, func() bool { // the removal is invisible, and waits for the reader
				_, err := a.Suite(t.Context(), "old")
				return err != nil
			}, tolerance.Patience, 5*time.Millisecond)
			for i := range 50 {
				archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: running, Phase: "measure", Attempt: 1, Seq: i}, 5))
				require.NoError(t, a.CreateSuite(t.Context(), archivetest.SuiteOf(fmt.Sprint("s", i)), nil))
				_, err := a.Counts(t.Context(), running)
				require.NoError(t, err)
			}
			createIn(t, a, "another", 2902) // in a week that is new
			select {
			case <-removed:
				t.Error("the week is dropped while it is read")
			default:
			}
			_, err, ok = next()
			require.NoError(t, err)
			require.False(t, ok)
			stop()
			require.NoError(t, group.Wait())
			require.NotContains(t, weeksOf(t, a), int64(2900))
			require.Len(t, archivetest.WindowsIn(t, a, running), 2*chunkWindows+50)
		})
	}
}

// A result is read from the tables of its week alone. A server that had to find the week first would plan for all weeks, which takes longer than reading.
func TestAResultIsReadFromItsWeekAlone(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL())
	run := createIn(t, a, "one", 2900)
	createIn(t, a, "another", 2901)
	conn, err := a.connect(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	_, err = conn.Exec(t.Context(), `SET idle_in_transaction_session_timeout = 0`)
	require.NoError(t, err)
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	for _, table := range partitions() { // readers wait for it
		_, err := tx.Exec(t.Context(), `LOCK TABLE `+quoted(partition(table, 2901))+` IN ACCESS EXCLUSIVE MODE`)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	extents, err := a.Extents(ctx, run)
	require.NoError(t, err)
	require.Len(t, extents, 1)
	require.Equal(t, 1, extents[0].Windows)
	observed, err := a.Observations(ctx, run)
	require.NoError(t, err)
	require.NotEmpty(t, observed)
	counts, err := a.Counts(ctx, run)
	require.NoError(t, err)
	require.Len(t, counts, 1)
	windows := 0
	for _, stream := range []iter.Seq2[*latency.Window, error]{a.Windows(ctx, run), a.Measured(ctx, run, "measure", 0, time.Hour)} {
		for w, err := range stream {
			require.NoError(t, err)
			require.Len(t, w.Series, 5)
			windows++
		}
	}
	require.Equal(t, 2, windows)
	require.NoError(t, tx.Rollback(t.Context()))
}

// Lateness of a few thousand operations is in its row as it is, and larger histograms are compressed as the server can be asked to since PostgreSQL 14.
func TestLatenessIsInItsRow(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL())
	run := archivetest.Create(t, a, "one")
	random := rand.New(rand.NewPCG(1, 2))
	sent := make([]latency.Window, 2)
	for i, samples := range []int{2_000, 20_000} {
		h := new(latency.Histogram)
		for range samples {
			h.Record(int64(1e6 * math.Exp(random.NormFloat64())))
		}
		sent[i] = archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: i}, 1)
		sent[i].Lateness = h
		archivetest.Add(t, a, sent[i])
	}
	var size [2]int
	var kept [2]string
	i := 0
	require.NoError(t, each(t.Context(), a.reader, func(row pgx.Rows) error {
		err := row.Scan(&size[i], &kept[i])
		i++
		return err
	}, `SELECT octet_length(histogram), CASE WHEN pg_column_size(histogram) < octet_length(histogram) THEN pg_column_compression(histogram) ELSE 'as it is' END
		FROM lateness ORDER BY "window"`))
	require.Equal(t, [2]string{"as it is", "lz4"}, kept, "%d bytes", size)
	require.Greater(t, size[0], 2100, "a usual row has no room for it")
	for i, w := range archivetest.WindowsIn(t, a, run) {
		require.Equal(t, sent[i].Lateness.Sum(), w.Lateness.Sum())
	}
}

// A server without the setting of a table gets the table.
func TestASettingOfATableMayBeMissing(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL())
	require.NoError(t, a.write(t.Context(), "try in", func(ctx context.Context, tx *transaction) error {
		for _, statement := range []string{`ALTER TABLE space SET (no_such_setting = 1)`, `ALTER TABLE space SET (toast_tuple_target = 1)`, `ALTER TABLE space NONSENSE`} {
			require.NoError(t, optionally(ctx, tx, statement), statement)
		}
		return nil
	}))
	err := a.write(t.Context(), "try in", func(ctx context.Context, tx *transaction) error {
		return optionally(ctx, tx, `ALTER TABLE none SET (toast_tuple_target = 4080)`)
	})
	require.Equal(t, stateNoTable, stateOf(err), err)
}

// An interrupted removal of a week is finished by Purge, or by the next suite in it.
func TestAnInterruptedDropIsFinished(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]func(*testing.T, *Archive){
		"by Purge": func(t *testing.T, a *Archive) { require.NoError(t, a.Purge(t.Context())) },
		"by a new suite": func(t *testing.T, a *Archive) {
			createIn(t, a, "again", 2900)
			require.NoError(t, a.Remove(t.Context(), "again"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := freshURL()
			a := leading(t, url)
			old := createIn(t, a, "old", 2900)
			next, stop := iter.Pull2(a.Windows(t.Context(), old))
			_, err, _ := next()
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			removed := make(chan error, 1)
			go func() { removed <- a.Remove(ctx, "old") }()
			require.Eventually(t, func() bool {
				ids, err := a.suitesWith(t.Context(), `week = 2900`)
				require.NoError(t, err)
				states, err := a.partitionsOf(t.Context(), a.reader, 2900)
				require.NoError(t, err)
				return len(ids) == 0 && (!a.detaches || slices.Contains(slices.Collect(maps.Values(states)), pending))
			}, tolerance.Patience, 5*time.Millisecond)
			cancel()
			require.Error(t, <-removed, "it waits for the reader")
			stop()
			require.Equal(t, map[int64]int{2900: 5}, weeksOf(t, a))
			b := openURL(t, url) // the next process
			expire(t, b)
			lead(t, b)
			finish(t, b)
			require.Empty(t, weeksOf(t, b))
			require.Empty(t, rowsIn(t, b))
		})
	}
}
