//go:build !race

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// everything is all that a report reads of a run.
func everything(t *testing.T, s *Store) string {
	t.Helper()
	text, err := s.JSON(t.Context(), "S")
	require.NoError(t, err)
	r, err := s.One(t.Context(), "S")
	require.NoError(t, err)
	var out strings.Builder
	out.Write(text)
	require.NoError(t, s.Histograms(t.Context(), r, result.Columns, func(iv Interval) error {
		fmt.Fprintln(&out, iv.Phase, iv.PhaseStart.UnixNano(), iv.Start, iv.End, iv.Tail)
		for _, series := range iv.Series {
			response, _ := series.Response.AppendBinary(nil)
			service, _ := series.Service.AppendBinary(nil)
			fmt.Fprintf(&out, "%s %x %x\n", series.Key, response, service)
		}
		return nil
	}))
	out.Write(logsOf(t, s, "S"))
	return out.String()
}

// logsOf are the logs of a run, which are kept or computed.
func logsOf(t *testing.T, s *Store, id string) (all []byte) {
	t.Helper()
	r, err := s.One(t.Context(), id)
	require.NoError(t, err)
	add := func(encoding []byte) error {
		all = append(all, encoding...)
		return nil
	}
	kept := s.KeptLogs(r)
	if kept == nil {
		require.NoError(t, s.Logged(t.Context(), r, add))
		return all
	}
	defer kept.Close()
	for {
		encoding, err := kept.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		require.NoError(t, add(encoding))
	}
}

// fewWindows are those that a run of a test must have to be sealed.
const fewWindows = 240

// The windows of an ended long run are read once, whatever is asked of it, and also after a restart. What is kept of them is
// what would be computed again.
func TestALongRunIsReadOnce(t *testing.T) {
	stored := &countingArchive{Archive: resultstest.Open(t)}
	resultstest.Ended(t, stored, "S", fewWindows/2+10, time.Hour, result.Complete)
	resultstest.Ended(t, stored, "SHORT", 30, time.Hour, result.Complete)
	want := everything(t, newStore(stored, Keep{}))
	require.Contains(t, want, "measure")

	dir := filepath.Join(t.TempDir(), "computed")
	restart := func() *Store {
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, nil, s.log)
		s.sealed.windows = fewWindows
		stored.reads = 0
		return s
	}
	files := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		return names
	}
	s := restart()
	require.NoError(t, s.LookAfter(t.Context()))
	require.Len(t, files(), 5, "only those of the long run are kept")
	reads := stored.reads
	require.NoError(t, s.LookAfter(t.Context()))
	require.Equal(t, want, everything(t, s))
	require.Equal(t, reads, stored.reads)

	s = restart()
	require.Equal(t, want, everything(t, s))
	require.NoError(t, s.LookAfter(t.Context()))
	require.Zero(t, stored.reads)

	t.Run("a note and tags change what is kept, and compute nothing again", func(t *testing.T) {
		before, err := stored.Suite(t.Context(), "S")
		require.NoError(t, err)
		note := "after the fact"
		require.NoError(t, stored.Annotate(t.Context(), "S", archive.Annotation{Note: &note, Tags: map[string]string{"release": "2.6"}}))
		for _, s := range []*Store{s, restart(), restart()} { // one that has the document in memory, one that has it as it was, one as it is
			text, err := s.JSON(t.Context(), "S.1")
			require.NoError(t, err)
			var doc result.Run
			require.NoError(t, json.Unmarshal(text, &doc))
			require.Equal(t, note, doc.Note)
			require.Equal(t, "2.6", doc.Tags["release"])
			require.NoError(t, s.LookAfter(t.Context()))
		}
		require.Zero(t, stored.reads)
		require.NoError(t, stored.Annotate(t.Context(), "S", archive.Annotation{Note: &before.Note, Untag: []string{"release"}}))
		require.Equal(t, want, everything(t, restart()))
		require.Zero(t, stored.reads)
	})
	t.Run("a report computes what is missing", func(t *testing.T) {
		require.NoError(t, os.RemoveAll(dir))
		require.Equal(t, want, everything(t, restart()))
		require.Equal(t, 1, stored.reads)
		require.Len(t, files(), 5)
		require.Equal(t, want, everything(t, restart()))
		require.Zero(t, stored.reads)
	})
	for _, kind := range []string{sealedColumns, sealedPoints, sealedAgents, sealedLogs} {
		t.Run("maintenance makes missing "+kind, func(t *testing.T) {
			require.NoError(t, os.Remove(filepath.Join(dir, "S.1."+kind)))
			s := restart()
			require.NoError(t, s.LookAfter(t.Context()))
			require.Equal(t, 1, stored.reads)
			require.Len(t, files(), 5)
			require.Equal(t, want, everything(t, s))
			require.Equal(t, 1, stored.reads)
		})
		if kind == sealedPoints || kind == sealedAgents {
			continue
		}
		t.Run("a report makes missing "+kind, func(t *testing.T) {
			require.NoError(t, os.Remove(filepath.Join(dir, "S.1."+kind)))
			require.Equal(t, want, everything(t, restart()))
			require.Equal(t, 1, stored.reads)
			require.Len(t, files(), 5)
		})
	}
	t.Run("damaged files are computed again", func(t *testing.T) {
		for _, name := range files() {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			text[len(text)/2] ^= 1
			require.NoError(t, os.WriteFile(name, text, 0o600))
		}
		require.Equal(t, want, everything(t, restart()))
		require.Equal(t, 1, stored.reads)
	})
	t.Run("truncated files are computed again", func(t *testing.T) {
		for _, name := range files() {
			require.NoError(t, os.Truncate(name, 300))
		}
		require.Equal(t, want, everything(t, restart()))
	})
	t.Run("another program computes again", func(t *testing.T) {
		s := restart()
		s.sealed.program = func() (string, error) { return "another", nil }
		require.Equal(t, want, everything(t, s))
		require.Equal(t, 1, stored.reads)
	})
	t.Run("a changed record is another input", func(t *testing.T) {
		runs, err := stored.Runs(t.Context(), "S")
		require.NoError(t, err)
		require.Equal(t, want, everything(t, restart()))
		runs[0].Reason = "changed"
		require.NoError(t, stored.Apply(t.Context(), archive.Change{Runs: runs}))
		s := restart()
		_, err = s.JSON(t.Context(), "S")
		require.NoError(t, err)
		require.Equal(t, 1, stored.reads)
	})
	t.Run("a directory that cannot be written is no failure", func(t *testing.T) {
		s := restart()
		s.sealed = newSealed(filepath.Join(files()[0], "below a file"), nil, s.log)
		s.sealed.windows = fewWindows
		require.NotEmpty(t, everything(t, s))
	})
	t.Run("nothing remains of a removed suite", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "GONE.1.document"), nil, 0o600))
		s := restart()
		require.NoError(t, s.LookAfter(t.Context()))
		require.Len(t, files(), 5)
		require.NoError(t, s.Remove(t.Context(), "S"))
		require.Empty(t, files())
	})
}

// The columns of a chart are whole merges of the intervals.
func TestColumnsAreMergesOfIntervals(t *testing.T) {
	s, stored := onArchive(t, Keep{})
	resultstest.Ended(t, stored, "S", 1500, time.Hour, result.Complete)
	r, err := s.One(t.Context(), "S")
	require.NoError(t, err)
	var all, columns latency.Merged
	intervals, wide := 0, 0
	require.NoError(t, s.Histograms(t.Context(), r, 0, func(iv Interval) error {
		intervals++
		return all.Add(iv.Series)
	}))
	require.NoError(t, s.Histograms(t.Context(), r, result.Columns, func(iv Interval) error {
		require.Equal(t, time.Duration(wide)*5*time.Second, iv.Start)
		require.Equal(t, iv.Start+5*time.Second, iv.End)
		wide++
		return columns.Add(iv.Series)
	}))
	require.Equal(t, 1500, intervals)
	require.Equal(t, 300, wide)
	require.Equal(t, all.Series(), columns.Series())
}
