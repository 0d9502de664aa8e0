package coordinator

import (
	"context"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/record"
)

// apply archives how a run goes on, and how its suite stands if the run's status has changed. Runs of a suite
// take turns: two that ended at once would each take the other for one that goes on.
func (c *Coordinator) apply(ctx context.Context, r archive.RunRecord, events []archive.Event, changed bool) error {
	change := archive.Change{Runs: []archive.RunRecord{r}, Events: events}
	if changed {
		c.turn.Lock()
		defer c.turn.Unlock()
		runs, err := c.archive.Runs(ctx, r.Suite)
		if err != nil {
			return err
		}
		change.Suite, change.Status = r.Suite, record.StatusOf(runs, r)
	}
	return c.archive.Apply(ctx, change)
}
