package coordinator

import (
	"fmt"
	"maps"
	"time"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// timed is an action that was begun while the run was measured, as its result tells of it.
type timed struct {
	result.Action
	Phase plan.PhaseName `json:"phase"`
	Agent string         `json:"agent,omitempty"` // that was told to do it
	Fault bool           `json:"fault,omitempty"` // it is one of a sandbox, which the run's end ends
}

// doActions begins the next action whose time has come, one after another: what is late because the one before it took
// long, or because nobody was there to do it, is begun as soon as it can be. It runs in the loop, at every tick.
func (cd *conductor) doActions() {
	list, n := cd.run.settings.Actions, len(cd.run.record.Timed)
	life := cd.run.record.Life
	if n >= len(list) || cd.run.record.Deed != nil || life.Status != result.Running || !cd.settled || !cd.anchored.Load() {
		return
	}
	began, ok := cd.run.began(plan.Measure)
	if !ok || !life.InSegment(plan.Measure) || !life.AtWork() {
		return
	}
	if at := time.Duration(cd.c.clock.Now()-cd.epoch.Load()) - began; at < list[n].At {
		return
	}
	if cd.choose(deed{Name: list[n].Name, Args: list[n].Args, Timed: true}) {
		cd.pursue()
	}
}

// args are what an agent is ordered to do it with. The end of a compaction is waited for, so that it has one.
func (d *deed) args() map[string]string {
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

func (cd *conductor) begunTimed(d *deed) {
	phase, at := cd.now()
	cd.run.record.Timed = append(cd.run.record.Timed, timed{
		Action: result.Action{Do: d.String(), T: at.Seconds()}, Phase: phase, Agent: d.Agent, Fault: d.Name == plan.Fault,
	})
	if d.Name == plan.Hook {
		cd.step(lifecycle.Holding{By: d.String()})
	}
}

func (cd *conductor) endedTimed(outcome string) {
	list := cd.run.record.Timed
	if len(list) == 0 {
		return
	}
	one := &list[len(list)-1]
	one.Outcome = outcome
	if began, ok := cd.run.began(one.Phase); ok {
		at := time.Duration(cd.c.clock.Now()-cd.epoch.Load()) - began
		one.Seconds = max(0, at.Seconds()-one.T)
	}
}

// leaveTimed notes what was not begun before the run was over.
func (cd *conductor) leaveTimed() {
	list := cd.run.settings.Actions
	if _, begun := cd.run.began(plan.Measure); !begun {
		return
	}
	for _, a := range list[min(len(cd.run.record.Timed), len(list)):] {
		cd.note("action", fmt.Sprintf("%s at %s is not begun: the run was over", a, a.At))
	}
}

// actions puts what was done during phases into a result.
func (r *run) actions(phases []result.Phase) {
	for i := range phases {
		for _, t := range r.record.Timed {
			if string(t.Phase) == phases[i].Name {
				phases[i].Actions = append(phases[i].Actions, t.Action)
			}
		}
	}
}
