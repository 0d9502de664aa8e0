package conductor

import (
	"fmt"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

const (
	// maxNames bounds the operations, with their outcomes, that one shard may add to a phase of its run: each costs memory for
	// its histograms, and is a label of metrics. A shard of HBase reports less than fifty.
	maxNames = 128
	// maxRunNames bounds those of all shards, so that one that adds too many leaves room for the others.
	maxRunNames = maxNames + maxNames/2
	// maxAhead is how far the end of a window may be ahead of the time of its run.
	maxAhead = time.Hour
)

// admission decides which windows of a shard's agent the run accepts. The sessions of all agents of the run use it.
type admission struct {
	mu      sync.Mutex
	names   map[string]map[latency.Key]attempt // by phase, with the attempt that reported it first
	refused map[attempt]string                 // attempts of shards whose windows are refused, with the reasons
}

// attempt is an attempt of a shard.
type attempt struct{ shard, number int }

func attemptOf(id latency.WindowID) attempt { return attempt{id.Shard, id.Attempt} }

// admit returns why a window is refused, or "". Ahead is how far its end is ahead of the run. Once it refuses a window, it
// refuses all later ones of that attempt: fresh is true for the first.
func (a *admission) admit(w *latency.Window, ahead time.Duration) (why string, fresh bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := attemptOf(w.ID)
	if why := a.refused[of]; why != "" {
		return why, false
	}
	if ahead > maxAhead {
		why = fmt.Sprintf("sent a window that ends %s ahead of its run", ahead.Round(time.Second))
	} else {
		why = a.add(w)
	}
	if why != "" {
		if a.refused == nil {
			a.refused = make(map[attempt]string)
		}
		a.refused[of] = why
	}
	return why, why != ""
}

// add adds the names of a window, or returns why there are too many.
func (a *admission) add(w *latency.Window) string {
	of, known := attemptOf(w.ID), a.names[w.ID.Phase]
	var fresh []latency.Key
	for i := range w.Series {
		if _, is := known[w.Series[i].Key]; !is {
			fresh = append(fresh, w.Series[i].Key)
		}
	}
	if len(fresh) == 0 {
		return ""
	}
	own := len(fresh)
	for _, by := range known {
		if by == of {
			own++
		}
	}
	if own > maxNames || len(known)+len(fresh) > maxRunNames {
		return fmt.Sprintf("reported more than %d operations with their outcomes in a phase", min(own, maxNames))
	}
	if known == nil {
		known = make(map[latency.Key]attempt)
		if a.names == nil {
			a.names = make(map[string]map[latency.Key]attempt)
		}
		a.names[w.ID.Phase] = known
	}
	for _, key := range fresh {
		known[key] = of
	}
	return ""
}

// refuses reports whether the windows of an attempt are refused.
func (a *admission) refuses(of attempt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused[of] != ""
}

// Admit decides whether the run accepts a window, of a shard that the agent holds. It refuses all further windows of a shard
// of which it has refused one, and the run continues as if the shard's agent were lost.
func (cd *Conductor) Admit(w *latency.Window) bool {
	p := cd.Progress()
	why, fresh := p.admission.admit(w, p.ahead(w))
	if fresh {
		cd.mail.post(func() {
			shards := cd.run.State.Life.Shards
			if i := w.ID.Shard; i < len(shards) && shards[i].Attempt == w.ID.Attempt {
				cd.c.Logger.Warn("shard refused", "shard", i, "agent", shards[i].Agent, "reason", why)
				cd.agents.stop(i, why)
				cd.lost(i, "was lost: it "+why)
			}
		})
	}
	return why == ""
}

// ahead returns how far the end of a window is ahead of the time of the run.
func (p *Progress) ahead(w *latency.Window) time.Duration {
	view := p.now()
	if !p.base.anchored.Load() { // after a restart, its time is not known yet
		return 0
	}
	began, known := view.began[plan.PhaseName(w.ID.Phase)]
	if !known { // it has just started
		began = p.base.elapsed()
	}
	return began + w.End - p.base.elapsed()
}
