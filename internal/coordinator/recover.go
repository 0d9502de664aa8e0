package coordinator

import (
	"context"
	"fmt"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

// recover takes up the runs that the archive has and that have not ended: queued ones are queued again, the
// others get their conductors back and wait for their agents.
func (c *Coordinator) recover(ctx context.Context) error {
	unfinished, err := c.archive.Unfinished(ctx)
	if err != nil {
		return fmt.Errorf("read unended runs: %w", err)
	}
	for _, archived := range unfinished {
		suite, err := c.archive.Suite(ctx, archived.Suite)
		if err != nil {
			return fmt.Errorf("read suite %s: %w", archived.Suite, err)
		}
		r, err := openRun(suite, archived)
		if err != nil {
			c.log.Error("a run cannot be taken up", "run", archived.ID, "error", err)
			continue
		}
		c.log.Info("run is taken up", "run", archived.ID, "status", archived.Status)
		if archived.Status == result.Queued {
			c.queue = append(c.queue, r)
			continue
		}
		if err := c.resume(ctx, r, archived); err != nil {
			return err
		}
	}
	return nil
}

// resume gives a run its conductor back, with the windows that are in the archive.
func (c *Coordinator) resume(ctx context.Context, r *run, archived archive.RunRecord) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	cd := newConductor(c, r)
	for w, err := range c.archive.Windows(ctx, archived.ID) {
		if err != nil {
			return fmt.Errorf("read windows of run %s: %w", archived.ID, err)
		}
		if _, err := cd.builder.Add(w); err != nil {
			return fmt.Errorf("take up run %s: %w", archived.ID, err)
		}
		cd.mark(w)
	}
	for _, sh := range r.record.Life.Shards {
		if sh.State != lifecycle.Gone {
			c.roster.expect(sh.Agent, sh.Boot, archived.ID)
		}
	}
	c.conductors[archived.ID] = cd
	cd.post(func() {
		cd.note("coordinator", "the coordinator was started again")
		for i, sh := range r.record.Life.Shards {
			for _, e := range sh.Ended {
				cd.checkMerged(i, e.Phase)
			}
			if sh.State != lifecycle.Gone {
				cd.gone(i)
			}
		}
		cd.execute(cd.run.record.Life.Resume())
	})
	c.perform(cd)
	return nil
}
