package conductor

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

const (
	// clocksWithin bounds the probing of clocks before a start, from the last agent whose probing begins.
	clocksWithin = 5 * time.Second
	// probePace is the minimum time between the beginnings of two agents' probing, and probeTogether how many are probed at once: thousands
	// of them would wait for each other, and their round trips would bound the clocks by as much. Of agents that are far away, some keep
	// the estimates from their periodic probes.
	probePace     = 500 * time.Microsecond
	probeTogether = 64
)

// probe measures the clocks of all live agents until they are known, and then continues the run. It waits for an agent
// that is away until that returns or is lost.
func (cd *Conductor) probe() {
	if cd.probing {
		return
	}
	cd.probing = true
	sessions := cd.agents.sessions()
	cd.c.Host.Task(func() {
		cd.mail.beside(func() {
			ctx, cancel := context.WithTimeout(cd.c.Life, clocksWithin+time.Duration(len(sessions))*probePace)
			defer cancel()
			pace := time.NewTicker(probePace)
			defer pace.Stop()
			together := semaphore.NewWeighted(probeTogether)
			var wg sync.WaitGroup
			for i, s := range sessions {
				if i > 0 {
					select {
					case <-pace.C:
					case <-ctx.Done():
					}
				}
				if together.Acquire(ctx, 1) != nil {
					break
				}
				wg.Go(func() {
					defer together.Release(1)
					cd.mail.beside(func() { s.Burst(ctx) })
				})
			}
			wg.Wait()
			cd.mail.post(cd.probed)
		})
	})
}

func (cd *Conductor) probed() {
	cd.probing = false
	if cd.agents.clocksKnown() {
		cd.step(lifecycle.ClocksKnown{})
		return
	}
	time.AfterFunc(roster.ProbeEvery, func() {
		cd.mail.post(func() {
			if status := cd.run.State.Life.Status; status == result.Preparing || status == result.Running {
				cd.probe()
			}
		})
	})
}
