package conductor

import (
	"context"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/result"
)

const (
	// startLead is how far ahead a start is announced; agents whose round trips are long get more.
	startLead = 300 * time.Millisecond
	mostLead  = 5 * time.Second
	// clocksWithin bounds the probing before a start.
	clocksWithin = 5 * time.Second
)

// probe measures the clocks of all live agents until it knows them, and lets the run go on then. An agent that is away is
// waited for: it comes back, or is lost.
func (cd *Conductor) probe() {
	if cd.probing {
		return
	}
	cd.probing = true
	var sessions []*roster.Session
	for _, m := range cd.held() {
		if m == nil {
			continue
		}
		if s, ok := m.Connected(); ok {
			sessions = append(sessions, s)
		}
	}
	cd.c.Host.Task(func() {
		cd.beside(func() {
			ctx, cancel := context.WithTimeout(cd.c.Life, clocksWithin)
			defer cancel()
			var wg sync.WaitGroup
			for _, s := range sessions {
				wg.Go(func() { cd.beside(func() { s.Burst(ctx) }) })
			}
			wg.Wait()
			cd.post(cd.probed)
		})
	})
}

func (cd *Conductor) probed() {
	cd.probing = false
	if len(cd.away) == 0 && clocksKnown(cd.held(), cd.c.Clock.Now()) {
		cd.step(lifecycle.ClocksKnown{})
		return
	}
	time.AfterFunc(roster.ProbeEvery, func() {
		cd.post(func() {
			if status := cd.run.State.Life.Status; status == result.Preparing || status == result.Running {
				cd.probe()
			}
		})
	})
}

// held are the agents of the shards that are held; nil where the roster does not have one.
func (cd *Conductor) held() []*roster.Agent {
	var agents []*roster.Agent
	for _, sh := range cd.run.State.Life.Shards {
		if sh.Held() {
			agents = append(agents, cd.c.Roster.Get(sh.Agent))
		}
	}
	return agents
}

func clocksKnown(agents []*roster.Agent, now int64) bool {
	for _, m := range agents {
		if m == nil {
			return false
		}
		if _, known := m.Estimate(now); !known {
			return false
		}
	}
	return true
}

// lead is how far ahead an instant must be announced.
func lead(agents []*roster.Agent, source *clock.Source) time.Duration {
	lead, now := startLead, source.Now()
	for _, m := range agents {
		if m == nil {
			continue
		}
		if est, ok := m.Estimate(now); ok {
			lead = min(max(lead, 10*time.Duration(est.Bound)), mostLead)
		}
	}
	return lead
}
