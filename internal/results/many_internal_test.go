package results

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// The document of a run of some minutes is kept beside the archive, alone: a suite has many such runs.
func TestTheDocumentOfAShortRunIsKept(t *testing.T) {
	t.Parallel()
	stored := &countingArchive{Archive: resultstest.Open(t)}
	resultstest.Ended(t, stored, "S", sealedDocuments, time.Hour, result.Complete)
	dir := filepath.Join(t.TempDir(), "computed")
	var texts [2][]byte
	for i := range texts { // the second is a restarted coordinator
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, s.log)
		text, err := s.JSON(t.Context(), "S")
		require.NoError(t, err)
		require.NoError(t, s.LookAfter(t.Context()))
		texts[i] = text
		require.Equal(t, 1, stored.reads)
	}
	require.Equal(t, texts[0], texts[1])
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "S.1.document")}, names)
}

// lookingArchive counts how often the record of a run was read.
type lookingArchive struct {
	*sqlite.Archive
	looks int
}

func (a *lookingArchive) Run(ctx context.Context, id string) (archive.RunRecord, error) {
	a.looks++
	return a.Archive.Run(ctx, id)
}

// Maintenance looks at the runs of a large archive once, not each minute.
func TestMaintenanceLooksAtAnEndedRunOnce(t *testing.T) {
	t.Parallel()
	stored := &lookingArchive{Archive: resultstest.Open(t)}
	resultstest.Ended(t, stored, "S", 30, time.Hour, result.Complete)
	resultstest.Ended(t, stored, "T", 30, time.Hour, result.Complete)
	s := newStore(stored, Keep{})
	require.NoError(t, s.LookAfter(t.Context()))
	require.Positive(t, stored.looks)
	stored.looks = 0
	require.NoError(t, s.LookAfter(t.Context()))
	require.Zero(t, stored.looks)
	require.NoError(t, s.Remove(t.Context(), "T"))
	require.NoError(t, s.LookAfter(t.Context()))
	require.Len(t, s.settled, 1, "a suite of the same id that is imported later is looked at")
}
