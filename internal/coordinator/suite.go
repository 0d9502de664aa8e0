package coordinator

import (
	"context"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// stopsAll reports whether the runs after this one are cancelled when it fails.
func (r *run) stopsAll() bool {
	planned, err := planOf(r.suite)
	return err == nil && planned != nil && planned.OnFailure != plan.GoOn
}

// stopSuite cancels the runs of a suite that wait in the queue, because one of them has failed. c.mu is held.
func (c *Coordinator) stopSuite(suite, failed, reason string) {
	for _, r := range slices.Clone(c.queue) {
		if r.suite.ID != suite {
			continue
		}
		cd := c.conduct(c.dequeue(r.archived.ID)) // for its last step: that archives the end like any other
		cd.post(func() {
			cd.step(lifecycle.Cancel{Because: fmt.Sprintf("not begun, because run %s failed: %s", failed, reason)})
		})
	}
}

// stopRecovered does so for the suites of which a run failed and whose coordinator was killed before it had cancelled
// the others.
func (c *Coordinator) stopRecovered(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	judged := make(map[string]bool)
	for _, r := range slices.Clone(c.queue) {
		if judged[r.suite.ID] || !r.stopsAll() {
			continue
		}
		judged[r.suite.ID] = true
		runs, err := c.archive.Runs(ctx, r.suite.ID)
		if err != nil {
			return fmt.Errorf("read runs of suite %s: %w", r.suite.ID, err)
		}
		runs = standing(runs)
		if i := slices.IndexFunc(runs, func(r archive.RunRecord) bool { return r.Status == result.Failed }); i >= 0 {
			c.stopSuite(r.suite.ID, runs[i].ID, runs[i].Reason)
		}
	}
	return nil
}

// standing are the runs of a suite without those in whose place another one was, or is, run.
func standing(runs []archive.RunRecord) []archive.RunRecord {
	replaced := replacedBy(runs)
	return slices.DeleteFunc(slices.Clone(runs), func(r archive.RunRecord) bool { return replaced[r.ID] != "" })
}

// replacedBy tells of runs which later one is in their place: the last of the same repeat of the same case.
func replacedBy(runs []archive.RunRecord) map[string]string {
	type turn struct {
		name   string
		repeat int
	}
	last, replaced := make(map[turn]string), make(map[string]string)
	for _, r := range slices.Backward(runs) {
		at := turn{r.Case, r.Repeat}
		if by, is := last[at]; is {
			replaced[r.ID] = by
			continue
		}
		last[at] = r.ID
	}
	return replaced
}
