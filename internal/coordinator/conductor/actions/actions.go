package actions

import (
	"cmp"
	"context"
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

// DefaultTimeout is how long an action may take where no timeout was given.
const DefaultTimeout = 10 * time.Minute

const (
	// mark stands between a run's id and the number of an action in the action's id.
	mark = "#"
	// retryEvery is between two looks for an agent that can do it.
	retryEvery = time.Second
)

// Conductor is what the actions of a run need of the run's conductor. They call it in its loop.
type Conductor interface {
	Post(do func())             // do runs in the loop, later
	Step(event lifecycle.Event) // the run goes on with what has become of an action
	Note(kind, text string)     // into the timeline
	Persist()
	Persisted() bool // the archive has all of the run's state
	Settled() bool   // it is known where the run is, and what time it has
	Sealed() bool
	Date() time.Time
	Elapsed() time.Duration // the run's time
}

// Config says whose actions they are. All fields must be set.
type Config struct {
	Run       *record.Run
	Conductor Conductor
	Roster    *roster.Roster
	Grace     time.Duration   // that an agent may be away before its action is given up
	Life      context.Context //nolint:containedctx // of the coordinator
}

// Actions are those of one run. They belong to its conductor's loop.
type Actions struct {
	Config

	ordered clock.Instant // when the pending action was; zero where that was before a restart
	missed  clock.Instant // since when its agent is not connected
}

// New returns the actions of a run.
func New(config Config) *Actions { return &Actions{Config: config} }

// RunOf is the run whose action an id is of; false where somebody else has asked for it.
func RunOf(id string) (run string, ok bool) {
	run, _, ok = strings.Cut(id, mark)
	return run, ok
}

func (a *Actions) id() string { return a.Run.Archived.ID }

// pending is the action that is under way; nil for none.
func (a *Actions) pending() *record.PendingAction { return a.Run.State.Pending }

// Do has an agent of the run do the action that the lifecycle waits for.
func (a *Actions) Do(action lifecycle.DoAction) {
	if a.pending() == nil && !a.assign(record.PendingAction{Name: action.Name}) {
		time.AfterFunc(retryEvery, func() { a.Conductor.Post(func() { a.retry(action) }) })
		return
	}
	a.carryOut()
}

func (a *Actions) retry(action lifecycle.DoAction) {
	if life := a.Run.State.Life; life.ActionPending && !life.Status.Ended() && a.pending() == nil {
		a.Do(action)
	}
}

// Recover goes on, after a restart, with an action that the lifecycle does not wait for.
func (a *Actions) Recover() {
	if p := a.pending(); p != nil && p.Timed {
		a.carryOut()
	}
}

// Tick gives up an action whose agent is away for too long, and begins the one whose time has come.
func (a *Actions) Tick(now clock.Instant) {
	a.checkExecutor(now)
	a.beginTimed()
}

// carryOut has the pending action done. After a restart its time begins again, because nobody knows how long that took: its
// agent bounds it, too.
func (a *Actions) carryOut() {
	p := a.pending()
	time.AfterFunc(a.timeout()+roster.AnswerAfter, func() {
		a.Conductor.Post(func() {
			a.end(p.ID, "no answer within "+a.timeout().String()+": whether it was done is not known")
		})
	})
	a.Order()
}

// assign picks the executor of an action, and archives that it is about to be done.
func (a *Actions) assign(p record.PendingAction) bool {
	m := a.executor(&p)
	if m == nil {
		return false
	}
	state := &a.Run.State
	state.Ordered++
	p.ID, p.Agent, p.Boot = a.id()+mark+strconv.Itoa(state.Ordered), m.Name, m.Boot()
	p.Begun, a.ordered = a.Conductor.Date(), clock.Mono()
	state.Pending = &p
	a.Conductor.Note("action", fmt.Sprintf("%s begins, by agent %s", &p, m.Name))
	if p.Timed {
		a.timedBegan(&p)
	}
	a.Conductor.Persist()
	return true
}

// executor is the agent for an action: the steward if it is there, else another of the run. A hook is done by one that
// allows it, which need not be of the run.
func (a *Actions) executor(p *record.PendingAction) *roster.Agent {
	fit := func(m *roster.Agent) bool {
		_, connected := m.Connected()
		return connected && (p.Name != plan.Hook || m.Allows(p.Args[plan.HookArg]))
	}
	for _, sh := range a.Run.State.Life.Shards {
		if m := a.Roster.Get(sh.Agent); m != nil && sh.State != lifecycle.Lost && fit(m) {
			return m
		}
	}
	if p.Name == plan.Hook {
		for _, m := range a.Roster.All() {
			if fit(m) {
				return m
			}
		}
	}
	return nil
}

// Order sends the pending action to its agent, if that is there and still the same process.
func (a *Actions) Order() {
	p := a.pending()
	switch {
	case p == nil:
		return
	case !a.Conductor.Persisted(): // it goes out when it is archived
		time.AfterFunc(retryEvery, func() { a.Conductor.Post(a.Order) })
		return
	}
	m := a.Roster.Get(p.Agent)
	if m == nil || m.Boot() != p.Boot {
		return
	}
	if s, ok := m.Connected(); ok {
		s.Send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Action{Action: &benchdv1.ActionOrder{
			Id: p.ID, Run: a.id(), Target: a.Run.Settings.DB, Name: p.Name, Args: a.orderedArgs(p), Properties: a.Run.Archived.Properties,
			TimeoutNs: int64(a.timeout()),
		}}})
	}
}

func (a *Actions) timeout() time.Duration {
	return cmp.Or(a.Run.Settings.ActionTimeout, DefaultTimeout)
}

// Answered takes the answer of the agent that has the order.
func (a *Actions) Answered(agent string, answer *benchdv1.ActionAnswer) {
	p := a.pending()
	if p == nil || p.ID != answer.GetId() || p.Agent != agent {
		return // it was given up
	}
	if err := roster.Failure(agent, answer); err != nil {
		a.end(p.ID, err.Error())
		return
	}
	var found load.Answer
	if err := json.Unmarshal(answer.GetAnswer(), &found); err == nil {
		for _, line := range found.Text {
			a.Conductor.Note("action", p.String()+": "+wire.Text(line))
		}
	}
	a.end(p.ID, "")
}

// end goes on after an action, or without it.
func (a *Actions) end(id, failed string) {
	p := a.pending()
	if p == nil || p.ID != id {
		return
	}
	a.Run.State.Pending = nil
	took := ""
	if !a.ordered.IsZero() { // else nobody knows
		took = " after " + a.ordered.Elapsed().Round(100*time.Millisecond).String()
	}
	if failed != "" {
		a.Conductor.Note("action", fmt.Sprintf("%s failed%s: %s", p, took, failed))
	} else {
		a.Conductor.Note("action", fmt.Sprintf("%s ended%s", p, took))
	}
	if p.Timed {
		a.timedEnded(cmp.Or(failed, "done"))
		if p.Name == plan.Hook { // archived at once with its end, or the run would wait forever after a restart
			a.Conductor.Step(lifecycle.Holding{})
		}
		if !a.Conductor.Sealed() {
			a.Conductor.Persist()
		}
		return
	}
	a.Conductor.Step(lifecycle.ActionEnded{Error: failed})
}

// AgentLost gives up an action whose agent is gone: it may have been done, so nobody else does it.
func (a *Actions) AgentLost(agent string) {
	if p := a.pending(); p != nil && p.Agent == agent {
		a.end(p.ID, fmt.Sprintf("agent %s was lost meanwhile: whether it was done is not known", agent))
	}
}

// checkExecutor gives up an action whose agent has been away for the time that agents have to come back, or is another
// process: a hook's agent need not be one of the run's, whose loss the run hears of.
func (a *Actions) checkExecutor(now clock.Instant) {
	p := a.pending()
	if p == nil {
		a.missed = clock.Instant{}
		return
	}
	here, boot := false, ""
	if m := a.Roster.Get(p.Agent); m != nil {
		_, here = m.Connected()
		boot = m.Boot()
	}
	switch {
	case here && boot == p.Boot:
		a.missed = clock.Instant{}
	case here:
		a.AgentLost(p.Agent)
	case a.missed.IsZero():
		a.missed = now
	case now.Sub(a.missed) > a.Grace:
		a.AgentLost(p.Agent)
	}
}

// Finish gives up the pending action, because the run ends, and clears the run's faults.
func (a *Actions) Finish() {
	a.giveUp()
	a.clearFaults()
}

// giveUp asks the agent to cancel the action that nobody waits for any more. A hook is left to its own end: it may have
// stopped a server and be about to start it again.
func (a *Actions) giveUp() {
	a.noteLeftOut()
	p := a.pending()
	if p == nil {
		return
	}
	a.Run.State.Pending = nil
	if p.Timed {
		a.Conductor.Note("action", p.String()+" still goes on at the end of the run, which does not wait for it")
		a.timedEnded(result.StillGoing)
	} else {
		a.Conductor.Note("action", p.String()+" is given up: what was begun may go on")
	}
	if p.Name == plan.Hook {
		return
	}
	if m := a.Roster.Get(p.Agent); m != nil {
		if s, ok := m.Connected(); ok {
			s.CancelAction(p.ID)
		}
	}
}
