package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// fourDays requests the full size of TestARollUpDoesNotChangeResults: make bench-archive.
var fourDays = flag.Bool("four-days", false, "make the long run four days long, with 6 agents and 5 operations, and check its size")

// longWindows shortens the test, for profiling.
var longWindows = flag.Int("long-windows", 4*24*3600, "with -four-days, how many windows each agent sends")

// rollUpAll rolls up all phases that it can, without pauses.
func rollUpAll(t testing.TB, s *Store) {
	t.Helper()
	extents, err := s.archive.Extents(t.Context(), "")
	require.NoError(t, err)
	for _, e := range extents {
		roll, ok, err := s.rollOf(t.Context(), e)
		require.NoError(t, err)
		if ok {
			require.NoError(t, s.archive.RollUp(t.Context(), roll, func(ctx context.Context) error { return ctx.Err() }))
		}
	}
}

// intervalsOf are a run's histograms, interval by interval, as streamed.
func intervalsOf(step time.Duration, windows func(yield func(*latency.Window, error) bool)) ([]string, error) {
	var list []string
	m := merger{step: func(string) time.Duration { return step }, send: func(phase string, tail bool, iv *interval) error {
		text := fmt.Appendf(nil, "%s %s %s %v", phase, iv.Start, iv.End, tail)
		for _, s := range iv.merged.Series() {
			response, _ := s.Response.AppendBinary(nil)
			service, _ := s.Service.AppendBinary(nil)
			text = fmt.Appendf(text, " %s %x %x", s.Key, fnv(response), fnv(service))
		}
		list = append(list, string(text))
		return nil
	}}
	for w, err := range windows {
		if err != nil {
			return nil, err
		}
		if err := m.add(w); err != nil {
			return nil, err
		}
	}
	return list, m.flush()
}

func fnv(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// expected is the result of a run's windows as sent, without any archive.
type expected struct {
	document  []byte
	intervals []string
	err       error
}

// expect computes the expected result concurrently with the test: it is half of the work.
func expect(l *resultstest.Run, step time.Duration) <-chan expected {
	done := make(chan expected, 1)
	go func() {
		var e expected
		intervals := make(chan error)
		go func() {
			var err error
			e.intervals, err = intervalsOf(step, l.All)
			intervals <- err
		}()
		err := func() error {
			b := l.Record.Builder(map[plan.PhaseName]time.Duration{plan.Measure: time.Duration(l.Windows) * time.Second})
			for w := range l.All {
				if _, err := b.Add(w); err != nil {
					return err
				}
			}
			doc, err := b.Document(l.Record.Header("test"), result.Notes{Events: map[string][]result.Event{}})
			doc = doc.Settled()
			if err == nil {
				bottleneck.Conclude(&doc, descriptor.Target{})
				e.document, err = json.Marshal(doc)
			}
			return err
		}()
		e.err = errors.Join(err, <-intervals)
		done <- e
	}()
	return done
}

// sizeOf is the size of an archive's files.
func sizeOf(t *testing.T, dir string) (total int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		total += info.Size()
	}
	return total
}

// cpuTime is the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The archive of a long run is rolled up as it grows, which nobody can see: its result is byte for byte that of the
// windows as sent, and so are its histograms in every interval. The run is an open loop: there are two times of each
// operation, and the lateness of its send.
func TestARollUpDoesNotChangeResults(t *testing.T) {
	t.Parallel()
	agents, windows, ops, samples, portion := 2, 10_400, 1, 6, 2600
	if *fourDays {
		agents, windows, ops, samples, portion = 6, *longWindows, 5, 500, 600
	}
	dir := t.TempDir()
	open := func() (*Store, *sqlite.Archive) {
		store, err := sqlite.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		return newStore(store, Keep{}), store
	}
	s, store := open()
	l := resultstest.NewRun(t, store, "S", agents, windows, ops, samples)
	l.Record.State.Life.Status = result.Complete
	for i := range l.Record.State.Life.Shards {
		done := latency.Ops(l.Variants[0]) * uint64(windows)
		l.Record.State.Life.Shards[i].Ended = []lifecycle.Ended{{Phase: plan.Measure, Windows: windows, Issued: done, Recorded: done, Merged: true, Final: true}}
	}
	step := result.PointLength(time.Second, time.Duration(windows)*time.Second)
	require.Greater(t, step, time.Second)
	truth := expect(l, step)

	began := time.Now()
	var late []latency.Window
	largest := int64(0)
	for i, from := 0, 0; from < windows; i, from = i+1, from+portion {
		late = append(late, l.Add(t, store, from, min(from+portion, windows))...)
		largest = max(largest, sizeOf(t, dir))
		rollUpAll(t, s)
		if i%3 == 2 || from+portion >= windows { // what was held back comes late
			_, err := store.AddWindows(t.Context(), late)
			require.NoError(t, err)
			late = nil
		}
		if i%20 == 19 {
			t.Logf("%s of the run: %.1f MB", time.Duration(from+portion)*time.Second, float64(sizeOf(t, dir))/1e6)
		}
	}
	archived, err := l.Record.ToArchive()
	require.NoError(t, err)
	require.NoError(t, store.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
	rollUpAll(t, s)
	largest = max(largest, sizeOf(t, dir))
	require.NoError(t, s.archive.Tidy(t.Context()))
	made := time.Since(began)
	require.NoError(t, store.Close(t.Context()))
	size := sizeOf(t, dir)

	began = time.Now()
	s, store = open()
	opened := time.Since(began)
	defer func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()

	used := cpuTime(t)
	shown, err := s.JSON(t.Context(), "S")
	require.NoError(t, err)
	used = cpuTime(t) - used
	stored, err := intervalsOf(step, s.archive.Windows(t.Context(), l.Record.Archived.ID))
	require.NoError(t, err)
	sent := <-truth
	require.NoError(t, sent.err)
	require.True(t, bytes.Equal(sent.document, shown), "the result should be that of the windows as they were sent:\n%s\n%s", head(sent.document), head(shown))
	require.Equal(t, sent.intervals, stored)
	extents, err := s.archive.Extents(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, int(step/time.Second), extents[0].Rolled)
	require.GreaterOrEqual(t, extents[0].RolledTo, windows)
	t.Logf("%d windows of %d agents, %d operations with %d samples each, in an open loop: archived in %s of wall time; all of the test %s of CPU",
		windows, agents, ops, samples, made.Round(time.Second), cpuTime(t).Round(time.Second))
	t.Logf("the archive has %.1f MB, and had %.1f MB at most; it opens in %s; showing the run takes at most %s of CPU; result and histograms of %d points of %s are those of what was sent",
		float64(size)/1e6, float64(largest)/1e6, opened.Round(time.Millisecond), used.Round(time.Millisecond), len(stored), step)
	if *fourDays {
		require.Less(t, largest, int64(1e9), "bytes")
		require.Less(t, opened, 3*time.Second)
	}
}

func head(text []byte) string {
	const some = 3000
	return strings.ToValidUTF8(string(text[:min(len(text), some)]), "?")
}
