package results

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// columns passes on the histograms of an ended run in the columns of charts. It computes those of a long run once.
func (s *Store) columns(ctx context.Context, r *record.Run, take func(Interval) error) error {
	key := documentKey(newSuiteKey(r.Suite), r.Archived)
	if list, ok := s.sealedColumns(r.Archived.ID, key); ok {
		for _, iv := range list {
			if err := take(iv); err != nil {
				return err
			}
		}
		return nil
	}
	lengths, err := s.lengths(ctx, r)
	if err != nil {
		return err
	}
	windows, keep := 0, s.keepColumns(r.Archived.ID, key)
	m := newMerger(r, lengths, result.Columns, func(iv Interval) error {
		keep.interval(iv)
		return take(iv)
	})
	err = func() error {
		for w, err := range s.archive.Windows(ctx, r.Archived.ID) {
			if err != nil {
				return err
			}
			if err := m.add(w); err != nil {
				return err
			}
			windows++
		}
		return m.flush()
	}()
	keep.close(err == nil && windows >= sealedWindows)
	return err
}

func (s *Store) sealedColumns(run, key string) ([]Interval, bool) {
	f := s.sealed.open(run, sealedColumns, key)
	if f == nil {
		return nil, false
	}
	defer f.close()
	list, err := f.intervals()
	return list, err == nil
}

// columnsFile is a file of intervals that is being written.
type columnsFile struct {
	*sealing
	gob *gob.Encoder
}

func (s *Store) keepColumns(run, key string) *columnsFile {
	f := &columnsFile{sealing: s.sealed.create(run, sealedColumns, key)}
	f.write(func(out io.Writer) error {
		f.gob = gob.NewEncoder(out)
		return nil
	})
	return f
}

func (f *columnsFile) interval(iv Interval) {
	f.write(func(io.Writer) error {
		stored, err := toStored(iv)
		if err != nil {
			return err
		}
		return f.gob.Encode(stored)
	})
}

// sealEach computes, once for each ended long run, what readers of its result need of its windows.
func (s *Store) sealEach(ctx context.Context, extents []archive.PhaseExtent) error {
	if s.sealed.dir == "" {
		return nil
	}
	s.sealed.forget(func(suite string) bool {
		_, err := s.archive.Suite(ctx, suite)
		return errors.Is(err, archive.ErrNotFound)
	})
	for _, e := range extents {
		if !s.sealedRuns[e.Run] && e.Windows >= sealedWindows/4 {
			if err := s.quarantine.Do(record.SuiteOf(e.Run), "make the result of run "+e.Run, func() error { return s.seal(ctx, e.Run) }); err != nil {
				return err
			}
			s.sealedRuns[e.Run] = true
		}
	}
	return nil
}

// seal makes the document of an ended run and its columns in one pass over its windows, unless there are both.
func (s *Store) seal(ctx context.Context, id string) error {
	suite, runs, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	archived := runs[0]
	r, err := record.Open(s.reader, suite, archived)
	if err != nil || r.State.Foreign != nil {
		return err
	}
	key := documentKey(newSuiteKey(suite), archived)
	if s.sealed.has(id, sealedDocument, key) && s.sealed.has(id, sealedColumns, key) {
		return nil
	}
	lengths, err := s.lengths(ctx, r)
	if err != nil {
		return err
	}
	// Requests for the document meanwhile wait for this one.
	_, err = s.documents.get(ctx, key, func() (result.Run, error) {
		began := clock.Mono()
		keep := s.keepColumns(id, key)
		m := newMerger(r, lengths, result.Columns, func(iv Interval) error {
			keep.interval(iv)
			return nil
		})
		doc, windows, err := s.build(ctx, suite, archived, m.add)
		if err == nil {
			err = m.flush()
		}
		keep.close(err == nil && windows >= sealedWindows)
		if err == nil && windows >= sealedWindows {
			s.sealed.keepDocument(key, doc)
			s.log.Info("result of a long run is computed", "run", id, "windows", windows, "took", began.Elapsed().Round(time.Millisecond))
		}
		return doc, err
	})
	return err
}
