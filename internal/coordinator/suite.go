package coordinator

import (
	"context"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// openSuite returns the state of a suite; it builds that from the archive where the suite is not active. The caller holds
// c.turn.
func (c *Coordinator) openSuite(ctx context.Context, id string) (*lifecycle.Suite, error) {
	c.mu.Lock()
	s := c.suites[id]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	suite, err := c.archive.Suite(ctx, id)
	if err != nil {
		return nil, err
	}
	runs, err := c.archive.Runs(ctx, id)
	if err != nil {
		return nil, err
	}
	s = record.NewSuite(suite, runs)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suites[id] = s
	return s, nil
}

// readSuite is openSuite for callers that do not change the suite.
func (c *Coordinator) readSuite(ctx context.Context, id string) (*lifecycle.Suite, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	s, err := c.openSuite(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read suite %s with its runs: %w", id, err)
	}
	return s, nil
}

// stepSuite applies an event that changes nothing in the archive to a suite, and returns the commands. The caller holds
// c.mu.
func (c *Coordinator) stepSuite(id string, event lifecycle.SuiteEvent) []lifecycle.SuiteCommand {
	s := c.suites[id]
	if s == nil {
		return nil
	}
	defer c.forgetSuite(id)
	return s.Step(event)
}

// forgetSuite removes the state of a suite that is not active any more. The caller holds c.mu.
func (c *Coordinator) forgetSuite(id string) {
	if s := c.suites[id]; s != nil && !s.Active() {
		delete(c.suites, id)
	}
}

// changeSuite applies an event to a suite, and returns the commands. store archives the suite's new status first,
// together with the change that caused it. The caller holds c.turn, so that two changes never start from the same state.
func (c *Coordinator) changeSuite(
	ctx context.Context, id string, event lifecycle.SuiteEvent, store func(result.Status) error,
) ([]lifecycle.SuiteCommand, error) {
	s, err := c.openSuite(ctx, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	before := s.Status
	status, err := s.After(event)
	c.mu.Unlock()
	if err == nil {
		err = c.announcing(id, before, status, store)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.forgetSuite(id)
	if err != nil {
		return nil, err
	}
	c.suites[id] = s // its last run may have been released meanwhile
	return s.Step(event), nil
}

// endSuite applies an event to a suite that may end it.
func (c *Coordinator) endSuite(ctx context.Context, id string, event lifecycle.SuiteEvent) ([]lifecycle.SuiteCommand, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.changeSuite(ctx, id, event, func(status result.Status) error {
		if !status.Ended() {
			return nil
		}
		return c.archive.Apply(ctx, archive.Change{Suite: id, Status: status})
	})
}

// carryOut executes the commands of a suite.
func (c *Coordinator) carryOut(ctx context.Context, suite string, commands []lifecycle.SuiteCommand) error {
	for _, command := range commands {
		switch command := command.(type) {
		case lifecycle.CancelRun:
			if cd := c.toCancel(command.Run); cd != nil {
				cd.Event(command.Cancel)
			}
		case lifecycle.PlanMore:
			c.planMore(ctx, suite)
		}
	}
	return nil
}

// resumeSuites executes the commands of suites that were pending when the coordinator stopped.
func (c *Coordinator) resumeSuites(ctx context.Context) error {
	suites, err := c.archive.Suites(ctx)
	if err != nil {
		return fmt.Errorf("list suites: %w", err)
	}
	for _, summary := range slices.Backward(suites) { // in the order of submission
		if summary.Status.Ended() {
			continue
		}
		if err := c.resumeOne(ctx, summary.ID); err != nil {
			return err
		}
	}
	return nil
}

func (c *Coordinator) resumeOne(ctx context.Context, id string) error {
	s, err := c.readSuite(ctx, id)
	if err != nil {
		return err
	}
	c.mu.Lock()
	commands := s.Resume()
	c.forgetSuite(id)
	c.mu.Unlock()
	return c.carryOut(ctx, id, commands)
}
