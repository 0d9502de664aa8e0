package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// recover restores the unfinished runs of the archive: queued runs are queued again, the others get new conductors and
// wait for their agents.
func (c *Coordinator) recover(ctx context.Context) error {
	unfinished, err := c.archive.Unfinished(ctx)
	if err != nil {
		return fmt.Errorf("read unended runs: %w", err)
	}
	// Recovered conductors may cancel waiting runs, so these are queued first.
	slices.SortStableFunc(unfinished, func(a, b archive.RunRecord) int { return cmp.Compare(waiting(a), waiting(b)) })
	for _, archived := range unfinished {
		err := quarantine.Guard(func() error { return c.recoverRun(ctx, archived) })
		if p, is := errors.AsType[*quarantine.PanicError](err); is {
			c.quarantine.Add(archived.Suite, "take up run "+archived.ID, p)
			c.mu.Lock()
			delete(c.conductors, archived.ID)
			c.mu.Unlock()
			err = c.failUnrecoverable(ctx, archived, p)
		}
		if err != nil {
			return err
		}
	}
	return c.resumeSuites(ctx)
}

// waiting returns 0 for a queued run, else 1.
func waiting(r archive.RunRecord) int {
	if r.Status == result.Queued {
		return 0
	}
	return 1
}

// recoverRun restores one run.
func (c *Coordinator) recoverRun(ctx context.Context, archived archive.RunRecord) error {
	suite, err := c.archive.Suite(ctx, archived.Suite)
	if err != nil {
		return fmt.Errorf("read suite %s: %w", archived.Suite, err)
	}
	r, err := record.Open(c.config.Reader, suite, archived)
	if err != nil {
		return c.failUnrecoverable(ctx, archived, err)
	}
	if _, err := c.readSuite(ctx, suite.ID); err != nil {
		return err
	}
	fingerprintBoots(&r.State)
	c.log.Info("run is recovered", "run", archived.ID, "status", archived.Status)
	if archived.Status == result.Queued {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.queue = append(c.queue, r)
		return nil
	}
	return c.recoverConductor(ctx, r)
}

// fingerprintBoots replaces the boot ids that an older build has archived.
func fingerprintBoots(state *record.State) {
	for i := range state.Life.Shards {
		state.Life.Shards[i].Boot = roster.Archived(state.Life.Shards[i].Boot)
	}
	if state.Pending != nil {
		state.Pending.Boot = roster.Archived(state.Pending.Boot)
	}
}

// recoverConductor gives a run a new conductor.
func (c *Coordinator) recoverConductor(ctx context.Context, r *record.Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := r.Archived.ID
	events, err := c.archive.Events(ctx, id)
	if err != nil {
		return fmt.Errorf("read events of run %s: %w", id, err)
	}
	cd, err := conductor.Recover(c.conductorConfig(), r, c.archive.Windows(ctx, id), events)
	if err != nil {
		return err
	}
	for _, sh := range r.State.Life.Shards {
		if sh.Held() {
			c.roster.Expect(sh.Agent, sh.Boot, id)
		}
	}
	c.take(cd)
	return nil
}
