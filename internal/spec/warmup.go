package spec

import (
	"time"

	"github.com/benchd/benchd/internal/plan"
)

// steadyWithin bounds a warm-up that lasts until the run is steady where nothing else is said.
const steadyWithin = "10m0s"

// settleWarmup decides what ends the warm-up where more than one thing is said.
func (j *judge) settleWarmup() {
	j.rivals("warmup.ops", "warmup.until")
	e, until := j.given["warmup.until"]
	if !until || j.value("phase") == "load" || j.bad["warmup"] || j.value("warmup") != j.table.defaultOf("warmup") {
		return
	}
	e.key, _ = j.table.find("warmup")
	e.value = steadyWithin
	j.given["warmup"] = e
}

// judgeWarmup judges whether the warm-up can do what is asked of it.
func (j *judge) judgeWarmup(s plan.Settings) {
	if !j.sound("phase", "warmup", "warmup.ops", "warmup.until", "interval") {
		return
	}
	if !s.Run {
		for _, name := range []string{"warmup", "warmup.ops", "warmup.until"} {
			if e, ok := j.given[name]; ok && !e.idle() {
				j.warn(e, "has no effect in a load: a warm-up comes before measuring")
			}
		}
		return
	}
	if least := plan.SteadyIntervals*s.Interval + time.Second; s.WarmupUntil == plan.Steady && s.Warmup < least {
		j.fail(j.said("warmup"), "%v is too short to see whether the run is steady: that takes %d intervals of %v and a second more; write warmup=%v or more, or a shorter interval",
			s.Warmup, plan.SteadyIntervals, s.Interval, least)
	}
}
