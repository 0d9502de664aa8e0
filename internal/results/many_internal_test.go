package results

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/wire"
)

// countingArchive counts how often the windows of a run were read.
type countingArchive struct {
	*sqlite.Archive
	reads int
}

func (a *countingArchive) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	a.reads++
	return a.Archive.Windows(ctx, run)
}

// The document of a run of some minutes is kept beside the archive, alone: a suite has many such runs.
func TestTheDocumentOfAShortRunIsKept(t *testing.T) {
	t.Parallel()
	stored := &countingArchive{Archive: resultstest.Open(t)}
	resultstest.Ended(t, stored, "S", sealedDocuments, time.Hour, result.Complete)
	dir := filepath.Join(t.TempDir(), "computed")
	var texts [2][]byte
	for i := range texts { // the second is a restarted coordinator
		s := newStore(stored, Keep{})
		s.sealed = newSealed(dir, nil, s.log)
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

// purgedArchive checks that only one caller maintains it.
type purgedArchive struct {
	*sqlite.Archive
	callers, most atomic.Int64
}

func (a *purgedArchive) Purge(ctx context.Context) error {
	a.most.Store(max(a.most.Load(), a.callers.Add(1)))
	return a.Archive.Purge(ctx)
}

func (a *purgedArchive) Tidy(ctx context.Context) error {
	defer a.callers.Add(-1)
	return a.Archive.Tidy(ctx)
}

// Callers of maintenance take turns: what it knows of ended runs has one owner.
func TestMaintenanceTakesTurns(t *testing.T) {
	t.Parallel()
	stored := &purgedArchive{Archive: resultstest.Open(t)}
	for _, suite := range []string{"S", "T", "U"} {
		resultstest.Ended(t, stored, suite, 30, time.Hour, result.Complete)
	}
	s := newStore(stored, Keep{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.NoError(t, s.LookAfter(t.Context())) })
	}
	wg.Wait()
	require.Equal(t, int64(1), stored.most.Load())
	require.Len(t, s.settled, 3)
}

// expiringArchive counts the searches for old suites.
type expiringArchive struct {
	*sqlite.Archive
	before []time.Time
}

func (a *expiringArchive) Expire(ctx context.Context, before time.Time) ([]string, error) {
	a.before = append(a.before, before)
	return a.Archive.Expire(ctx, before)
}

// Old suites are removed together, and what was computed of them goes, too.
func TestOldSuitesExpireTogether(t *testing.T) {
	t.Parallel()
	stored := &expiringArchive{Archive: resultstest.Open(t)}
	for _, suite := range []string{"S", "T"} {
		resultstest.Ended(t, stored, suite, sealedDocuments, time.Hour, result.Complete)
	}
	young := time.Since(time.Unix(0, 0)) - 2*time.Hour // the runs of the tests start in 1970
	resultstest.Ended(t, stored, "YOUNG", sealedDocuments, young, result.Complete)
	dir := filepath.Join(t.TempDir(), "computed")
	s := newStore(stored, Keep{Age: 30 * 24 * time.Hour})
	s.sealed = newSealed(dir, nil, s.log)
	for _, suite := range []string{"S", "T", "YOUNG"} {
		_, err := s.JSON(t.Context(), suite)
		require.NoError(t, err)
	}
	require.NoError(t, s.LookAfter(t.Context()))
	require.Len(t, stored.before, 1)
	require.WithinDuration(t, s.date.Wall().Add(-30*24*time.Hour), stored.before[0], time.Minute)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "YOUNG.1.document")}, names)
	_, err = s.JSON(t.Context(), "S")
	require.ErrorIs(t, err, wire.ErrNotFound)
	_, err = s.JSON(t.Context(), "YOUNG")
	require.NoError(t, err)
}
