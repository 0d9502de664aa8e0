package lifecycle

import (
	"fmt"

	"github.com/benchd/benchd/internal/plan"
)

// Act has the target's state changed by the action that the run waits for; Acted answers. It may come again for an action that
// was ordered already: then its answer is still to come.
type Act struct {
	After plan.PhaseName // which has ended
	Name  string
}

func (c Act) command() string { return fmt.Sprintf("act after %s: %s", c.After, c.Name) }

// Acted says that the action under way has ended; Error says why it was not done.
type Acted struct{ Error string }

func (Acted) event() {}

// awaited gives the actions that are done after the current segment, in their order.
func (s *State) awaited() []Act {
	var acts []Act
	for _, p := range s.Current() {
		for _, name := range p.After {
			acts = append(acts, Act{After: p.Name, Name: name})
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
		return s.fail(fmt.Sprintf("%s after %s: %s", one.Name, one.After, e.Error))
	}
	return s.advance()
}
