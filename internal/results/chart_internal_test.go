//go:build !race

package results

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// pointsOf merges all windows of a run as they were sent into points of a length.
func pointsOf(t *testing.T, l *resultstest.Run, windows int, step, from, to time.Duration) (points []result.Point) {
	t.Helper()
	thin := result.NewThinner()
	m := merger{step: func(string) time.Duration { return step }, send: func(_ string, tail bool, iv *interval) error {
		points = append(points, thin.Point(iv.Start, iv.End, tail, iv.merged.Series()))
		return nil
	}}
	for w := range l.All {
		if begin := w.Start - w.Start%step; w.ID.Seq < windows && begin >= from-from%step && begin < to {
			require.NoError(t, m.add(w))
		}
	}
	require.NoError(t, m.flush())
	return points
}

// complete ends a run.
func complete(t *testing.T, stored resultstest.Archive, l *resultstest.Run) {
	t.Helper()
	l.Record.State.Life.Status = result.Complete
	archived, err := l.Record.ToArchive()
	require.NoError(t, err)
	require.NoError(t, stored.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
}

func seriesOf(t *testing.T, s *Store, of chart.Request) chart.Series {
	t.Helper()
	r, err := s.One(t.Context(), "S")
	require.NoError(t, err)
	series, err := s.Series(t.Context(), r, of)
	require.NoError(t, err)
	return series
}

// Each part of a run in any state has the points that a merge of all its windows gives, percentiles included.
func TestASeriesOfEachPartIsExact(t *testing.T) {
	const windows = 1200
	s, stored := onArchive(t, Keep{})
	dir := filepath.Join(t.TempDir(), "computed")
	s.sealed = newSealed(dir, nil, s.log)
	s.sealed.windows = fewWindows
	l := resultstest.NewRun(t, stored, "S", 2, windows, 2, 40)
	expected := make(map[string][]result.Point) // to merge all windows of a part takes most of the time
	check := func(t *testing.T, sent int, finest time.Duration) {
		t.Helper()
		length := time.Duration(sent) * time.Second
		for _, of := range []chart.Request{
			{},
			{Points: 1},
			{Points: 7},
			{Points: 100_000},
			{From: 333 * time.Second, To: 777 * time.Second},
			{From: 333 * time.Second, Step: 15 * time.Second},
			{From: 500500 * time.Millisecond, To: 501 * time.Second},
			{To: 10 * time.Second, Points: 3},
			{From: 2 * time.Hour},
			{From: length - 3*time.Second},
		} {
			got := seriesOf(t, s, of)
			from, to, some := of.Within(0, length)
			if !some {
				require.Empty(t, got.Phases)
				continue
			}
			require.Len(t, got.Phases, 1)
			p := got.Phases[0]
			require.Zero(t, p.Begin)
			step := time.Duration(p.Step * float64(time.Second))
			require.GreaterOrEqual(t, step, max(finest, of.Step))
			if of.Step == 0 {
				require.True(t, step == finest || len(p.Points) <= of.AtMost()+1 && len(p.Points)*4 > min(of.AtMost(), int((to-from)/finest))-4, "%v: %d points of %s", of, len(p.Points), step)
			}
			key := fmt.Sprint(sent, step, from, to)
			if expected[key] == nil {
				expected[key] = pointsOf(t, l, sent, step, from, to)
			}
			require.Equal(t, expected[key], p.Points, "%+v in points of %s", of, step)
		}
	}
	addAll := func(from, to int) {
		t.Helper()
		_, err := stored.AddWindows(t.Context(), windowsOf(l, from, to))
		require.NoError(t, err)
	}
	addAll(0, 600)
	t.Run("in progress", func(t *testing.T) { check(t, 600, time.Second) })
	addAll(600, windows)
	complete(t, stored, l)
	t.Run("ended", func(t *testing.T) { check(t, windows, time.Second) })
	path := filepath.Join(dir, "S.1."+sealedPoints)
	require.FileExists(t, path)
	t.Run("after a restart", func(t *testing.T) {
		s = newStore(stored, Keep{})
		s.sealed = newSealed(dir, nil, s.log)
		s.sealed.windows = fewWindows
		check(t, windows, time.Second)
	})
	t.Run("of a damaged file", func(t *testing.T) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)/2] ^= 1
		require.NoError(t, os.WriteFile(path, text, 0o600))
		check(t, windows, time.Second)
	})
	t.Run("without a file", func(t *testing.T) {
		s = newStore(stored, Keep{})
		s.sealed = newSealed("", nil, s.log)
		check(t, windows, time.Second)
	})
}

// The newest windows of a long run in progress are not rolled up yet: a narrow part of them has a point for each window, and one of older
// windows has as few points as these have.
func TestTheNewestPartOfALongRunIsFine(t *testing.T) {
	const windows = 10_400
	s, stored := onArchive(t, Keep{})
	l := resultstest.NewRun(t, stored, "S", 1, windows, 1, 3)
	_, err := stored.AddWindows(t.Context(), windowsOf(l, 0, windows))
	require.NoError(t, err)
	rollUpAll(t, s)
	for _, test := range []struct {
		of   chart.Request
		step time.Duration
	}{
		{chart.Request{}, 50 * time.Second},
		{chart.Request{From: 100 * time.Second, To: 200 * time.Second}, 5 * time.Second},
		{chart.Request{From: (windows - 60) * time.Second}, time.Second},
		{chart.Request{From: (windows - 60) * time.Second, Step: 50 * time.Second}, 50 * time.Second},
		{chart.Request{From: (windows - 1000) * time.Second, Points: 1000}, 5 * time.Second},
	} {
		p := seriesOf(t, s, test.of).Phases[0]
		require.InDelta(t, test.step.Seconds(), p.Step, 0, "%+v", test.of)
		from, to, _ := test.of.Within(0, windows*time.Second)
		require.Equal(t, pointsOf(t, l, windows, test.step, from, to), p.Points, "%+v", test.of)
	}
}

// windowsOf are windows of all agents.
func windowsOf(l *resultstest.Run, from, to int) (list []latency.Window) {
	for w := range l.All {
		if w.ID.Seq >= from && w.ID.Seq < to {
			list = append(list, *w)
		}
	}
	return slices.Clip(list)
}
