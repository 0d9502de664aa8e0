package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// maxActions is how many actions an agent remembers, so that it executes none twice.
	maxActions = 256
	// maxConcurrent is the maximum number of concurrent actions.
	maxConcurrent = 16
	// maxAnswer bounds the size of an action's answer, below the size of a message.
	maxAnswer = 3 << 20
)

// errForgotten ends an action whose caller has gone.
var errForgotten = errors.New("no caller waits for it any more")

// action is an action that the agent was ordered to execute.
type action struct {
	run    string // empty for none
	giveUp context.CancelCauseFunc
	answer *benchdv1.ActionAnswer // once it has ended
}

// act executes an order once; a repeated order gets the same answer again. The caller holds the agent's lock.
func (a *Agent) act(m *benchdv1.ActionOrder) {
	if a.leaving {
		return
	}
	if done := a.actions[m.GetId()]; done != nil {
		if done.answer != nil {
			a.sendAnswer(done.answer)
		}
		return
	}
	busy := a.lateHooks
	for _, other := range a.actions {
		if other.answer == nil {
			busy++
		}
	}
	if busy >= maxConcurrent {
		a.sendAnswer(&benchdv1.ActionAnswer{
			Id: m.GetId(), Outcome: benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED,
			Error: fmt.Sprintf("the agent is executing %d actions already: wait for one of them to end", busy),
		})
		return
	}
	ctx, cancel := context.WithCancelCause(a.life)
	one := &action{run: m.GetRun(), giveUp: cancel}
	a.remember(m.GetId(), one)
	a.work.Go(func() {
		defer cancel(nil)
		answer := a.carryOut(ctx, m)
		a.mu.Lock()
		defer a.mu.Unlock()
		one.answer = answer
		a.sendAnswer(answer)
		if one.run == "" { // the caller has the answer, or is gone
			one.answer = &benchdv1.ActionAnswer{Id: answer.GetId(), Outcome: answer.GetOutcome(), Error: "it was answered already"}
		}
	})
}

// missedAnswers returns the answers that a coordinator may have missed.
func (a *Agent) missedAnswers() []*benchdv1.ActionAnswer {
	var out []*benchdv1.ActionAnswer
	for _, id := range a.acted {
		if one := a.actions[id]; one.run != "" && one.answer != nil {
			out = append(out, one.answer)
		}
	}
	return out
}

// remember records an action, and drops the oldest ended one if there are too many.
func (a *Agent) remember(id string, one *action) {
	for i := 0; len(a.acted) >= maxActions && i < len(a.acted); i++ {
		if old := a.acted[i]; a.actions[old].answer != nil {
			delete(a.actions, old)
			a.acted = append(a.acted[:i], a.acted[i+1:]...)
			break
		}
	}
	a.actions[id] = one
	a.acted = append(a.acted, id)
}

// giveUp cancels an action whose caller has gone. The caller holds the agent's lock.
func (a *Agent) giveUp(id string) {
	if one := a.actions[id]; one != nil && one.answer == nil {
		one.giveUp(errForgotten)
	}
}

// sendAnswer sends an answer if there is a stream; it is sent again on the next stream. The caller holds the agent's
// lock.
func (a *Agent) sendAnswer(answer *benchdv1.ActionAnswer) {
	if a.out != nil {
		a.out.add(answered(answer), nil)
	}
}

func answered(answer *benchdv1.ActionAnswer) *benchdv1.SessionRequest {
	return &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Action{Action: answer}}
}

// carryOut executes an action and returns its outcome.
func (a *Agent) carryOut(ctx context.Context, m *benchdv1.ActionOrder) *benchdv1.ActionAnswer {
	log := a.log.With("action", m.GetName(), "run", m.GetRun())
	log.Info("action begins", "target", m.GetTarget(), "args", m.GetArgs())
	begin := clock.Mono()
	if timeout := time.Duration(m.GetTimeoutNs()); timeout > 0 {
		late := fmt.Errorf("it was not done within %s: %w", timeout, context.DeadlineExceeded)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, late)
		defer cancel()
	}
	found, err := a.do(ctx, m)
	answer := &benchdv1.ActionAnswer{Id: m.GetId(), Outcome: outcomeOf(ctx, err)}
	if err != nil {
		log.Info("action failed", "after", begin.Elapsed(), "error", err)
		answer.Error = wire.Text(err.Error())
		return answer
	}
	log.Info("action is done", "after", begin.Elapsed(), "text", found.Text)
	answer.Answer, err = json.Marshal(found)
	if err == nil && len(answer.GetAnswer()) > maxAnswer {
		err = fmt.Errorf("its answer has %d bytes: at most %d are allowed", len(answer.GetAnswer()), maxAnswer)
	}
	if err != nil {
		answer.Answer, answer.Outcome, answer.Error = nil, benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED, wire.Text(err.Error())
	}
	return answer
}

// allowed refuses an order that an honest coordinator does not send: a hook that belongs to no run of one of the agent's
// targets, and outside of runs an action that is not for users.
func (a *Agent) allowed(m *benchdv1.ActionOrder) error {
	t, known := a.config.Reader.Targets().Find(m.GetTarget())
	switch {
	case m.GetName() == plan.Hook && (m.GetRun() == "" || !known):
		return errors.New("hooks run only as actions of a run")
	case m.GetName() == plan.Hook, m.GetRun() != "", !known, t.Administers(m.GetName()):
		return nil // targets that are not known here are actors of the agent alone, which check the name
	}
	return fmt.Errorf("action %q of target %s cannot be requested outside of a run", m.GetName(), t.Name)
}

func (a *Agent) do(ctx context.Context, m *benchdv1.ActionOrder) (found load.Answer, err error) {
	if err := a.allowed(m); err != nil {
		return found, load.Mark(load.ErrAction, err)
	}
	if m.GetName() == plan.Hook {
		return a.hook(ctx, m)
	}
	open := a.config.Actors[m.GetTarget()]
	if open == nil {
		return found, load.Mark(load.ErrAction, fmt.Errorf("target %q has no actions in this build of benchd (%s)", m.GetTarget(), a.config.Version))
	}
	workload, err := spec.Workload(m.GetProperties())
	if err != nil {
		return found, load.Mark(load.ErrAction, fmt.Errorf("read settings of the workload: %w", err))
	}
	actor, err := open(ctx, load.Settings{
		Properties: m.GetProperties(), Workload: workload, Run: m.GetRun(), Agent: a.config.Name,
		Dial: a.config.Outbound, Secrets: a.config.Secrets, Credential: a.config.Credential, Logger: a.log,
	})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, actor.Close()) }()
	return actor.Act(ctx, load.Action{Name: m.GetName(), Args: m.GetArgs()})
}

func outcomeOf(ctx context.Context, err error) benchdv1.ActionOutcome {
	switch {
	case err == nil:
		return benchdv1.ActionOutcome_ACTION_OUTCOME_DONE
	case errors.Is(err, load.ErrAction):
		return benchdv1.ActionOutcome_ACTION_OUTCOME_REFUSED
	case errors.Is(err, load.ErrNotReached):
		return benchdv1.ActionOutcome_ACTION_OUTCOME_UNREACHABLE
	case errors.Is(err, load.ErrUnknown), ctx.Err() != nil:
		return benchdv1.ActionOutcome_ACTION_OUTCOME_UNKNOWN
	}
	return benchdv1.ActionOutcome_ACTION_OUTCOME_FAILED
}
