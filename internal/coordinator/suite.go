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

// stopSuite cancels the runs of a suite that wait in the queue, because one of them has failed. c.mu is held.
func (c *Coordinator) stopSuite(suite, failed, reason string) {
	for _, r := range slices.Clone(c.queue) {
		if r.Suite.ID != suite {
			continue
		}
		cd := c.conduct(c.dequeue(r.Archived.ID)) // for its last step: that archives the end like any other
		cd.Event(lifecycle.Cancel{Because: fmt.Sprintf("not begun, because run %s failed: %s", failed, reason)})
	}
}

// stopRecovered does so for the suites of which a run failed and whose coordinator was killed before it had cancelled
// the others.
func (c *Coordinator) stopRecovered(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	judged := make(map[string]bool)
	for _, r := range slices.Clone(c.queue) {
		if judged[r.Suite.ID] || !r.StopsAll() {
			continue
		}
		judged[r.Suite.ID] = true
		runs, err := c.archive.Runs(ctx, r.Suite.ID)
		if err != nil {
			return fmt.Errorf("read runs of suite %s: %w", r.Suite.ID, err)
		}
		runs = record.Standing(runs)
		if i := slices.IndexFunc(runs, func(r archive.RunRecord) bool { return r.Status == result.Failed }); i >= 0 {
			c.stopSuite(r.Suite.ID, runs[i].ID, runs[i].Reason)
		}
	}
	return nil
}
