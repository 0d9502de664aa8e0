package results

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
)

// keptRecords are the records of an archive that several coordinators share.
type keptRecords struct {
	mu      sync.Mutex
	records map[string][]byte
	calls   []string // of methods
	wrong   error    // of each call
	hangs   bool     // each call waits for the end of its context
}

func newRecords() *keptRecords { return &keptRecords{records: make(map[string][]byte)} }

func (k *keptRecords) call(ctx context.Context, method string) error {
	if k.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	k.calls = append(k.calls, method)
	return k.wrong
}

func (k *keptRecords) Keep(ctx context.Context, name string, content []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.call(ctx, "Keep")
	if err == nil {
		k.records[name] = slices.Clone(content)
	}
	return err
}

func (k *keptRecords) Kept(ctx context.Context, name string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.call(ctx, "Kept"); err != nil {
		return nil, err
	}
	content, is := k.records[name]
	if !is {
		return nil, archive.ErrNotFound
	}
	return content, nil
}

func (k *keptRecords) KeptNames(ctx context.Context, prefix string) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.call(ctx, "KeptNames"); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(k.records)), func(name string) bool { return !strings.HasPrefix(name, prefix) }), nil
}

func (k *keptRecords) Drop(ctx context.Context, prefix string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.call(ctx, "Drop")
	if err == nil {
		maps.DeleteFunc(k.records, func(name string, _ []byte) bool { return strings.HasPrefix(name, prefix) })
	}
	return err
}

// runs are those of which there are documents of a store's program.
func (k *keptRecords) runs(t *testing.T, s *Store) []string {
	t.Helper()
	own, err := s.sealed.program()
	require.NoError(t, err)
	var runs []string
	for name := range k.records {
		program, run := ofRecord(name)
		require.Equal(t, own, program)
		runs = append(runs, run)
	}
	slices.Sort(runs)
	return runs
}

// host is a coordinator's store on a host of its own.
func host(t *testing.T, from Archive, records archive.Keeper) *Store {
	t.Helper()
	s := newStore(from, Keep{})
	s.sealed = newSealed(filepath.Join(t.TempDir(), "computed"), records, s.log)
	return s
}

func requireNoFiles(t *testing.T, s *Store) {
	t.Helper()
	require.Empty(t, s.sealed.files("*"))
}

// What one coordinator has computed, the next leader has at once on another host.
func TestDocumentsFollowTheLeader(t *testing.T) {
	t.Parallel()
	stored := &countingArchive{Archive: resultstest.Open(t)}
	resultstest.Ended(t, stored, "S", sealedDocuments, time.Hour, result.Complete)
	want := shown(t, newStore(stored, Keep{}), "S")
	records := newRecords()
	name := func(s *Store) string {
		name, err := s.sealed.recordOf("S.1")
		require.NoError(t, err)
		return name
	}
	reads := func(t *testing.T, s *Store, n int) {
		t.Helper()
		stored.reads = 0
		require.Equal(t, want, shown(t, s, "S"))
		require.Equal(t, n, stored.reads)
	}
	first := host(t, stored, records)
	reads(t, first, 1)
	requireNoFiles(t, first)
	require.Equal(t, []string{"S.1"}, records.runs(t, first))
	next := host(t, stored, records)
	reads(t, next, 0)
	require.NoError(t, next.LookAfter(t.Context()))
	require.Zero(t, stored.reads)
	requireNoFiles(t, next)

	t.Run("a note and tags change what is kept", func(t *testing.T) {
		note := "after the fact"
		require.NoError(t, stored.Annotate(t.Context(), "S", archive.Annotation{Note: &note}))
		for range 2 {
			require.Contains(t, shown(t, host(t, stored, records), "S"), note)
		}
		empty := ""
		require.NoError(t, stored.Annotate(t.Context(), "S", archive.Annotation{Note: &empty}))
		reads(t, host(t, stored, records), 0)
	})
	t.Run("a damaged record is made again", func(t *testing.T) {
		for _, damage := range []func([]byte) []byte{
			func(content []byte) []byte { content[len(content)/2] ^= 1; return content },
			func(content []byte) []byte { return content[:300] },
			func([]byte) []byte { return nil },
		} {
			whole := records.records[name(next)]
			records.records[name(next)] = damage(slices.Clone(whole))
			reads(t, host(t, stored, records), 1)
			require.Equal(t, whole, records.records[name(next)])
		}
	})
	t.Run("another program computes again, and leaves what it does not use", func(t *testing.T) {
		other := host(t, stored, records)
		other.sealed.program = func() (string, error) { return "another", nil }
		reads(t, other, 1)
		require.Len(t, records.records, 2)
		reads(t, host(t, stored, records), 0)
		require.NoError(t, records.Drop(t.Context(), archive.KeptResults+"another/"))
	})
	t.Run("a document that is too large for a record is a file", func(t *testing.T) {
		records := newRecords()
		s := host(t, stored, records)
		s.sealed.mostOfRecord = 100
		reads(t, s, 1)
		require.Empty(t, records.records)
		require.Len(t, s.sealed.files("S.1.document"), 1)
		again := newStore(stored, Keep{})
		again.sealed = newSealed(s.sealed.dir, records, s.log)
		reads(t, again, 0)
		again.documents = newDocuments(mostDocuments)
		require.NoError(t, again.LookAfter(t.Context()))
		require.Zero(t, stored.reads)
		require.NotContains(t, records.calls, "Keep")
	})
	t.Run("a file of before goes when there is a record", func(t *testing.T) {
		s := newStore(stored, Keep{})
		s.sealed = newSealed(filepath.Join(t.TempDir(), "computed"), nil, s.log)
		reads(t, s, 1)
		require.Len(t, s.sealed.files("*"), 1)
		moved := newStore(stored, Keep{})
		moved.sealed = newSealed(s.sealed.dir, newRecords(), s.log)
		reads(t, moved, 0)
		moved.sealed.program = func() (string, error) { return "another", nil }
		moved.documents = newDocuments(mostDocuments)
		reads(t, moved, 1)
		requireNoFiles(t, moved)
	})
	t.Run("records that fail are no failure", func(t *testing.T) {
		for _, wrong := range []error{archive.ErrFenced, errors.New("the disk is full")} {
			records := newRecords()
			records.wrong = wrong
			s := host(t, stored, records)
			reads(t, s, 1)
			requireNoFiles(t, s)
			require.NoError(t, s.LookAfter(t.Context()))
		}
	})
}

// Records that do not answer delay a request for some seconds, and no longer.
func TestRecordsThatHangAreLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stored := resultstest.Open(t)
		resultstest.Ended(t, stored, "S", sealedDocuments, time.Hour, result.Complete)
		records := newRecords()
		records.hangs = true
		s := host(t, stored, records)
		began := time.Now()
		shown(t, s, "S")
		require.LessOrEqual(t, time.Since(began), 3*keepWithin)
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		require.Nil(t, s.sealed.text(gone, "S.1", "key"))
		require.Equal(t, time.Second, time.Since(began), "the client has left")
	})
}

// A suite that is imported with the id of a removed one has its own results on every host.
func TestNothingIsKeptOfARemovedSuite(t *testing.T) {
	t.Parallel()
	fill := func(windows int) (*Store, *countingArchive) {
		in := &countingArchive{Archive: resultstest.Open(t)}
		for _, id := range []string{"S", "S2"} {
			l := resultstest.NewRun(t, in, id, 2, sealedDocuments, 2, 50)
			l.Add(t, in, 0, windows)
			archived, err := l.Record.ToArchive()
			require.NoError(t, err)
			archived.Status, archived.Ended = result.Complete, time.Unix(1, 0)
			require.NoError(t, in.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: id, Status: result.Complete}))
		}
		return newStore(in, Keep{}), in
	}
	other, _ := fill(sealedDocuments)
	var file bytes.Buffer
	require.NoError(t, other.Export(t.Context(), "S", &file))
	_, stored := fill(sealedDocuments - 10)
	records := newRecords()
	s := host(t, stored, records)
	before := shown(t, s, "S")
	shown(t, s, "S2")
	require.NoError(t, records.Keep(t.Context(), archive.KeptResults+"another/S.1", nil))
	require.NoError(t, s.Remove(t.Context(), "S"))
	require.Equal(t, []string{"S2.1"}, records.runs(t, s), "documents of all programs are removed, and none of another suite")

	stale := func() {
		name, err := s.sealed.recordOf("S.1")
		require.NoError(t, err)
		require.NoError(t, records.Keep(t.Context(), name, []byte("made while the suite was removed")))
	}
	stale()
	records.wrong = errors.New("the disk is full")
	_, err := s.Import(t.Context(), bytes.NewReader(file.Bytes()))
	require.ErrorContains(t, err, "the disk is full", "the suite could show a result of another one")
	records.wrong = nil
	_, err = s.Import(t.Context(), bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, []string{"S2.1"}, records.runs(t, s))
	require.NotEqual(t, before, shown(t, s, "S"))
	for range 2 {
		require.Equal(t, shown(t, other, "S"), shown(t, host(t, stored, records), "S"))
	}

	require.NoError(t, s.LookAfter(t.Context()))
	records.wrong = errors.New("the disk is full")
	require.NoError(t, s.Remove(t.Context(), "S"))
	require.Equal(t, []string{"S.1", "S2.1"}, records.runs(t, s))
	records.wrong = nil
	require.NoError(t, s.LookAfter(t.Context()))
	require.Equal(t, []string{"S2.1"}, records.runs(t, s), "maintenance removes what was left")
}

// Suites that expire together leave nothing behind.
func TestNothingIsKeptOfExpiredSuites(t *testing.T) {
	t.Parallel()
	stored := &expiringArchive{Archive: resultstest.Open(t)}
	for _, suite := range []string{"S", "S2"} {
		resultstest.Ended(t, stored, suite, sealedDocuments, time.Hour, result.Complete)
	}
	resultstest.Ended(t, stored, "YOUNG", sealedDocuments, time.Since(time.Unix(0, 0))-2*time.Hour, result.Complete) // the runs of the tests start in 1970
	records := newRecords()
	s := host(t, stored, records)
	s.keep = Keep{Age: 30 * 24 * time.Hour}
	for _, suite := range []string{"S", "S2", "YOUNG"} {
		shown(t, s, suite)
	}
	require.NoError(t, s.LookAfter(t.Context()))
	require.Equal(t, []string{"YOUNG.1"}, records.runs(t, s))
	require.NoError(t, os.RemoveAll(s.sealed.dir))
}
