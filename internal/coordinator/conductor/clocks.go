package conductor

import (
	"context"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

// clocksWithin bounds the probing of clocks before a start.
const clocksWithin = 5 * time.Second

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
			ctx, cancel := context.WithTimeout(cd.c.Life, clocksWithin)
			defer cancel()
			var wg sync.WaitGroup
			for _, s := range sessions {
				wg.Go(func() { cd.mail.beside(func() { s.Burst(ctx) }) })
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
