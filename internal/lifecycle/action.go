package lifecycle

import (
	"fmt"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Act has the target's state changed by the action that the run waits for; Acted answers. It may come again for an action that
// was ordered already: then its answer is still to come.
type Act struct {
	After  plan.PhaseName // which has ended; empty where Before is set
	Before plan.PhaseName // which is to begin
	Name   string
}

func (c Act) command() string { return fmt.Sprintf("act %s: %s", c.when(), c.Name) }

func (c Act) when() string {
	if c.Before != "" {
		return "before " + string(c.Before)
	}
	return "after " + string(c.After)
}

// Acted says that the action under way has ended; Error says why it was not done.
type Acted struct{ Error string }

func (Acted) event() {}

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
func (s *State) awaited() []Act {
	var acts []Act
	for _, p := range s.Current() {
		for _, name := range p.After {
			acts = append(acts, Act{After: p.Name, Name: name})
		}
	}
	if next := max(s.Phase+len(s.Current()), 0); next < len(s.Phases) {
		for _, name := range s.Phases[next].Before {
			acts = append(acts, Act{Before: s.Phases[next].Name, Name: name})
		}
	}
	return acts
}

// act orders the next action; ok is false when all are done.
func (s *State) act() (out []Command, ok bool) {
	acts := s.awaited()
	if s.Acts >= len(acts) {
		return nil, false
	}
	if s.Acting {
		return nil, true
	}
	s.Acting = true
	return []Command{acts[s.Acts]}, true
}

func (s *State) acted(e Acted) []Command {
	if !s.Acting {
		return nil
	}
	one := s.awaited()[s.Acts]
	s.Acting = false
	s.Acts++
	if e.Error != "" {
		return s.fail(fmt.Sprintf("%s %s: %s", one.Name, one.when(), e.Error))
	}
	out := s.advance()
	if s.Status == result.Preparing && !s.Acting { // what is left is to see the clocks
		out = append(out, Arm{PrepareTimeout, prepareWithin})
	}
	return out
}
