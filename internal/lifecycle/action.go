package lifecycle

import (
	"fmt"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// DoAction runs the action on the target that the run waits for; ActionEnded answers. It may be repeated for an action
// that was already ordered: its answer is still to come.
type DoAction struct {
	After  plan.PhaseName // which has ended; empty if Before is set
	Before plan.PhaseName // which is about to start
	Name   string         // with its arguments, as plan.ParseAction reads it
}

func (c DoAction) command() string { return fmt.Sprintf("act %s: %s", c.when(), c.Name) }

func (c DoAction) when() string {
	if c.Before != "" {
		return "before " + string(c.Before)
	}
	return "after " + string(c.After)
}

// ActionEnded reports that the action in progress has ended; Error is why it was not done.
type ActionEnded struct{ Error string }

func (ActionEnded) event() {}

// Holding names an activity that delays the end of the run, such as a hook that has stopped a server and will start it
// again; it is empty when that has ended. A run that ends early does not wait for it.
type Holding struct{ By string }

func (Holding) event() {}

func (s *State) holding(e Holding) []Command {
	waiting := s.HoldNoted
	s.Held, s.HoldNoted = e.By, false
	if !waiting || e.By != "" {
		return nil
	}
	return s.advance()
}

// hold reports whether the run's end must wait, and notes it the first time.
func (s *State) hold() (out []Command, waiting bool) {
	if s.Held == "" {
		return nil, false
	}
	if !s.HoldNoted {
		s.HoldNoted = true
		out = []Command{Note{"action", "the end of the run waits for " + s.Held}}
	}
	return out, true
}

// awaited returns the actions after the current segment, and those before the next, in order.
func (s *State) awaited() []DoAction {
	var actions []DoAction
	for _, p := range s.Current() {
		for _, name := range p.After {
			actions = append(actions, DoAction{After: p.Name, Name: name})
		}
	}
	if next := max(s.Phase+len(s.Current()), 0); next < len(s.Phases) {
		for _, name := range s.Phases[next].Before {
			actions = append(actions, DoAction{Before: s.Phases[next].Name, Name: name})
		}
	}
	return actions
}

// nextAction orders the next action; ok is false when all are done.
func (s *State) nextAction() (out []Command, ok bool) {
	actions := s.awaited()
	if s.ActionsEnded >= len(actions) {
		return nil, false
	}
	if s.ActionPending {
		return nil, true
	}
	s.ActionPending = true
	return []Command{actions[s.ActionsEnded]}, true
}

func (s *State) actionEnded(e ActionEnded) []Command {
	if !s.ActionPending {
		return nil
	}
	one := s.awaited()[s.ActionsEnded]
	s.ActionPending = false
	s.ActionsEnded++
	if e.Error != "" {
		return s.fail(fmt.Sprintf("%s %s: %s", one.Name, one.when(), e.Error))
	}
	out := s.advance()
	if s.Status == result.Preparing && !s.ActionPending { // only the clocks are left to probe
		out = append(out, Arm{PrepareTimeout, prepareWithin})
	}
	return out
}
