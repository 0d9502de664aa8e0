package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// slot identifies an attempt of a shard at a phase.
type slot struct {
	shard, attempt int
	phase          plan.PhaseName
}

// windows counts the archived windows. The archive passes each on once. The conductor's loop owns it.
type windows struct {
	merged map[slot]int
	newest clock.Instant // when the last window came; zero if none has since the coordinator was started
}

// add counts a window.
func (ws *windows) add(w *latency.Window) slot {
	at := slot{w.ID.Shard, w.ID.Attempt, plan.PhaseName(w.ID.Phase)}
	ws.merged[at]++
	return at
}

// have reports whether the given number of windows of a slot is archived.
func (ws *windows) have(at slot, windows int) bool { return ws.merged[at] >= windows }

// anyOf reports whether there are windows of matching phases.
func (ws *windows) anyOf(phases func(plan.PhaseName) bool) bool {
	for at := range ws.merged {
		if phases(at.phase) {
			return true
		}
	}
	return false
}

// cameWithin reports whether a window came within the last d.
func (ws *windows) cameWithin(d time.Duration) bool { return ws.newest.Elapsed() < d }
