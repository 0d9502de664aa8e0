package coordinator

import (
	"fmt"
	"maps"
	"time"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// doActions begins the next action whose time has come, one after another: what is late because the one before it took
// long, or because nobody was there to do it, is begun as soon as it can be. It runs in the loop, at every tick.
func (cd *conductor) doActions() {
	list, n := cd.run.Settings.Actions, len(cd.run.State.Timed)
	life := cd.run.State.Life
	if n >= len(list) || cd.run.State.Pending != nil || life.Status != result.Running || !cd.settled || !cd.anchored.Load() {
		return
	}
	began, ok := cd.run.Began(plan.Measure)
	if !ok || !life.InSegment(plan.Measure) || !life.AtWork() {
		return
	}
	if at := time.Duration(cd.c.clock.Now()-cd.epoch.Load()) - began; at < list[n].At {
		return
	}
	if cd.choose(record.PendingAction{Name: list[n].Name, Args: list[n].Args, Timed: true}) {
		cd.pursue()
	}
}

// orderedArgs are what an agent is ordered to do it with. The end of a compaction is waited for, so that it has one.
func orderedArgs(d *record.PendingAction) map[string]string {
	if _, said := d.Args["wait"]; !d.Timed || said || d.Name != "compact" && d.Name != "major_compact" {
		return d.Args
	}
	args := maps.Clone(d.Args)
	if args == nil {
		args = make(map[string]string)
	}
	args["wait"] = "true"
	return args
}

func (cd *conductor) begunTimed(d *record.PendingAction) {
	phase, at := cd.now()
	cd.run.State.Timed = append(cd.run.State.Timed, record.TimedAction{
		Action: result.Action{Do: d.String(), T: at.Seconds()}, Phase: phase, Agent: d.Agent, Fault: d.Name == plan.Fault,
	})
	if d.Name == plan.Hook {
		cd.step(lifecycle.Holding{By: d.String()})
	}
}

func (cd *conductor) endedTimed(outcome string) {
	list := cd.run.State.Timed
	if len(list) == 0 {
		return
	}
	one := &list[len(list)-1]
	one.Outcome = outcome
	if began, ok := cd.run.Began(one.Phase); ok {
		at := time.Duration(cd.c.clock.Now()-cd.epoch.Load()) - began
		one.Seconds = max(0, at.Seconds()-one.T)
	}
}

// leaveTimed notes what was not begun before the run was over.
func (cd *conductor) leaveTimed() {
	list := cd.run.Settings.Actions
	if _, begun := cd.run.Began(plan.Measure); !begun {
		return
	}
	for _, a := range list[min(len(cd.run.State.Timed), len(list)):] {
		cd.note("action", fmt.Sprintf("%s at %s is not begun: the run was over", a, a.At))
	}
}
