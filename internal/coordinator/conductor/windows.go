package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// slot names a shard's phase.
type slot struct {
	shard, attempt int
	phase          plan.PhaseName
}

// windows counts those that are safe. The archive has let each through once. It belongs to the conductor's loop.
type windows struct {
	merged map[slot]int
	newest clock.Instant // when some came last; zero where none has since the coordinator was started
}

// add counts a window.
func (ws *windows) add(w *latency.Window) slot {
	at := slot{w.ID.Shard, w.ID.Attempt, plan.PhaseName(w.ID.Phase)}
	ws.merged[at]++
	return at
}

// have reports whether so many windows of a slot are safe.
func (ws *windows) have(at slot, windows int) bool { return ws.merged[at] >= windows }

// anyOf reports whether there are windows of some phases.
func (ws *windows) anyOf(phases func(plan.PhaseName) bool) bool {
	for at := range ws.merged {
		if phases(at.phase) {
			return true
		}
	}
	return false
}

// cameWithin reports whether some came so recently.
func (ws *windows) cameWithin(d time.Duration) bool { return ws.newest.Elapsed() < d }
