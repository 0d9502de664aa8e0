package results

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// readingArchive lists the runs whose windows, or whose records, are read.
type readingArchive struct {
	*sqlite.Archive
	mu               sync.Mutex // of the lists, in a test that reads them while others append
	windows, records []string
	takes            time.Duration // to read the windows of a run
}

func (a *readingArchive) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	a.mu.Lock()
	a.windows = append(a.windows, run)
	a.mu.Unlock()
	if a.takes > 0 {
		<-time.After(a.takes)
	}
	return a.Archive.Windows(ctx, run)
}

func (a *readingArchive) Run(ctx context.Context, id string) (archive.RunRecord, error) {
	a.mu.Lock()
	a.records = append(a.records, id)
	a.mu.Unlock()
	return a.Archive.Run(ctx, id)
}

// read lists the runs whose windows were read so far.
func (a *readingArchive) read() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.windows)
}

// settled has looked at the archive before, so that it has nothing more to roll up.
func (a *readingArchive) settled(s *Store, runs ...string) *Store {
	for _, run := range runs {
		s.settled[phaseID{run, "measure"}] = true
	}
	a.windows, a.records = nil, nil
	return s
}

// Some time after an update or a takeover, the results of all runs are there: those of the newest runs first, and not while a run is in progress.
func TestMaintenanceMakesMissingDocuments(t *testing.T) {
	t.Parallel()
	stored := &readingArchive{Archive: resultstest.Open(t)}
	runs := []string{"A.1", "B.1", "C.1", "D.1"}
	for _, suite := range []string{"A", "B", "C", "D"} {
		resultstest.Ended(t, stored, suite, sealedDocuments/2+1, time.Hour, result.Complete)
	}
	resultstest.Ended(t, stored, "SHORT", sealedDocuments/2-1, time.Hour, result.Complete)
	records := newRecords()
	look := func(s *Store) {
		t.Helper()
		stored.windows, stored.records, records.calls = nil, nil, nil
		require.NoError(t, s.LookAfter(t.Context()))
	}
	open := func(dir string, records archive.Keeper) *Store {
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, records, s.log)
		return stored.settled(s, append([]string{"SHORT.1"}, runs...)...)
	}

	s := open(t.TempDir(), records)
	s.busy = func() bool { return true }
	look(s)
	require.Empty(t, stored.windows)
	s.busy = func() bool { return len(stored.windows) == 2 } // a run begins
	look(s)
	require.Equal(t, []string{"D.1", "C.1"}, stored.windows)
	s.busy = func() bool { return len(stored.windows) > 0 && stored.windows[0] == "D.1" }
	look(s)
	require.Equal(t, []string{"B.1", "A.1"}, stored.windows)
	require.Equal(t, runs, records.runs(t, s))
	look(s)
	require.Empty(t, stored.windows)
	require.Empty(t, records.calls)

	t.Run("names show what is there", func(t *testing.T) {
		s := open(t.TempDir(), records)
		look(s)
		require.Empty(t, stored.windows)
		require.Empty(t, stored.records)
		require.Equal(t, []string{"KeptNames", "KeptNames"}, records.calls, "of removed suites, and of what is there")
		look(s)
		require.Empty(t, records.calls)
	})
	t.Run("a run that ends later is looked at", func(t *testing.T) {
		resultstest.Ended(t, stored, "E", sealedDocuments/2+1, time.Hour, result.Complete)
		s.settled[phaseID{"E.1", "measure"}] = true
		look(s)
		require.Equal(t, []string{"E.1"}, stored.windows)
		require.NoError(t, s.Remove(t.Context(), "E"))
		resultstest.Ended(t, stored, "E", sealedDocuments/2+1, time.Hour, result.Complete)
		look(s)
		require.Equal(t, []string{"E.1"}, stored.windows, "another suite of this id")
		require.NoError(t, s.Remove(t.Context(), "E"))
		look(s)
	})
	t.Run("documents of another program go when all are there", func(t *testing.T) {
		other := open(t.TempDir(), records)
		other.sealed.program = func() (string, error) { return "another", nil }
		other.busy = func() bool { return len(stored.windows) == 3 }
		look(other)
		require.Len(t, records.records, 2*len(runs)-1)
		other.busy = func() bool { return len(stored.windows) > 1 }
		look(other)
		require.Equal(t, runs, records.runs(t, other))
		look(s)
		require.Empty(t, stored.windows)
	})
	t.Run("files are known by their heads", func(t *testing.T) {
		dir := t.TempDir()
		s := open(dir, nil)
		look(s)
		require.Equal(t, []string{"D.1", "C.1", "B.1", "A.1"}, stored.windows)
		require.Len(t, s.sealed.files("*.document"), len(runs))
		s = open(dir, nil)
		look(s)
		require.Empty(t, stored.windows)
		require.Empty(t, stored.records)
		require.NoError(t, os.Remove(filepath.Join(dir, "B.1.document")))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "C.1.document"), []byte("damaged"), 0o600))
		look(open(dir, nil))
		require.Equal(t, []string{"C.1", "B.1"}, stored.windows)
		s = open(dir, nil)
		s.sealed.program = func() (string, error) { return "another", nil }
		look(s)
		require.Len(t, stored.windows, len(runs))
	})
	t.Run("nothing is computed that cannot be kept", func(t *testing.T) {
		records := newRecords()
		s := open(t.TempDir(), records)
		records.wrong = archive.ErrFull
		look(s)
		require.Empty(t, stored.windows, "what is there is unknown")
		require.False(t, s.listed)
		records.wrong = nil
		s.sealed.dir = t.TempDir()
		require.NoError(t, s.findMade(t.Context(), nil))
		records.wrong = archive.ErrFull
		look(s)
		require.Equal(t, []string{"D.1"}, stored.windows)
		records.wrong = nil
		look(s)
		require.Equal(t, []string{"C.1", "B.1", "A.1"}, stored.windows)
	})
}

// Nothing is made in the first minutes. Then one result after another is made, with other maintenance between: all are there soon.
func TestMissingDocumentsAreMadeAfterTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stored := &readingArchive{Archive: resultstest.Open(t), takes: 25 * time.Second}
		for _, suite := range []string{"A", "B", "C", "D"} {
			resultstest.Ended(t, stored, suite, sealedDocuments/2+1, time.Hour, result.Complete)
		}
		s := newStore(stored, Keep{})
		s.sealed = newSealed(t.TempDir(), newRecords(), s.log)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			s.Maintain(ctx)
			close(ended)
		}()
		<-time.After(missingAfter - time.Second)
		synctest.Wait()
		require.Empty(t, stored.read())
		<-time.After(time.Second + 4*maintainShare*stored.takes)
		synctest.Wait()
		require.Equal(t, []string{"D.1", "C.1", "B.1", "A.1"}, stored.read())
		more, err := s.lookAfter(ctx, true)
		require.NoError(t, err)
		require.False(t, more)
		stop()
		<-ended
	})
}

// A coordinator without runs to look at does not read its own program, which has a hundred megabytes.
func TestTheFingerprintIsMadeWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	stored := resultstest.Open(t)
	s := newStore(stored, Keep{})
	s.sealed = newSealed(t.TempDir(), newRecords(), s.log)
	fingerprints := 0
	s.sealed.program = func() (string, error) {
		fingerprints++
		return "program", nil
	}
	require.NoError(t, s.LookAfter(t.Context()))
	resultstest.Ended(t, stored, "SHORT", sealedDocuments/2-1, time.Hour, result.Complete)
	require.NoError(t, s.LookAfter(t.Context()))
	require.Zero(t, fingerprints)
	resultstest.Ended(t, stored, "S", sealedDocuments, time.Hour, result.Complete)
	require.NoError(t, s.LookAfter(t.Context()))
	require.Positive(t, fingerprints)
}
