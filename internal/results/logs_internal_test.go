//go:build !race

package results

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// Kept logs have a bounded size: the oldest make room for newer ones, and those of a run that alone has too many are not kept. They
// are the same either way, and maintenance does not make them again after each restart.
func TestKeptLogsAreBounded(t *testing.T) {
	stored := &countingArchive{Archive: resultstest.Open(t)}
	runs := []string{"A", "B", "C"}
	want := make(map[string][]byte)
	for i, id := range runs {
		resultstest.Ended(t, stored, id, fewWindows/2+10, time.Duration(i+1)*time.Hour, result.Complete)
		want[id] = logsOf(t, newStore(stored, Keep{}), id)
	}
	dir := filepath.Join(t.TempDir(), "computed")
	restart := func(all, each int64) *Store {
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, nil, s.log)
		s.sealed.windows = fewWindows
		s.sealed.mostLogs, s.sealed.mostOfLogs = all, each
		stored.reads = 0
		return s
	}
	kept := func(s *Store) (ids []string) {
		for _, id := range runs {
			r, err := s.One(t.Context(), id)
			require.NoError(t, err)
			if logs := s.KeptLogs(r); logs != nil {
				logs.Close()
				ids = append(ids, id)
			}
		}
		return ids
	}
	one := int64(len(want["A"])) + 1000

	s := restart(2*one, one)
	for i, id := range runs { // as if a day passed between them
		logsOf(t, s, id)
		name := filepath.Join(dir, id+".1.logs")
		require.NoError(t, os.Chtimes(name, time.Unix(int64(i)*86_400, 0), time.Unix(int64(i)*86_400, 0)))
	}
	require.Equal(t, []string{"B", "C"}, kept(s))
	require.Equal(t, 3, stored.reads)
	for _, id := range []string{"C", "B"} {
		require.Equal(t, want[id], logsOf(t, s, id))
	}
	require.Equal(t, 3, stored.reads, "kept logs need no windows")
	require.Equal(t, want["A"], logsOf(t, s, "A"))
	require.Equal(t, []string{"A", "C"}, kept(s))

	require.NoError(t, s.LookAfter(t.Context()))
	require.Len(t, kept(s), 2)
	s = restart(2*one, one)
	require.NoError(t, s.LookAfter(t.Context()))
	require.Zero(t, stored.reads)

	require.NoError(t, os.RemoveAll(dir))
	s = restart(2*one, one/2)
	require.Equal(t, want["A"], logsOf(t, s, "A"))
	require.NoError(t, s.LookAfter(t.Context()))
	require.Empty(t, kept(s))
	s = restart(2*one, one/2)
	require.NoError(t, s.LookAfter(t.Context()))
	require.Zero(t, stored.reads)
	left, err := filepath.Glob(filepath.Join(dir, incomplete))
	require.NoError(t, err)
	require.Empty(t, left)
}

// Files that a killed coordinator did not complete are removed.
func TestIncompleteFilesAreRemoved(t *testing.T) {
	stored := resultstest.Open(t)
	resultstest.Ended(t, stored, "S", fewWindows/2+10, time.Hour, result.Complete)
	s := newStore(stored, Keep{})
	s.sealed = newSealed(t.TempDir(), nil, s.log)
	s.sealed.windows = fewWindows
	left := filepath.Join(s.sealed.dir, ".sealing-123")
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	logsOf(t, s, "S")
	require.NoFileExists(t, left)
	require.FileExists(t, filepath.Join(s.sealed.dir, "S.1.logs"))
}

// Without a directory for them, logs are computed, and no file of another directory is touched.
func TestLogsWithoutADirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("mine.logs", []byte("mine"), 0o600))
	stored := resultstest.Open(t)
	resultstest.Ended(t, stored, "S", fewWindows/2+10, time.Hour, result.Complete)
	s := newStore(stored, Keep{})
	s.sealed.windows, s.sealed.mostLogs = fewWindows, 0
	require.NotEmpty(t, logsOf(t, s, "S"))
	require.FileExists(t, "mine.logs")
}
