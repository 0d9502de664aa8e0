package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// planAgain is how long the coordinator waits before it tries again to plan the next runs of a suite: its archive may be
// full.
const planAgain = 10 * time.Second

// planMore queues the next runs of an open suite, all of whose runs have ended, or closes the suite. If that fails, it is
// tried again in the background; until then the suite is open, and can be cancelled.
func (c *Coordinator) planMore(ctx context.Context, id string) {
	err := c.planNext(ctx, id)
	if err == nil || c.life.Err() != nil {
		return
	}
	c.log.Error("plan the next runs of suite", "suite", id, "error", err)
	if _, is := errors.AsType[*quarantine.PanicError](err); is {
		c.quarantine.Add(id, "plan its next runs", err)
		return
	}
	c.task(func() {
		for again := time.NewTicker(planAgain); ; {
			select {
			case <-c.life.Done():
				again.Stop()
				return
			case <-again.C:
			}
			if err := c.planNext(c.life, id); err == nil {
				again.Stop()
				c.schedule()
				return
			}
		}
	})
}

// planNext is planMore without a second attempt.
func (c *Coordinator) planNext(ctx context.Context, id string) error {
	suite, err := c.archive.Suite(ctx, id)
	if err != nil {
		return fmt.Errorf("read suite %s: %w", id, err)
	}
	runs, err := c.archive.Runs(ctx, id)
	if err != nil {
		return fmt.Errorf("read runs of suite %s: %w", id, err)
	}
	more, err := c.more(ctx, suite, runs)
	if err != nil {
		return err
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	state, err := c.openSuite(ctx, id)
	if err != nil {
		return fmt.Errorf("read suite %s with its runs: %w", id, err)
	}
	c.mu.Lock()
	current := state.Open && len(state.Runs) == len(runs)
	c.forgetSuite(id)
	c.mu.Unlock()
	if !current {
		return nil // it was cancelled meanwhile, or has got its runs
	}
	if len(more) == 0 {
		_, err = c.changeSuite(ctx, id, lifecycle.SuiteClosed{}, func(status result.Status) error {
			return c.archive.Apply(ctx, archive.Change{Suite: id, Status: status})
		})
		if err != nil {
			return fmt.Errorf("close suite %s: %w", id, err)
		}
		return nil
	}
	return c.addRuns(ctx, suite, more, false)
}

// more returns the next runs of a suite whose runs have all ended.
func (c *Coordinator) more(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) (more []*record.Run, err error) {
	planner, err := record.NewPlanner(c.config.Reader, suite)
	if err != nil || planner == nil {
		return nil, err
	}
	err = quarantine.Guard(func() error {
		records, err := planner.More(runs, func(of result.PlannedCase, begun []archive.RunRecord) (search.Step, error) {
			return c.results.Decide(ctx, suite, *of.Search, begun)
		})
		for _, rec := range records {
			opened, err := record.Open(c.config.Reader, suite, rec)
			if err != nil {
				return err
			}
			more = append(more, opened)
		}
		return err
	})
	return more, err
}

// addRuns archives and queues more runs of a suite. The caller holds c.turn.
func (c *Coordinator) addRuns(ctx context.Context, suite archive.Suite, runs []*record.Run, reopen bool) error {
	records := make([]archive.RunRecord, len(runs))
	for i, r := range runs {
		records[i] = r.Archived
	}
	added := lifecycle.RunsAdded{Runs: record.RunsOf(suite, records), Reopen: reopen}
	if _, err := c.changeSuite(ctx, suite.ID, added, func(status result.Status) error {
		return c.archive.AddRuns(ctx, suite.ID, status, records)
	}); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, runs...)
	return nil
}
