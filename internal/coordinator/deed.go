package coordinator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// deedMark stands between a run's id and the number of an action in the action's id.
	deedMark = "#"
	// deedRetry is between two looks for an agent that can do it.
	deedRetry = time.Second
)

// act has an agent of the run do what the lifecycle waits for. It runs in the loop, as all that follows.
func (cd *conductor) act(a lifecycle.Act) {
	if cd.run.State.Pending == nil && !cd.choose(record.PendingAction{Name: a.Name}) {
		time.AfterFunc(deedRetry, func() { cd.post(func() { cd.actAgain(a) }) })
		return
	}
	cd.pursue()
}

// pursue has what was archived done. After a restart its time begins again, because nobody knows how long that took: its
// agent bounds it, too.
func (cd *conductor) pursue() {
	d := cd.run.State.Pending
	time.AfterFunc(cd.actionTimeout()+roster.AnswerAfter, func() {
		cd.post(func() {
			cd.deedEnded(d.ID, "no answer within "+cd.actionTimeout().String()+": whether it was done is not known")
		})
	})
	cd.orderDeed()
}

func (cd *conductor) actAgain(a lifecycle.Act) {
	if life := cd.run.State.Life; life.Acting && !life.Status.Ended() && cd.run.State.Pending == nil {
		cd.act(a)
	}
}

// choose picks who does it, and archives that it is about to be done.
func (cd *conductor) choose(d record.PendingAction) bool {
	m := cd.doer(&d)
	if m == nil {
		return false
	}
	cd.run.State.Ordered++
	d.ID, d.Agent, d.Boot = cd.id+deedMark+strconv.Itoa(cd.run.State.Ordered), m.Name, m.Boot()
	d.Begun, cd.ordered = cd.date(), clock.Mono()
	cd.run.State.Pending = &d
	cd.note("action", fmt.Sprintf("%s begins, by agent %s", &d, m.Name))
	if d.Timed {
		cd.begunTimed(&d)
	}
	cd.persist(cd.c.life)
	return true
}

// doer is the agent for an action: the steward if it is there, else another of the run. A hook is done by one that allows
// it, which need not be of the run.
func (cd *conductor) doer(d *record.PendingAction) *roster.Agent {
	fit := func(m *roster.Agent) bool {
		_, connected := m.Connected()
		return connected && (d.Name != plan.Hook || m.Allows(d.Args[plan.HookArg]))
	}
	for i, sh := range cd.run.State.Life.Shards {
		if m := cd.member(i); m != nil && sh.State != lifecycle.Gone && fit(m) {
			return m
		}
	}
	if d.Name == plan.Hook {
		for _, m := range cd.c.roster.All() {
			if fit(m) {
				return m
			}
		}
	}
	return nil
}

// orderDeed sends the order to its agent, if that is there and still the same process.
func (cd *conductor) orderDeed() {
	d := cd.run.State.Pending
	switch {
	case d == nil:
		return
	case cd.dirty: // it goes out when it is archived
		time.AfterFunc(deedRetry, func() { cd.post(cd.orderDeed) })
		return
	}
	m := cd.c.roster.Get(d.Agent)
	if m == nil || m.Boot() != d.Boot {
		return
	}
	if s, ok := m.Connected(); ok {
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Action{Action: &benchdv1.ActionOrder{
			Id: d.ID, Run: cd.id, Target: cd.run.Settings.DB, Name: d.Name, Args: orderedArgs(d), Properties: cd.run.Archived.Properties,
			TimeoutNs: int64(cd.actionTimeout()),
		}}})
	}
}

func (cd *conductor) actionTimeout() time.Duration {
	return cmp.Or(cd.run.Settings.ActionTimeout, actWithin)
}

// answered takes the answer of the agent that was ordered.
func (cd *conductor) answered(agent string, answer *benchdv1.ActionAnswer) {
	d := cd.run.State.Pending
	if d == nil || d.ID != answer.GetId() || d.Agent != agent {
		return // it was given up
	}
	if err := roster.Failure(agent, answer); err != nil {
		cd.deedEnded(d.ID, err.Error())
		return
	}
	var found load.Answer
	if err := json.Unmarshal(answer.GetAnswer(), &found); err == nil {
		for _, line := range found.Text {
			cd.note("action", d.String()+": "+wire.Text(line))
		}
	}
	cd.deedEnded(d.ID, "")
}

// deedEnded goes on after an action, or without it.
func (cd *conductor) deedEnded(id, failed string) {
	d := cd.run.State.Pending
	if d == nil || d.ID != id {
		return
	}
	cd.run.State.Pending = nil
	took := ""
	if !cd.ordered.IsZero() { // else nobody knows
		took = " after " + cd.ordered.Elapsed().Round(100*time.Millisecond).String()
	}
	if failed != "" {
		cd.note("action", fmt.Sprintf("%s failed%s: %s", d, took, failed))
	} else {
		cd.note("action", fmt.Sprintf("%s ended%s", d, took))
	}
	if d.Timed {
		cd.endedTimed(cmp.Or(failed, "done"))
		if d.Name == plan.Hook { // archived at once with its end, or the run would wait for ever after a restart
			cd.step(lifecycle.Holding{})
		}
		if !cd.sealed {
			cd.persist(cd.c.life)
		}
		return
	}
	cd.step(lifecycle.Acted{Error: failed})
}

// deedLost gives up an action whose agent is gone: it may have been done, so nobody else does it.
func (cd *conductor) deedLost(agent string) {
	if d := cd.run.State.Pending; d != nil && d.Agent == agent {
		cd.deedEnded(d.ID, fmt.Sprintf("agent %s was lost meanwhile: whether it was done is not known", agent))
	}
}

// missDoer gives up an action whose agent has been away for the time that agents have to come back, or is another process. It
// runs in the loop, at every tick: a hook's agent need not be one of the run's, whose loss the run hears of.
func (cd *conductor) missDoer(now clock.Instant) {
	d := cd.run.State.Pending
	if d == nil {
		cd.missed = clock.Instant{}
		return
	}
	here, boot := false, ""
	if m := cd.c.roster.Get(d.Agent); m != nil {
		_, here = m.Connected()
		boot = m.Boot()
	}
	switch {
	case here && boot == d.Boot:
		cd.missed = clock.Instant{}
	case here:
		cd.deedLost(d.Agent)
	case cd.missed.IsZero():
		cd.missed = now
	case now.Sub(cd.missed) > cd.c.config.AgentGrace:
		cd.deedLost(d.Agent)
	}
}

// giveUpDeed tells the agent that nobody waits for the action any more, because the run ends. A hook is left to its own end:
// it may have stopped a server and be about to start it again.
func (cd *conductor) giveUpDeed() {
	cd.leaveTimed()
	d := cd.run.State.Pending
	if d == nil {
		return
	}
	cd.run.State.Pending = nil
	if d.Timed {
		cd.note("action", d.String()+" still goes on at the end of the run, which does not wait for it")
		cd.endedTimed(result.StillGoing)
	} else {
		cd.note("action", d.String()+" is given up: what was begun may go on")
	}
	if d.Name == plan.Hook {
		return
	}
	if m := cd.c.roster.Get(d.Agent); m != nil {
		if s, ok := m.Connected(); ok {
			s.CancelAction(d.ID)
		}
	}
}

// acted hands an answer to who waits for it: somebody who asked for it, or a run.
func (c *Coordinator) acted(m *roster.Agent, s *roster.Session, answer *benchdv1.ActionAnswer) {
	if run, _, ok := strings.Cut(answer.GetId(), deedMark); ok {
		if cd := c.conductor(run); cd != nil {
			cd.post(func() { cd.answered(m.Name, answer) })
		}
		return
	}
	s.Answered(answer)
}
