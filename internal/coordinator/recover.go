package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
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
		err := quarantine.Guard(func() error { return c.takeUp(ctx, archived) })
		if p, is := errors.AsType[*quarantine.PanicError](err); is {
			c.quarantine.Add(archived.Suite, "take up run "+archived.ID, p)
			c.mu.Lock()
			delete(c.conductors, archived.ID)
			c.mu.Unlock()
			err = c.cannotTakeUp(ctx, archived, p)
		}
		if err != nil {
			return err
		}
	}
	return c.stopRecovered(ctx)
}

// takeUp takes up one run.
func (c *Coordinator) takeUp(ctx context.Context, archived archive.RunRecord) error {
	suite, err := c.archive.Suite(ctx, archived.Suite)
	if err != nil {
		return fmt.Errorf("read suite %s: %w", archived.Suite, err)
	}
	r, err := record.Open(c.config.Reader, suite, archived)
	if err != nil {
		return c.cannotTakeUp(ctx, archived, err)
	}
	c.log.Info("run is taken up", "run", archived.ID, "status", archived.Status)
	if archived.Status == result.Queued {
		c.queue = append(c.queue, r)
		return nil
	}
	return c.resume(ctx, r, archived)
}

// resume gives a run its conductor back, with the windows that are in the archive.
func (c *Coordinator) resume(ctx context.Context, r *record.Run, archived archive.RunRecord) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	cd := newConductor(c, r)
	for w, err := range c.archive.Windows(ctx, archived.ID) {
		if err != nil {
			return fmt.Errorf("read windows of run %s: %w", archived.ID, err)
		}
		if _, err := cd.builder.Add(w); err != nil {
			cd.log.Error("take up window", "window", w.ID, "error", err)
		}
		cd.mark(w)
		cd.warmup.add(w)
	}
	events, err := c.archive.Events(ctx, archived.ID)
	if err != nil {
		return fmt.Errorf("read events of run %s: %w", archived.ID, err)
	}
	cd.tell(events...)
	life := r.State.Life
	cd.settled = r.State.Epoch == 0
	cd.unsure = !cd.settled && !cd.heardOf()
	cd.unheard = !cd.settled && !cd.heardOfChange()
	for _, sh := range life.Shards {
		if sh.Held() {
			c.roster.Expect(sh.Agent, sh.Boot, archived.ID)
		}
	}
	c.conductors[archived.ID] = cd
	cd.post(func() {
		cd.note("coordinator", "the coordinator was started again")
		for i, sh := range life.Shards {
			for _, e := range sh.Ended {
				cd.checkMerged(i, e.Phase)
			}
			if life.Status.Ended() {
				return
			}
			if sh.Held() {
				cd.gone(i)
			}
		}
		cd.execute(life.Resume())
		if d := cd.run.State.Pending; d != nil && d.Timed {
			cd.pursue()
		}
	})
	c.perform(cd)
	return nil
}

// heardOf reports whether an agent has given a sign of having begun the current segment.
func (cd *conductor) heardOf() bool {
	life := cd.run.State.Life
	if len(cd.run.State.Sends) > 0 || !slices.ContainsFunc(life.Shards, func(sh lifecycle.Shard) bool { return sh.State == lifecycle.Busy }) {
		return true
	}
	for at := range cd.merged {
		if life.InSegment(plan.PhaseName(at.phase)) {
			return true
		}
	}
	return slices.ContainsFunc(life.Shards, func(sh lifecycle.Shard) bool {
		return slices.ContainsFunc(sh.Ended, func(e lifecycle.Ended) bool { return life.InSegment(e.Phase) })
	})
}
