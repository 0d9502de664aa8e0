package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/wire"
)

// ScheduleChange is a change of a schedule.
type ScheduleChange = benchdv1.ScheduleChange

// The changes.
const (
	PauseSchedule  = benchdv1.ScheduleChange_SCHEDULE_CHANGE_PAUSE
	ResumeSchedule = benchdv1.ScheduleChange_SCHEDULE_CHANGE_RESUME
	RunSchedule    = benchdv1.ScheduleChange_SCHEDULE_CHANGE_RUN
	DeleteSchedule = benchdv1.ScheduleChange_SCHEDULE_CHANGE_DELETE
)

// Scheduled is a schedule that the coordinator keeps.
type Scheduled struct {
	Name     string
	Next     time.Time
	Warnings []string
}

// Schedule keeps a suite that recurs. Like Submit, it may wait for agents.
func (c *Client) Schedule(ctx context.Context, r Request, replace bool) (Scheduled, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer+r.WaitAgents)
	defer cancel()
	resp, err := c.service.Schedule(ctx, &benchdv1.ScheduleRequest{Submit: submitRequest(r), Replace: replace})
	if err != nil {
		return Scheduled{}, c.scheduling(err)
	}
	return Scheduled{Name: resp.GetName(), Next: resp.GetNext().AsTime(), Warnings: resp.GetWarnings()}, nil
}

// Schedules returns all schedules, by their names.
func (c *Client) Schedules(ctx context.Context) ([]schedule.Summary, error) {
	var list []schedule.Summary
	err := c.schedules(ctx, "", &list)
	return list, err
}

// ShowSchedule returns a schedule.
func (c *Client) ShowSchedule(ctx context.Context, name string) (schedule.Document, error) {
	var d schedule.Document
	err := c.schedules(ctx, name, &d)
	return d, err
}

func (c *Client) schedules(ctx context.Context, name string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	resp, err := c.service.Schedules(ctx, &benchdv1.SchedulesRequest{Name: name})
	if err != nil {
		return c.scheduling(err)
	}
	if err := json.Unmarshal(resp.GetSchedules(), into); err != nil {
		return fmt.Errorf("read schedules of the coordinator at %s: %w", c.where, err)
	}
	return nil
}

// ChangeSchedule changes a schedule. It returns the suite that RunSchedule has submitted, and the next due time after ResumeSchedule.
func (c *Client) ChangeSchedule(ctx context.Context, name string, change ScheduleChange, by string) (suite string, next time.Time, err error) {
	resp, err := ask(ctx, c, c.service.ChangeSchedule, &benchdv1.ChangeScheduleRequest{Name: name, Change: change, By: by})
	return resp.GetSuite(), resp.GetNext().AsTime(), err
}

// scheduling translates an error of a call that a coordinator of an older build does not know.
func (c *Client) scheduling(err error) error {
	if wire.Unanswered(err) {
		return wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old for schedules: install the same release on both", c.where)
	}
	return c.translate(err)
}

func submitRequest(r Request) *benchdv1.SubmitRequest {
	policy := benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_FAIL
	if r.OnAgentLoss == ContinueOnLoss {
		policy = benchdv1.AgentLossPolicy_AGENT_LOSS_POLICY_CONTINUE
	}
	return &benchdv1.SubmitRequest{
		Submission:  wire.FromSubmission(r.Submission),
		Agents:      uint32(max(r.Agents, 0)),
		Select:      r.Select,
		WaitAgents:  durationpb.New(r.WaitAgents),
		OnAgentLoss: policy,
		SubmittedBy: r.SubmittedBy,
		Resume:      r.Resume,
	}
}
