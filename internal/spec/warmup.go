package spec

import (
	"time"

	"github.com/benchd/benchd/internal/plan"
)

// steadyWithin is the default bound of a warm-up until the run is steady.
const steadyWithin = "10m0s"

// settleWarmup resolves conflicting settings of the warm-up.
func (r *resolver) settleWarmup() {
	r.rivals("warmup.ops", "warmup.until")
	e, until := r.given["warmup.until"]
	if !until || r.value("phase") == "load" || r.bad["warmup"] || r.value("warmup") != r.table.defaultOf("warmup") {
		return
	}
	e.key, _ = r.table.find("warmup")
	e.value = steadyWithin
	r.given["warmup"] = e
}

// validateWarmup validates the settings of the warm-up.
func (r *resolver) validateWarmup(s plan.Settings) {
	if !r.sound("phase", "warmup", "warmup.ops", "warmup.until", "interval") {
		return
	}
	if !s.Run {
		for _, name := range []string{"warmup", "warmup.ops", "warmup.until"} {
			if e, ok := r.given[name]; ok && !e.idle() {
				r.warn(e, "has no effect in a load: a warm-up precedes measuring")
			}
		}
		return
	}
	if least := plan.SteadyIntervals*s.Interval + time.Second; s.WarmupUntil == plan.Steady && s.Warmup < least {
		r.fail(r.setting("warmup"), "%v is too short to detect a steady state, which takes %d intervals of %v and one second; write warmup=%v or more, or a shorter interval",
			s.Warmup, plan.SteadyIntervals, s.Interval, least)
	}
}
