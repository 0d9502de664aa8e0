package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/coordinator/timetable"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/table"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/internal/wire"
)

// openWebhooks starts to deliver notices, if the coordinator has a file of hooks.
func (c *Coordinator) openWebhooks(ctx context.Context) (err error) {
	if c.config.Webhooks == nil {
		return nil
	}
	var records webhook.Records
	if c.kept != nil {
		records = undelivered{c.kept}
	}
	c.webhooks, err = webhook.Open(ctx, webhook.Config{
		Records: records, File: c.config.Webhooks, Dir: filepath.Join(c.config.DataDir, "webhooks"), Archived: c.hasArchived, Describe: c.describe,
		Clock: c.clock, Version: c.config.Version, Logger: c.log, Registerer: c.config.Registerer,
	})
	return err
}

// hasArchived reports whether the archive has what an occasion announces.
func (c *Coordinator) hasArchived(ctx context.Context, o notice.Occasion) (bool, error) {
	var done bool
	var err error
	switch o.Event {
	case notice.LimitViolated:
		var run archive.RunRecord
		run, err = c.archive.Run(ctx, o.Run)
		done = violated(run)
	case notice.ChangeFound:
		done, err = c.hasAlert(ctx, o.Suite)
	default:
		var suite archive.Suite
		suite, err = c.archive.Suite(ctx, o.Suite)
		done = suite.Status.Ended()
	}
	if errors.Is(err, archive.ErrNotFound) {
		return false, nil
	}
	return done, err
}

// hasAlert reports whether the archive has an alert that a suite has raised.
func (c *Coordinator) hasAlert(ctx context.Context, id string) (bool, error) {
	suite, err := c.archive.Suite(ctx, id)
	if err != nil {
		return false, err
	}
	alerts, err := c.archive.Alerts(ctx, suite.Tags[plan.ScheduleTag], timetable.MostAlerts)
	return slices.ContainsFunc(alerts, func(a schedule.Alert) bool { return a.Suite == id }), err
}

// describe makes the notice of an occasion.
func (c *Coordinator) describe(ctx context.Context, id string, at time.Time, o notice.Occasion) (notice.Notice, error) {
	text, err := c.results.JSON(ctx, o.Suite)
	if errors.Is(err, wire.ErrNotFound) {
		return notice.Notice{}, webhook.ErrGone
	}
	if err != nil {
		return notice.Notice{}, err
	}
	var n notice.Notice
	err = quarantine.Guard(func() error {
		suite, err := c.suiteOf(result.WithoutSeries(text))
		n = notice.Of(id, at, o, suite)
		return err
	})
	return n, err
}

// suiteOf reads the result of a suite, and concludes that of a suite of one run, which is the run's.
func (c *Coordinator) suiteOf(text []byte) (result.Suite, error) {
	run, suite, err := result.Read(text)
	switch {
	case err != nil:
		return result.Suite{}, err
	case suite != nil:
		return *suite, nil
	}
	runs := []result.Run{run}
	one := result.Suite{
		ID: record.SuiteOf(run.ID), Name: run.Name, Status: run.Status, Note: run.Note, Tags: run.Tags, Runs: runs, Plan: table.PlanOf(runs),
	}
	table.Conclude(&one, c.config.Reader.Targets())
	return one, nil
}

func noWebhooks() error {
	return wire.Errorf(wire.ErrNotFound, "this coordinator has no webhooks: start it with --webhooks FILE")
}

// Webhooks lists the hooks with what was sent to them last.
func (c *Coordinator) Webhooks(context.Context, *benchdv1.WebhooksRequest) (*benchdv1.WebhooksResponse, error) {
	if c.webhooks == nil {
		return nil, wire.ToStatus(noWebhooks())
	}
	statuses, broken := c.webhooks.Statuses()
	out := &benchdv1.WebhooksResponse{}
	if broken != nil {
		out.Broken = broken.Error()
	}
	for _, s := range statuses {
		text, err := json.Marshal(s)
		if err != nil {
			return nil, wire.ToStatus(fmt.Errorf("encode webhook: %w", err))
		}
		out.Webhooks = append(out.Webhooks, text)
	}
	return out, nil
}

// TestWebhook sends a test to a hook.
func (c *Coordinator) TestWebhook(ctx context.Context, req *benchdv1.TestWebhookRequest) (*benchdv1.TestWebhookResponse, error) {
	audit.Note(ctx, "webhook", req.GetName())
	if c.webhooks == nil {
		return nil, wire.ToStatus(noWebhooks())
	}
	last, err := c.webhooks.Test(ctx, req.GetName())
	if _, unknown := errors.AsType[*webhook.UnknownError](err); unknown {
		err = wire.Errorf(wire.ErrNotFound, "%v", err)
	}
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	return &benchdv1.TestWebhookResponse{HttpStatus: uint32(last.Status), Error: last.Error}, nil
}
