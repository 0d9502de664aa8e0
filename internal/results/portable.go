package results

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

// Export writes an ended suite as one file.
func (s *Store) Export(ctx context.Context, id string, to io.Writer) error {
	if _, _, err := s.Find(ctx, id); err != nil {
		return err
	}
	if record.SuiteOf(id) != id {
		return wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: export the whole suite %s", id, record.SuiteOf(id))
	}
	err := s.archive.Export(ctx, id, to)
	if errors.Is(err, archive.ErrNotEnded) {
		err = wire.Errorf(wire.ErrNotAllowed, "suite %s has not ended: wait for its end with `benchctl watch %s`, or cancel it with `benchctl cancel %s`", id, id, id)
	}
	return err
}

// Remove removes an ended suite.
func (s *Store) Remove(ctx context.Context, id string) error {
	defer s.documents.forget(id)
	defer s.forgetKept(ctx, id)
	return s.archive.Remove(ctx, id)
}

// forgetKept removes what is kept of suites that are removed. If it cannot, maintenance does.
func (s *Store) forgetKept(ctx context.Context, ids ...string) {
	if err := s.forget(ctx, func(suite string) bool { return slices.Contains(ids, suite) }); err != nil {
		s.log.Log(ctx, severity(err), "suites are removed, and not all that was computed of them", "suites", ids, "error", err, "next_try", maintainEvery)
	}
}

func (s *Store) forget(ctx context.Context, gone func(suite string) bool) error {
	s.madeRuns.forget(gone)
	s.sealedRuns.forget(gone)
	return s.sealed.forget(ctx, gone)
}

// Import imports an exported suite and returns its id.
func (s *Store) Import(ctx context.Context, from io.Reader) (string, error) {
	id, err := s.archive.Import(ctx, from, func(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error {
		s.documents.forget(suite.ID) // of an earlier suite of this id, before this one becomes visible
		if err := s.forget(ctx, func(id string) bool { return id == suite.ID }); err != nil {
			return err
		}
		return s.checkImported(ctx, suite, runs)
	})
	switch {
	case err == nil:
		s.log.Info("suite imported", "suite", id)
		return id, nil
	case errors.Is(err, archive.ErrExists):
		return "", wire.Errorf(wire.ErrNotAllowed, "%v", err)
	case errors.Is(err, archive.ErrDamaged), errors.Is(err, archive.ErrNewer):
		return "", wire.Errorf(wire.ErrBadSpec, "%v", err)
	case errors.Is(err, archive.ErrFull):
		return "", wire.Errorf(wire.ErrFull, "%v", err)
	}
	return "", err
}
