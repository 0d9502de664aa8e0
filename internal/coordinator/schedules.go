package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/coordinator/timetable"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/wire"
)

// openTimetable reads the schedules of the archive.
func (c *Coordinator) openTimetable(ctx context.Context) (err error) {
	c.timetable, err = timetable.Open(ctx, timetable.Config{
		Archive: c.archive, Clock: c.clock, Logger: c.log, Registerer: c.config.Registerer,
		NewID: newID, Submit: c.submitScheduled, Trend: c.trendOf, Announce: c.announceChanges, Changed: c.change,
		Go: func(do func()) { c.task(do) },
	})
	return err
}

// Schedule validates a submission of a suite that recurs, and keeps it.
func (c *Coordinator) Schedule(ctx context.Context, req *benchdv1.ScheduleRequest) (*benchdv1.ScheduleResponse, error) {
	name, resp, err := c.keepSchedule(ctx, req)
	audit.Note(ctx, "schedule", name)
	return resp, wire.ToStatus(err)
}

func (c *Coordinator) keepSchedule(ctx context.Context, req *benchdv1.ScheduleRequest) (string, *benchdv1.ScheduleResponse, error) {
	submit := req.GetSubmit()
	if submit.GetSubmission().GetSuite() == nil || submit.GetResume() != "" {
		return "", nil, wire.Errorf(wire.ErrBadSpec, "want a suite file with schedule: {every: 24h}, or another time")
	}
	submit.SubmittedBy = by(ctx, submit.GetSubmittedBy())
	p, err := c.prepare(ctx, submit)
	if err != nil {
		return "", nil, err
	}
	if p.suite.Schedule.IsZero() {
		return "", nil, wire.Errorf(wire.ErrBadSpec, "%s has no schedule: add schedule: {every: 24h}, or another time; a trial has none", submit.GetSubmission().GetSuite().GetName())
	}
	kept, ok := proto.Clone(submit).(*benchdv1.SubmitRequest)
	if !ok {
		return "", nil, errors.New("clone submission: it is of another type")
	}
	kept.Agents = uint32(p.agents) // each suite has as many, so that their results are comparable
	request, err := proto.Marshal(kept)
	if err != nil {
		return "", nil, fmt.Errorf("encode submission: %w", err)
	}
	owner := timetable.Owner{Identity: identity.From(ctx), Until: certificateEnd(ctx)}
	name := p.suite.Name
	next, err := c.timetable.Put(ctx, timetable.Submission{
		Name: name, When: p.suite.Schedule, Owner: owner, By: submit.GetSubmittedBy(), Request: request, Replace: req.GetReplace(),
	}, ownedSchedule(ctx, name))
	if err != nil {
		return name, nil, scheduleError(err)
	}
	c.log.Info("schedule is kept", "schedule", name, "due", p.suite.Schedule, "next", next, "agents", p.agents, "by", submit.GetSubmittedBy())
	return name, &benchdv1.ScheduleResponse{Name: name, Next: timestamppb.New(next), Warnings: p.warnings}, nil
}

// Schedules describes the schedules.
func (c *Coordinator) Schedules(ctx context.Context, req *benchdv1.SchedulesRequest) (*benchdv1.SchedulesResponse, error) {
	var list any
	var err error
	if req.GetName() == "" {
		list, err = c.timetable.List(ctx)
	} else {
		list, err = c.timetable.Show(ctx, req.GetName())
	}
	if err != nil {
		return nil, wire.ToStatus(scheduleError(err))
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, wire.ToStatus(fmt.Errorf("encode schedules: %w", err))
	}
	return &benchdv1.SchedulesResponse{Schedules: text}, nil
}

// ChangeSchedule changes a schedule, or submits its suite now.
func (c *Coordinator) ChangeSchedule(ctx context.Context, req *benchdv1.ChangeScheduleRequest) (*benchdv1.ChangeScheduleResponse, error) {
	change := strings.ToLower(strings.TrimPrefix(req.GetChange().String(), "SCHEDULE_CHANGE_"))
	caller := by(ctx, req.GetBy())
	name := req.GetName()
	audit.Note(ctx, "schedule", name)
	audit.Note(ctx, "change", change)
	resp, allowed := &benchdv1.ChangeScheduleResponse{}, ownedSchedule(ctx, name)
	var err error
	switch req.GetChange() {
	case benchdv1.ScheduleChange_SCHEDULE_CHANGE_PAUSE:
		err = c.timetable.Pause(ctx, name, allowed)
	case benchdv1.ScheduleChange_SCHEDULE_CHANGE_RESUME:
		next, wrong := c.timetable.Resume(ctx, name, allowed)
		resp.Next, err = timestamppb.New(next), wrong
	case benchdv1.ScheduleChange_SCHEDULE_CHANGE_RUN:
		resp.Suite, err = c.timetable.Start(ctx, name, caller, allowed)
		audit.Note(ctx, "suite", resp.GetSuite())
	case benchdv1.ScheduleChange_SCHEDULE_CHANGE_DELETE:
		err = c.timetable.Delete(ctx, name, allowed)
	case benchdv1.ScheduleChange_SCHEDULE_CHANGE_UNSPECIFIED:
		fallthrough
	default:
		err = wire.Errorf(wire.ErrBadSpec, "unknown change %d of schedule %q: install the same release on both", req.GetChange(), name)
	}
	if err != nil {
		return nil, wire.ToStatus(scheduleError(err))
	}
	c.log.Info("schedule is changed", "schedule", name, "change", change, "by", caller)
	return resp, nil
}

// ownedSchedule returns a function that checks whether the peer of a call may change a schedule of an owner.
func ownedSchedule(ctx context.Context, name string) func(identity.Identity) error {
	return func(owner identity.Identity) error {
		if err := access.Owned(identity.From(ctx), owner, "the schedule "+name); err != nil {
			return denied(ctx, err)
		}
		return nil
	}
}

// scheduleError names a full disk for benchctl.
func scheduleError(err error) error {
	if errors.Is(err, archive.ErrFull) {
		return wire.Errorf(wire.ErrFull, "%v", err)
	}
	return err
}

// submitScheduled submits the suite of a schedule in the name of its owner.
func (c *Coordinator) submitScheduled(ctx context.Context, order timetable.Order) error {
	owner := order.Owner
	ctx, entry := audit.Begin(identity.With(ctx, owner.Identity))
	audit.Note(ctx, "schedule", order.Schedule)
	err := c.submitOwned(ctx, order)
	if c.audit == nil || ctx.Err() != nil {
		return err
	}
	record := audit.Record{
		Time: c.clock.Wall().UTC(), Who: owner.Name, Role: string(owner.Role), Serial: owner.Serial, Call: "ScheduleDue", Outcome: audit.Done,
	}
	if err != nil {
		record.Outcome, record.Reason = audit.Failed, wire.FromStatus(wire.ToStatus(err)).Error()
	} else {
		audit.Note(ctx, "suite", order.Suite)
	}
	c.audit.Write(entry.Complete(record))
	return err
}

// submitOwned submits the suite of a schedule with the rights that its owner has now. They may not be enough any more: a case may need
// another privilege than at the submission, or the owner has another certificate.
func (c *Coordinator) submitOwned(ctx context.Context, order timetable.Order) error {
	if err := c.valid(order.Owner); err != nil {
		return err
	}
	req := &benchdv1.SubmitRequest{}
	if err := proto.Unmarshal(order.Request, req); err != nil {
		return fmt.Errorf("read submission: %w", err)
	}
	if req.GetWaitAgents().AsDuration() < order.Patience {
		req.WaitAgents = durationpb.New(order.Patience)
	}
	p, err := c.prepare(ctx, req)
	if err != nil {
		return err
	}
	if err := c.valid(order.Owner); err != nil { // it may have been revoked while the suite waited for agents
		return err
	}
	if p.suite.Tags == nil {
		p.suite.Tags = make(map[string]string)
	}
	p.suite.Tags[plan.ScheduleTag] = order.Schedule
	return c.enqueue(ctx, p.suite, req, p.agents, order.Suite)
}

// valid checks whether the owner of a schedule may still submit suites at all.
func (c *Coordinator) valid(owner timetable.Owner) error {
	const cure = "its owner connects once with a valid one, such as by `benchctl schedule`, or an admin submits the suite again with --replace"
	switch {
	case c.config.Certificates != nil && owner.Role == identity.Trusted:
		return wire.Errorf(wire.ErrUnauthenticated, "the schedule has no owner: it was submitted before this coordinator asked for certificates; submit the suite again with --replace")
	case c.revoked(owner.Identity):
		return wire.Errorf(wire.ErrUnauthenticated, "the certificate of its owner %s has been revoked: %s", owner, cure)
	case !owner.Until.IsZero() && c.clock.Wall().After(owner.Until):
		return wire.Errorf(wire.ErrUnauthenticated, "the certificate of its owner %s expired at %s: %s", owner, owner.Until.UTC().Format(time.DateTime), cure)
	}
	return nil
}

// trendOf makes the trend of the suites of a schedule, as `benchctl trend --tag schedule=NAME` does.
func (c *Coordinator) trendOf(ctx context.Context, name string, summaries []archive.SuiteSummary) (trend.Trend, error) {
	suites := make([]trend.Suite, 0, len(summaries))
	for _, s := range summaries {
		text, err := c.results.JSON(ctx, s.ID)
		if errors.Is(err, wire.ErrNotFound) {
			continue // it has been removed meanwhile
		}
		if err != nil {
			return trend.Trend{}, err
		}
		run, suite, err := result.Read(result.WithoutSeries(text))
		if err != nil {
			return trend.Trend{}, fmt.Errorf("read result of suite %s: %w", s.ID, err)
		}
		if suite == nil { // it has a single run
			suite = &result.Suite{ID: s.ID, Name: s.Name, Status: run.Status, Runs: []result.Run{run}}
		}
		suites = append(suites, trend.Suite{Suite: *suite, Submitted: s.Created})
	}
	return trend.Of(plan.ScheduleTag+"="+name, suites, trend.Settings{Quiet: trend.Quiet, Smallest: trend.Smallest}, c.config.Reader.Targets()), nil
}
