package results

import (
	"context"
	"errors"

	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// ForeignResult reads the files of a run that another program measured. They are hostile input: also a panic in their reader is an
// error.
func ForeignResult(files []foreign.File, stated foreign.Stated) (run result.Run, err error) {
	err = quarantine.Guard(func() (err error) {
		run, err = foreign.Read(files, stated)
		return err
	})
	if err != nil {
		err = wire.Errorf(wire.ErrBadSpec, "%v", err)
	}
	return run, err
}

// checkForeign checks the finished result of an imported run that another program measured. It has nothing besides that result.
func (s *Store) checkForeign(ctx context.Context, r *record.Run) error {
	if r.State.Foreign == nil {
		return nil
	}
	if err := foreign.Check(r.State.Foreign); err != nil {
		return err
	}
	if r.Archived.Status != result.Complete || r.State.Life.Status != result.Complete || len(r.State.Life.Shards) > 0 || len(r.State.Agents) > 0 {
		return errors.New("it is foreign, and has a state that a foreign result does not have")
	}
	events, err := s.archive.Events(ctx, r.Archived.ID)
	if err != nil {
		return err
	}
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return err
	}
	observed, err := s.archive.Observations(ctx, r.Archived.ID)
	if err != nil {
		return err
	}
	if len(events)+len(extents)+len(observed) > 0 {
		return errors.New("it is foreign, and has measurements of agents")
	}
	return nil
}
