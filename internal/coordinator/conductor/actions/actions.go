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

// DefaultTimeout is the timeout of actions that set none.
const DefaultTimeout = 10 * time.Minute

const (
	// mark separates a run's id from the number of the action in an action's id.
	mark = "#"
	// retryEvery is the pause between two attempts to find an agent for an action.
	retryEvery = time.Second
)

// Conductor is the run's conductor as its actions use it. They call it in its loop.
type Conductor interface {
	Post(do func())             // runs do in the loop, later
	Step(event lifecycle.Event) // applies an event of an action to the run
	Note(kind, text string)     // adds an event to the timeline
	Persist()
	Persisted() bool // reports whether the whole state of the run is archived
	Settled() bool   // reports whether the run's phase and time are known
	Sealed() bool
	Date() time.Time
	Elapsed() time.Duration // returns the run's time
}

// Config configures the actions of a run. All fields must be set.
type Config struct {
	Run       *record.Run
	Conductor Conductor
	Roster    *roster.Roster
	Grace     time.Duration   // how long an agent may be away before its action is abandoned
	Life      context.Context //nolint:containedctx // of the coordinator
}

// Actions are the actions of one run. They belong to its conductor's loop.
type Actions struct {
	Config

	ordered clock.Instant // when the pending action was ordered; zero if before a restart
	missed  clock.Instant // when its agent was first seen disconnected
}

// New returns the actions of a run.
func New(config Config) *Actions { return &Actions{Config: config} }

// RunOf returns the run of the action with this id; ok is false for an action that a user requested.
func RunOf(id string) (run string, ok bool) {
	run, _, ok = strings.Cut(id, mark)
	return run, ok
}

func (a *Actions) id() string { return a.Run.Archived.ID }

// pending returns the action in progress, or nil.
func (a *Actions) pending() *record.PendingAction { return a.Run.State.Pending }

// Do runs the action that the lifecycle waits for on an agent of the run.
func (a *Actions) Do(action lifecycle.DoAction) {
	what := plan.ParseAction(action.Name)
	if a.pending() == nil && !a.assign(record.PendingAction{Name: what.Name, Args: what.Args}) {
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

// Recover continues, after a restart, an action that the lifecycle does not wait for.
func (a *Actions) Recover() {
	if p := a.pending(); p != nil && p.Timed {
		a.carryOut()
	}
}

// Tick abandons an action whose agent is away for too long, and starts the next action that is due.
func (a *Actions) Tick(now clock.Instant) {
	a.checkExecutor(now)
	a.beginTimed()
}

// carryOut orders the pending action and starts its timeout. After a restart the timeout starts again, because the
// elapsed time is unknown; the agent enforces it, too.
func (a *Actions) carryOut() {
	p := a.pending()
	time.AfterFunc(a.timeout()+roster.AnswerAfter, func() {
		a.Conductor.Post(func() {
			a.end(p.ID, "no answer within "+a.timeout().String()+": whether it was done is not known")
		})
	})
	a.Order()
}

// assign picks the executor of an action, and archives the action before it is ordered.
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
	a.Conductor.Note("action", fmt.Sprintf("%s begins on agent %s", &p, m.Name))
	if p.Timed {
		a.timedBegan(&p)
	}
	a.Conductor.Persist()
	return true
}

// executor picks the agent for an action: the steward if it is connected, else another agent of the run. A hook runs on
// an agent that allows it, which need not be one of the run.
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

// Order sends the pending action to its agent, if that is connected and still the same process.
func (a *Actions) Order() {
	p := a.pending()
	switch {
	case p == nil:
		return
	case !a.Conductor.Persisted(): // it is sent once it is archived
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

// Answered handles the answer of the agent that runs the pending action.
func (a *Actions) Answered(agent, boot string, answer *benchdv1.ActionAnswer) {
	p := a.pending()
	if p == nil || p.ID != answer.GetId() || p.Agent != agent || !roster.Same(p.Boot, boot) {
		return // it was abandoned
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

// end continues the run after an action has ended or failed.
func (a *Actions) end(id, failed string) {
	p := a.pending()
	if p == nil || p.ID != id {
		return
	}
	a.Run.State.Pending = nil
	took := ""
	if !a.ordered.IsZero() { // else the duration is unknown
		took = " after " + a.ordered.Elapsed().Round(100*time.Millisecond).String()
	}
	if failed != "" {
		a.Conductor.Note("action", fmt.Sprintf("%s failed%s: %s", p, took, failed))
	} else {
		a.Conductor.Note("action", fmt.Sprintf("%s ended%s", p, took))
	}
	if p.Timed {
		a.timedEnded(cmp.Or(failed, "done"))
		if p.Name == plan.Hook { // archived together with its end, or the run would wait forever after a restart
			a.Conductor.Step(lifecycle.Holding{})
		}
		if !a.Conductor.Sealed() {
			a.Conductor.Persist()
		}
		return
	}
	a.Conductor.Step(lifecycle.ActionEnded{Error: failed})
}

// AgentLost abandons an action whose agent is lost. No other agent repeats it, because it may have been done.
func (a *Actions) AgentLost(agent string) {
	if p := a.pending(); p != nil && p.Agent == agent {
		a.end(p.ID, fmt.Sprintf("agent %s was lost meanwhile: whether it was done is not known", agent))
	}
}

// checkExecutor abandons an action whose agent has been away for longer than the grace period, or was restarted. The
// agent of a hook need not be one of the run's, whose loss the run notices itself.
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

// Finish abandons the pending action, because the run ends, and clears the run's faults.
func (a *Actions) Finish() {
	a.giveUp()
	a.clearFaults()
}

// giveUp asks the agent to cancel the pending action. A hook is not cancelled: it may have stopped a server and be about
// to start it again.
func (a *Actions) giveUp() {
	a.noteLeftOut()
	p := a.pending()
	if p == nil {
		return
	}
	a.Run.State.Pending = nil
	if p.Timed {
		a.Conductor.Note("action", p.String()+" is still in progress at the end of the run, which does not wait for it")
		a.timedEnded(result.StillGoing)
	} else {
		a.Conductor.Note("action", p.String()+" is cancelled: the target may still be working on it")
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
