package coordinator

import (
	"context"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

// apply archives the progress of a run, and the status of its suite if the run's status has changed.
func (c *Coordinator) apply(ctx context.Context, r archive.RunRecord, events []archive.Event, changed bool) error {
	change := archive.Change{Runs: []archive.RunRecord{r}, Events: events}
	if !changed {
		return c.archive.Apply(ctx, change)
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	_, err := c.changeSuite(ctx, r.Suite, lifecycle.RunChanged{Run: r.ID, Status: r.Status, Reason: r.Reason}, func(status result.Status) error {
		change.Suite, change.Status = r.Suite, status
		settle := c.announceViolation(r)
		err := c.archive.Apply(ctx, change)
		settle(err == nil)
		return err
	})
	return err
}
