package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// chunk is the size of the pieces in which a result is sent.
const chunk = 1 << 20

// parse judges a submission whole.
func (c *Coordinator) parse(m *benchdv1.Submission) (*plan.Suite, []string, error) {
	submission := wire.ToSubmission(m)
	submission.Supplied = c.config.Supplied
	suite, warned, err := spec.Parse(submission, c.config.Databases...)
	if err != nil {
		return nil, nil, wire.Errorf(wire.ErrBadSpec, "%v", err)
	}
	warnings := make([]string, 0, len(warned))
	for _, w := range warned {
		warnings = append(warnings, w.String())
	}
	return suite, warnings, nil
}

// Validate judges a submission and does nothing else.
func (c *Coordinator) Validate(_ context.Context, req *benchdv1.ValidateRequest) (*benchdv1.ValidateResponse, error) {
	_, warnings, err := c.parse(req.GetSubmission())
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.ValidateResponse{Warnings: warnings}, nil
}

// Submit judges a submission and queues it.
func (c *Coordinator) Submit(ctx context.Context, req *benchdv1.SubmitRequest) (*benchdv1.SubmitResponse, error) {
	id, warnings, err := c.submit(ctx, req)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.SubmitResponse{Id: id, Warnings: warnings}, nil
}

func (c *Coordinator) submit(ctx context.Context, req *benchdv1.SubmitRequest) (string, []string, error) {
	suite, warnings, err := c.parse(req.GetSubmission())
	if err != nil {
		return "", nil, err
	}
	want := int(req.GetAgents())
	have, err := c.awaitAgents(ctx, req.GetSelect(), want, req.GetWaitAgents().AsDuration())
	if err != nil {
		return "", nil, err
	}
	if have < max(want, 1) {
		return "", nil, tooFew(have, max(want, 1), req)
	}
	want = cmp.Or(want, have)
	for _, one := range suite.Cases {
		if _, err := plan.Workers(one.Settings, want); err != nil {
			return "", nil, wire.Errorf(wire.ErrBadSpec, "%v", err)
		}
	}
	id, err := c.enqueue(ctx, suite, req, want)
	return id, warnings, err
}

func tooFew(have, want int, req *benchdv1.SubmitRequest) error {
	with := ""
	if labels := req.GetSelect(); len(labels) > 0 {
		var pairs []string
		for _, k := range slices.Sorted(maps.Keys(labels)) {
			pairs = append(pairs, k+"="+labels[k])
		}
		with = " with " + strings.Join(pairs, ", ")
	}
	noun := "agents"
	if want == 1 {
		noun = "agent"
	}
	return wire.Errorf(wire.ErrTooFewAgents,
		"%d %s%s needed, %d connected: start more with `benchd agent --coordinator HOST:PORT`, or wait for them with --wait-agents",
		want, noun, with, have)
}

// enqueue archives a suite and puts its runs into the queue.
func (c *Coordinator) enqueue(ctx context.Context, suite *plan.Suite, req *benchdv1.SubmitRequest, want int) (string, error) {
	submitted, err := json.Marshal(asSubmitted(req.GetSubmission()))
	if err != nil {
		return "", fmt.Errorf("keep submission: %w", err)
	}
	stored := archive.Suite{
		Name: suite.Name, Note: suite.Note, Tags: suite.Tags, Status: result.Queued, Created: time.Now().UTC(),
		SubmittedBy: req.GetSubmittedBy(), Spec: submitted,
	}
	if stored.Plan, err = json.Marshal(result.NewPlan(*suite)); err != nil {
		return "", fmt.Errorf("keep plan: %w", err)
	}
	if len(suite.Cases) > 0 {
		stored.DB = suite.Cases[0].Settings.DB
	}
	for {
		stored.ID = newID(stored.Created)
		records, err := newRuns(stored.ID, suite, req, want)
		if err != nil {
			return "", err
		}
		err = c.archive.CreateSuite(ctx, stored, records)
		switch {
		case errors.Is(err, archive.ErrExists):
			continue
		case errors.Is(err, archive.ErrFull):
			return "", wire.Errorf(wire.ErrFull, "%v", err)
		case err != nil:
			return "", err
		}
		opened := make([]*run, 0, len(records))
		for _, rec := range records {
			r, err := openRun(stored, rec)
			if err != nil {
				return "", err
			}
			opened = append(opened, r)
		}
		c.mu.Lock()
		c.queue = append(c.queue, opened...)
		c.mu.Unlock()
		c.log.Info("suite is queued", "suite", stored.ID, "runs", len(records), "agents", want, "by", stored.SubmittedBy)
		c.schedule()
		return stored.ID, nil
	}
}

func newRuns(id string, suite *plan.Suite, req *benchdv1.SubmitRequest, want int) ([]archive.RunRecord, error) {
	var records []archive.RunRecord
	for _, planned := range plan.Runs(id, *suite) {
		one, ok := suite.Case(planned.Case)
		if !ok {
			return nil, fmt.Errorf("run %s is of case %q, which the suite does not have", planned.ID, planned.Case)
		}
		rec, err := newRun(id, planned, one, want, req.GetSelect(), wire.ToPolicy(req.GetOnAgentLoss()))
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// newID makes an id that people can read out: the day and four letters.
func newID(now time.Time) string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	id := now.AppendFormat(nil, "20060102-")
	for range 4 {
		id = append(id, letters[rand.IntN(len(letters))])
	}
	return string(id)
}

// Get streams a result.
func (c *Coordinator) Get(req *benchdv1.GetRequest, stream grpc.ServerStreamingServer[benchdv1.GetResponse]) error {
	text, err := c.resultJSON(stream.Context(), req.GetId())
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

// List tells of all suites.
func (c *Coordinator) List(ctx context.Context, _ *benchdv1.ListRequest) (*benchdv1.ListResponse, error) {
	suites, err := c.archive.Suites(ctx)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	out := &benchdv1.ListResponse{}
	for _, s := range suites {
		out.Suites = append(out.Suites, &benchdv1.SuiteSummary{
			Id: s.ID, Name: s.Name, Status: string(s.Status), Created: wire.FromTime(s.Created), Runs: uint32(s.Runs),
			SubmittedBy: s.SubmittedBy, Note: s.Note, Tags: s.Tags, Db: s.DB,
		})
	}
	return out, nil
}

// Cancel ends a suite or one of its runs.
func (c *Coordinator) Cancel(ctx context.Context, req *benchdv1.CancelRequest) (*benchdv1.CancelResponse, error) {
	suite, runs, err := c.find(ctx, req.GetId())
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	by := cmp.Or(req.GetBy(), "somebody")
	ended := 0
	for _, archived := range runs {
		if archived.Status.Ended() {
			ended++
			continue
		}
		if err := c.cancelRun(ctx, archived.ID, by); err != nil {
			return nil, wire.ToStatus(err)
		}
	}
	if ended == len(runs) {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "%s has ended (%s): there is nothing to cancel", req.GetId(), suite.Status))
	}
	return &benchdv1.CancelResponse{}, nil
}

// cancelRun returns when the run knows that it is cancelled, and the archive with it.
func (c *Coordinator) cancelRun(ctx context.Context, id, by string) error {
	stopping := wire.Errorf(wire.ErrUnreachable, "the coordinator is stopping: cancel %s when it is back", id)
	c.mu.Lock()
	if c.life.Err() != nil {
		c.mu.Unlock()
		return stopping
	}
	cd := c.conductors[id]
	if r := c.dequeue(id); r != nil {
		cd = c.conduct(r) // for its last step: that archives the end like any other
	}
	c.mu.Unlock()
	if cd == nil {
		return nil // it has just ended
	}
	done := make(chan struct{})
	cd.post(func() {
		defer close(done)
		cd.step(lifecycle.Cancel{By: by})
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-cd.done:
	}
	if c.life.Err() != nil {
		return stopping
	}
	return nil
}

// Remove deletes an ended suite.
func (c *Coordinator) Remove(ctx context.Context, req *benchdv1.RemoveRequest) (*benchdv1.RemoveResponse, error) {
	if _, _, err := c.find(ctx, req.GetId()); err != nil {
		return nil, wire.ToStatus(err)
	}
	if suiteOf(req.GetId()) != req.GetId() {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotAllowed, "%s is one run of a suite: remove the whole suite %s", req.GetId(), suiteOf(req.GetId())))
	}
	err := c.archive.Remove(ctx, req.GetId())
	if errors.Is(err, archive.ErrNotEnded) {
		err = wire.Errorf(wire.ErrNotAllowed, "suite %s has not ended: cancel it first with `benchctl cancel %s`", req.GetId(), req.GetId())
	}
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.RemoveResponse{}, nil
}

// Agents tells of the roster.
func (c *Coordinator) Agents(context.Context, *benchdv1.AgentsRequest) (*benchdv1.AgentsResponse, error) {
	out := &benchdv1.AgentsResponse{}
	now := c.clock.Now()
	for _, m := range c.roster.all(time.Now()) {
		out.Agents = append(out.Agents, m.info(now))
	}
	return out, nil
}

// Drain keeps an agent from further runs, or gives it runs again.
func (c *Coordinator) Drain(_ context.Context, req *benchdv1.DrainRequest) (*benchdv1.DrainResponse, error) {
	m := c.roster.get(req.GetName())
	if m == nil {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrNotFound, "there is no agent %q here: `benchctl agents` shows who is", req.GetName()))
	}
	m.drain(!req.GetUndo())
	c.schedule()
	return &benchdv1.DrainResponse{}, nil
}
