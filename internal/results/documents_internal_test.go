package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

// watchedArchive counts how often the windows of runs are read.
type watchedArchive struct {
	Archive
	reads atomic.Int32
	gate  chan struct{} // reading waits for it, where it is not nil
	note  string        // of suites, instead of theirs
}

func (w *watchedArchive) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	w.reads.Add(1)
	return func(yield func(*latency.Window, error) bool) {
		if w.gate != nil {
			select {
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			case <-w.gate:
			}
		}
		w.Archive.Windows(ctx, run)(yield)
	}
}

func (w *watchedArchive) Suite(ctx context.Context, id string) (archive.Suite, error) {
	suite, err := w.Archive.Suite(ctx, id)
	suite.Note = w.note
	return suite, err
}

// shown is a store's answer.
func shown(t *testing.T, s *Store, id string) string {
	t.Helper()
	text, err := s.JSON(t.Context(), id)
	require.NoError(t, err)
	return string(text)
}

func TestTheResultOfAnEndedRunIsMadeOnce(t *testing.T) {
	stored := resultstest.Open(t)
	resultstest.Ended(t, stored, "S", 30, time.Hour, result.Complete)
	from := &watchedArchive{Archive: stored}
	s := newStore(from, Keep{})
	first := shown(t, s, "S")
	require.Equal(t, first, shown(t, s, "S.1"))
	require.EqualValues(t, 1, from.reads.Load())
	require.Equal(t, shown(t, newStore(from, Keep{}), "S"), first)
}

func TestTheResultOfARunInProgressIsMadeEachTime(t *testing.T) {
	stored := resultstest.Open(t)
	l := resultstest.NewRun(t, stored, "S", 2, 30, 2, 50)
	s := newStore(stored, Keep{})
	l.Add(t, stored, 0, 5)
	first := shown(t, s, "S")
	l.Add(t, stored, 5, 10)
	require.NotEqual(t, first, shown(t, s, "S"))
}

// Changes of an ended run's records show at once.
func TestACachedResultShowsChanges(t *testing.T) {
	stored := resultstest.Open(t)
	resultstest.Ended(t, stored, "S", 30, time.Hour, result.Complete)
	from := &watchedArchive{Archive: stored}
	s := newStore(from, Keep{})
	first := shown(t, s, "S")

	from.note = "the disk was full"
	var run result.Run
	require.NoError(t, json.Unmarshal([]byte(shown(t, s, "S")), &run))
	require.Equal(t, from.note, run.Note)

	archived, err := stored.Run(t.Context(), "S.1")
	require.NoError(t, err)
	archived.State = bytes.Replace(archived.State, []byte(`"hostname":"agent-0"`), []byte(`"hostname":"agent-9"`), 1)
	require.NoError(t, stored.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}}))
	require.Contains(t, shown(t, s, "S"), `"agent-9"`)
	require.NotContains(t, first, `"agent-9"`)

	before := from.reads.Load()
	s.quarantine.Add("S", "roll it up", errors.New("boom"))
	require.Contains(t, shown(t, s, "S"), "set aside: roll it up: boom")
	require.Equal(t, before, from.reads.Load())
}

// An imported suite does not show the results of a removed suite with its id.
func TestNothingIsCachedOfARemovedSuite(t *testing.T) {
	fill := func(windows int) (*Store, []byte) {
		s, in := onArchive(t, Keep{})
		l := resultstest.NewRun(t, in, "S", 2, 30, 2, 50)
		l.Add(t, in, 0, windows)
		archived, err := l.Record.ToArchive()
		require.NoError(t, err)
		archived.Status, archived.Ended = result.Complete, time.Unix(1, 0)
		require.NoError(t, in.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: "S", Status: result.Complete}))
		var file bytes.Buffer
		require.NoError(t, s.Export(t.Context(), "S", &file))
		return s, file.Bytes()
	}
	s, _ := fill(10)
	other, file := fill(20)
	first := shown(t, s, "S")
	require.NoError(t, s.Remove(t.Context(), "S"))
	require.Empty(t, s.documents.byKey)
	_, err := s.Import(t.Context(), bytes.NewReader(file))
	require.NoError(t, err)
	require.NotEqual(t, first, shown(t, s, "S"))
	require.Equal(t, shown(t, other, "S"), shown(t, s, "S"))
}

// A document that is being made while its suite is forgotten is not cached.
func TestADocumentOfAForgottenSuiteIsNotCached(t *testing.T) {
	d := newDocuments(1 << 20)
	doc, err := d.get(t.Context(), "key", func() (result.Run, int64, error) {
		d.forget("S")
		return result.Run{ID: "S.1"}, 0, nil
	})
	require.NoError(t, err)
	require.Equal(t, "S.1", doc.ID)
	require.Empty(t, d.byKey)
	require.Zero(t, d.bytes)
}

// A document is counted with the size of its JSON, which only a build that has not made it leaves to the cache.
func TestADocumentHasTheSizeOfItsJSON(t *testing.T) {
	d := newDocuments(1 << 20)
	for key, size := range map[string]int64{"known": 1000, "unknown": 0} {
		_, err := d.get(t.Context(), key, func() (result.Run, int64, error) { return result.Run{ID: "S.1"}, size, nil })
		require.NoError(t, err)
	}
	text, err := json.Marshal(result.Run{ID: "S.1"})
	require.NoError(t, err)
	require.Equal(t, int64(1000), d.byKey["known"].bytes)
	require.Equal(t, int64(len(text)), d.byKey["unknown"].bytes)
}

func TestCachedDocumentsAreBounded(t *testing.T) {
	stored := resultstest.Open(t)
	for _, id := range []string{"A", "B", "C"} {
		resultstest.Ended(t, stored, id, 30, time.Hour, result.Complete)
	}
	from := &watchedArchive{Archive: stored}
	s := newStore(from, Keep{})
	one := int64(len(shown(t, s, "A")))
	s.documents = newDocuments(2*one + one/2)
	from.reads.Store(0)
	for i, step := range []struct {
		id    string
		reads int32 // until then
	}{
		{"A", 1},
		{"B", 2},
		{"A", 2},
		{"C", 3}, // in the place of B, which was not asked for the longest
		{"A", 3},
		{"B", 4}, // in the place of C
		{"A", 4},
		{"C", 5},
	} {
		shown(t, s, step.id)
		require.Equal(t, step.reads, from.reads.Load(), "step %d", i+1)
		require.LessOrEqual(t, s.documents.bytes, s.documents.limit)
	}

	s.documents = newDocuments(one - 1)
	from.reads.Store(0)
	first := shown(t, s, "A")
	require.Equal(t, first, shown(t, s, "A"), "one that is too large is made each time")
	require.EqualValues(t, 2, from.reads.Load())
	require.Zero(t, s.documents.bytes)
}

// Concurrent callers wait for the one that makes a result; if that one is cancelled, another one makes it.
func TestConcurrentCallersMakeAResultOnce(t *testing.T) {
	for name, leave := range map[string]bool{"the first stays": false, "the first goes away": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stored := resultstest.Open(t)
				resultstest.Ended(t, stored, "S", 10, time.Hour, result.Complete)
				from := &watchedArchive{Archive: stored, gate: make(chan struct{})}
				s := newStore(from, Keep{})
				gone, cancel := context.WithCancel(t.Context())
				defer cancel()
				first := make(chan error, 1)
				go func() {
					_, err := s.JSON(gone, "S")
					first <- err
				}()
				synctest.Wait()
				texts := make([]string, 8)
				var wg sync.WaitGroup
				for i := range texts {
					wg.Go(func() {
						text, err := s.JSON(t.Context(), "S")
						if err == nil {
							texts[i] = string(text)
						}
					})
				}
				synctest.Wait()
				require.EqualValues(t, 1, from.reads.Load())
				want := int32(1)
				if leave {
					cancel()
					require.ErrorIs(t, <-first, context.Canceled)
					synctest.Wait()
					want = 2
				}
				close(from.gate)
				wg.Wait()
				if !leave {
					require.NoError(t, <-first)
				}
				require.Equal(t, want, from.reads.Load())
				for _, text := range texts {
					require.NotEmpty(t, text)
					require.Equal(t, texts[0], text)
				}
			})
		})
	}
}

// twoRuns stores an ended suite of a case with two repeats.
func twoRuns(t *testing.T, store resultstest.Archive) {
	t.Helper()
	parsed, _, err := all.Targets().Reader().Parse(spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(`
suite: s
properties: {db: "null", recordcount: 1000, operationcount: 0, duration: 20s, interval: 1s}
scenarios: [{name: c, repeats: 2}]
`)}})
	require.NoError(t, err)
	suite := archive.Suite{ID: "S", Status: result.Running, Created: time.Unix(1, 0).UTC(), DB: "null", Spec: json.RawMessage(`{}`)}
	suite.Plan, err = json.Marshal(result.NewPlan(*parsed))
	require.NoError(t, err)
	records, err := record.NewRuns("S", *parsed, record.Ask{Agents: 2, OnLoss: lifecycle.FailOnLoss})
	require.NoError(t, err)
	require.NoError(t, store.CreateSuite(t.Context(), suite, records))
	like := resultstest.NewRun(t, store, "LIKE", 2, 20, 2, 700)
	for i := range records {
		r, err := record.Open(all.Targets().Reader(), suite, records[i])
		require.NoError(t, err)
		life := like.Record.State.Life
		r.State.Life.Status, r.State.Life.Phase, r.State.Life.Shards, r.State.Agents = result.Complete, 0, life.Shards, like.Record.State.Agents
		var windows []latency.Window
		for seq := range 20 {
			for shard := range 2 {
				w := *like.Window(shard, seq)
				w.ID.Run = records[i].ID
				windows = append(windows, w)
			}
		}
		_, err = store.AddWindows(t.Context(), windows)
		require.NoError(t, err)
		records[i], err = r.ToArchive()
		require.NoError(t, err)
		records[i].Started, records[i].Ended = time.Unix(int64(10*i+1), 0), time.Unix(int64(10*i+9), 0)
	}
	require.NoError(t, store.Apply(t.Context(), archive.Change{Runs: records, Suite: "S", Status: result.Complete}))
}

// Concurrent readers of cached documents, and the tables made from them, do not change the documents.
func TestCachedDocumentsAreNotChanged(t *testing.T) {
	stored := resultstest.Open(t)
	twoRuns(t, stored)
	from := &watchedArchive{Archive: stored}
	s := newStore(from, Keep{})
	first, one := shown(t, s, "S"), shown(t, s, "S.1")
	var whole result.Suite
	require.NoError(t, json.Unmarshal([]byte(first), &whole))
	require.Len(t, whole.Cases, 1)
	var wg sync.WaitGroup
	wrong := make(chan error, 32)
	for i := range cap(wrong) {
		wg.Go(func() {
			id, want := "S", first
			if i%2 == 1 {
				id, want = "S.1", one
			}
			text, err := s.JSON(t.Context(), id)
			if err == nil && string(text) != want {
				err = fmt.Errorf("%s shows another result", id)
			}
			wrong <- err
		})
	}
	wg.Wait()
	for range cap(wrong) {
		require.NoError(t, <-wrong)
	}
	require.EqualValues(t, 2, from.reads.Load())
	require.Equal(t, shown(t, newStore(stored, Keep{}), "S"), first)
}
