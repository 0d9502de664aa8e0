package results

import (
	"context"
	"encoding/gob"
	"io"

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
	keep := s.keepColumns(r.Archived.ID, key)
	windows, err := s.intervals(ctx, r, result.Columns, func(iv Interval) error {
		keep.interval(iv)
		return take(iv)
	})
	keep.close(err == nil && windows >= s.sealed.windows)
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
