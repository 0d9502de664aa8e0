package lifecycle

import (
	"fmt"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// DoAction has the target's state changed by the action that the run waits for; ActionEnded answers. It may come again for
// an action that was ordered already: then its answer is still to come.
type DoAction struct {
	After  plan.PhaseName // which has ended; empty where Before is set
	Before plan.PhaseName // which is to begin
	Name   string
}

func (c DoAction) command() string { return fmt.Sprintf("act %s: %s", c.when(), c.Name) }

func (c DoAction) when() string {
	if c.Before != "" {
		return "before " + string(c.Before)
	}
	return "after " + string(c.After)
}

// ActionEnded says that the action under way has ended; Error says why it was not done.
type ActionEnded struct{ Error string }

func (ActionEnded) event() {}

// Holding names what goes on that the run does not end before by itself, such as a hook that has stopped a server and is to
// start it again; empty when that has ended. Whatever ends the run early does not wait for it.
type Holding struct{ By string }

func (Holding) event() {}

func (s *State) holding(e Holding) []Command {
	waiting := s.Told
	s.Held, s.Told = e.By, false
	if !waiting || e.By != "" {
		return nil
	}
	return s.advance()
}

// hold reports whether the run's end has to wait, and says so the first time.
func (s *State) hold() (out []Command, waiting bool) {
	if s.Held == "" {
		return nil, false
	}
	if !s.Told {
		s.Told = true
		out = []Command{Note{"action", "the end of the run waits for " + s.Held}}
	}
	return out, true
}

// awaited gives the actions that are done after the current segment, and those before the next, in their order.
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
	if s.Status == result.Preparing && !s.ActionPending { // what is left is to see the clocks
		out = append(out, Arm{PrepareTimeout, prepareWithin})
	}
	return out
}
