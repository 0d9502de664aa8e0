package actions

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// beginTimed starts the next timed action that is due, one at a time. An action that is overdue, because the one before
// it took long or no agent was connected, starts as soon as possible.
func (a *Actions) beginTimed() {
	list, n := a.Run.Settings.Actions, len(a.Run.State.Timed)
	life := a.Run.State.Life
	if n >= len(list) || a.pending() != nil || life.Status != result.Running || !a.Conductor.Settled() {
		return
	}
	began, ok := a.Run.Began(plan.Measure)
	if !ok || !life.InSegment(plan.Measure) || !life.AtWork() {
		return
	}
	if a.Conductor.Elapsed()-began < list[n].At {
		return
	}
	if a.assign(record.PendingAction{Name: list[n].Name, Args: list[n].Args, Timed: true}) {
		a.carryOut()
	}
}

// orderedArgs returns the arguments sent to the agent, with those that are implied during the measurement.
func (a *Actions) orderedArgs(p *record.PendingAction) map[string]string {
	list := a.Run.Settings.Actions
	i := slices.IndexFunc(list, func(one plan.Action) bool { return p.Timed && one.Name == p.Name })
	if i < 0 || len(list[i].Implied) == 0 {
		return p.Args
	}
	args := maps.Clone(list[i].Implied)
	maps.Copy(args, p.Args)
	return args
}

func (a *Actions) timedBegan(p *record.PendingAction) {
	phase, at := a.Run.PhaseAt(a.Conductor.Elapsed())
	a.Run.State.Timed = append(a.Run.State.Timed, record.TimedAction{
		Action: result.Action{Do: p.String(), T: at.Seconds()}, Phase: phase, Agent: p.Agent, Fault: p.Name == plan.Fault,
	})
	if p.Name == plan.Hook {
		a.Conductor.Step(lifecycle.Holding{By: p.String()})
	}
}

func (a *Actions) timedEnded(outcome string) {
	list := a.Run.State.Timed
	if len(list) == 0 {
		return
	}
	one := &list[len(list)-1]
	one.Outcome = outcome
	if began, ok := a.Run.Began(one.Phase); ok {
		one.Seconds = max(0, (a.Conductor.Elapsed()-began).Seconds()-one.T)
	}
}

// noteLeftOut notes the actions that had not started when the run ended.
func (a *Actions) noteLeftOut() {
	list := a.Run.Settings.Actions
	if _, begun := a.Run.Began(plan.Measure); !begun {
		return
	}
	for _, one := range list[min(len(a.Run.State.Timed), len(list)):] {
		a.Conductor.Note("action", fmt.Sprintf("%s at %s was not started: the run had ended", one, one.At))
	}
}
