package coordinator

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/wire"
)

// chunk is the size of the pieces in which a result is streamed.
const chunk = 1 << 20

// parse validates a submission. hooks are the hooks that agents allow, or nil to skip that check.
func (c *Coordinator) parse(m *benchdv1.Submission, hooks []string) (*plan.Suite, []string, error) {
	submission := wire.ToSubmission(m)
	submission.Hooks = hooks
	submission.Supplied = c.config.Supplied
	suite, warned, err := c.config.Reader.Parse(submission)
	if err != nil {
		return nil, nil, wire.BadSpec(err)
	}
	warnings := make([]string, 0, len(warned))
	for _, w := range warned {
		warnings = append(warnings, w.String())
	}
	return suite, warnings, nil
}

// Validate validates a submission and changes nothing.
func (c *Coordinator) Validate(_ context.Context, req *benchdv1.ValidateRequest) (*benchdv1.ValidateResponse, error) {
	_, warnings, err := c.parse(req.GetSubmission(), nil)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.ValidateResponse{Warnings: warnings}, nil
}

// Submit validates a submission and queues it.
func (c *Coordinator) Submit(ctx context.Context, req *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error) {
	id, warnings, err := c.submit(ctx, req)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.SubmitResponse{Id: id, Warnings: warnings}, nil
}

// Get streams a result.
func (c *Coordinator) Get(req *benchdv1.GetRequest, stream grpc.ServerStreamingServer[benchdv1.GetResponse]) error {
	text, err := c.results.JSON(stream.Context(), req.GetId())
	if err != nil {
		return wire.ToStatus(err)
	}
	for piece := range slices.Chunk(text, chunk) {
		if err := stream.Send(&benchdv1.GetResponse{Chunk: piece}); err != nil {
			return err
		}
	}
	return nil
}

// List lists suites.
func (c *Coordinator) List(ctx context.Context, req *benchdv1.ListRequest) (*benchdv1.ListResponse, error) {
	suites, err := c.archive.Select(ctx, queryOf(req))
	if errors.Is(err, archive.ErrNotFound) {
		err = wire.Errorf(wire.ErrBadSpec, "after: there is no suite %q: it may have been removed; start again without it", req.GetAfter())
	}
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	out := &benchdv1.ListResponse{}
	for _, s := range suites {
		one := &benchdv1.SuiteSummary{
			Id: s.ID, Name: s.Name, Status: string(s.Status), Created: wire.FromTime(s.Created), Runs: uint32(s.Runs), RunsEnded: uint32(s.Runs),
			SubmittedBy: s.SubmittedBy, Note: s.Note, Tags: s.Tags, Db: s.DB, SetAside: c.quarantine.Reason(s.ID),
		}
		out.Suites = append(out.Suites, one)
		if s.Status.Ended() {
			continue
		}
		now, err := c.progress(ctx, s.ID)
		switch {
		case errors.Is(err, wire.ErrNotFound): // the suite has been removed meanwhile
			out.Suites = out.Suites[:len(out.Suites)-1]
			continue
		case err != nil:
			return nil, wire.ToStatus(err)
		}
		one.RunsEnded, one.RunsAtMost = uint32(now.ended), uint32(now.atMost)
		if now.hasLeft {
			one.Ahead = durationpb.New(now.left)
		}
	}
	return out, nil
}

// Cancel cancels a suite or one of its runs.
func (c *Coordinator) Cancel(ctx context.Context, req *benchdv1.CancelRequest) (*benchdv1.CancelResponse, error) {
	caller := by(ctx, req.GetBy())
	audit.Note(ctx, "id", req.GetId())
	suite, _, err := c.results.Find(ctx, req.GetId())
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	asked := lifecycle.CancelAsked{By: cmp.Or(caller, "an unknown user")}
	if req.GetId() != suite.ID {
		asked.Run = req.GetId()
	}
	commands, err := c.endSuite(ctx, suite.ID, asked)
	if errors.Is(err, lifecycle.ErrSuiteEnded) {
		err = wire.Errorf(wire.ErrNotAllowed, "%s has ended (%s): there is nothing to cancel", req.GetId(), suite.Status)
	}
	if err == nil {
		err = c.cancelRuns(ctx, suite.ID, commands)
	}
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.CancelResponse{}, nil
}

// cancelRuns cancels runs one after another, and returns when all cancellations are archived. If the caller goes away,
// the remaining runs are cancelled in the background.
func (c *Coordinator) cancelRuns(ctx context.Context, suite string, commands []lifecycle.SuiteCommand) error {
	for i, command := range commands {
		e, is := command.(lifecycle.CancelRun)
		if !is {
			continue
		}
		var done bool
		var err error
		if cd := c.toCancel(e.Run); cd != nil { // otherwise it has just ended
			done, err = cd.Cancel(ctx, e.Cancel)
		}
		if err != nil {
			return errors.Join(err, c.carryOut(c.life, suite, commands[i+1:]))
		}
		if !done && c.life.Err() != nil {
			return wire.Errorf(wire.ErrUnreachable, "the coordinator is stopping: cancel %s when it is back", e.Run)
		}
	}
	return nil
}

// Remove deletes an ended suite.
func (c *Coordinator) Remove(ctx context.Context, req *benchdv1.RemoveRequest) (*benchdv1.RemoveResponse, error) {
	audit.Note(ctx, "suite", req.GetId())
	if _, _, err := c.results.Find(ctx, req.GetId()); err != nil {
		return nil, wire.ToStatus(err)
	}
	if record.SuiteOf(req.GetId()) != req.GetId() {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: remove the whole suite %s", req.GetId(), record.SuiteOf(req.GetId())))
	}
	err := c.results.Remove(ctx, req.GetId())
	if errors.Is(err, archive.ErrNotEnded) {
		err = wire.Errorf(wire.ErrNotAllowed, "suite %s has not ended: cancel it first with `benchctl cancel %s`", req.GetId(), req.GetId())
	}
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.RemoveResponse{}, nil
}

// Agents lists the agents of the roster.
func (c *Coordinator) Agents(context.Context, *benchdv1.AgentsRequest) (*benchdv1.AgentsResponse, error) {
	out := &benchdv1.AgentsResponse{}
	for _, m := range c.roster.All() {
		out.Agents = append(out.Agents, m.Info(c.clock))
	}
	return out, nil
}

// Drain excludes an agent from further runs, or admits it again.
func (c *Coordinator) Drain(ctx context.Context, req *benchdv1.DrainRequest) (*benchdv1.DrainResponse, error) {
	audit.Note(ctx, "agent", req.GetName())
	m := c.roster.Get(req.GetName())
	if m == nil {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotFound, "unknown agent %q: list the agents with `benchctl agents`", req.GetName()))
	}
	m.Drain(!req.GetUndo())
	c.schedule()
	return &benchdv1.DrainResponse{}, nil
}
