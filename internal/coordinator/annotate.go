package coordinator

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Annotate changes the note and tags of a suite.
func (c *Coordinator) Annotate(ctx context.Context, req *benchdv1.AnnotateRequest) (*benchdv1.AnnotateResponse, error) {
	caller := by(ctx, req.GetBy())
	audit.Note(ctx, "suite", req.GetId())
	if err := c.annotate(ctx, req); err != nil {
		return nil, wire.ToStatus(err)
	}
	c.log.Info("suite is annotated", "suite", req.GetId(), "by", caller)
	return &benchdv1.AnnotateResponse{}, nil
}

func (c *Coordinator) annotate(ctx context.Context, req *benchdv1.AnnotateRequest) error {
	id := req.GetId()
	suite, _, err := c.results.Find(ctx, id)
	if err != nil {
		return err
	}
	if id != suite.ID {
		return wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: annotate the whole suite %s", id, suite.ID)
	}
	if err := spec.CheckAnnotation(req.Note, req.GetTags(), req.GetUntag()); err != nil {
		return wire.BadSpec(err)
	}
	audit.Note(ctx, "tags", strings.Join(slices.Concat(slices.Sorted(maps.Keys(req.GetTags())), req.GetUntag()), " "))
	err = c.archive.Annotate(ctx, id, archive.Annotation{Note: req.Note, Tags: req.GetTags(), Untag: req.GetUntag()})
	switch {
	case errors.Is(err, archive.ErrFull):
		return wire.Errorf(wire.ErrFull, "%v", err)
	case errors.Is(err, archive.ErrInvalid):
		return wire.Errorf(wire.ErrBadSpec, "%v", err)
	case errors.Is(err, archive.ErrNotFound): // it has been removed meanwhile
		return wire.Errorf(wire.ErrNotFound, "there is no suite %q any more", id)
	}
	return err
}
