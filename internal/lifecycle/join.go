package lifecycle

import (
	"strconv"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// WarmedUp reports that the current phase ends at a fixed instant, for the reason Because: the phase that joins it begins
// there.
type WarmedUp struct{ Because string }

func (WarmedUp) event() {}

// Join sends all live shards the instant at which the phase that joins the current one begins.
type Join struct{ Phase int }

func (c Join) command() string { return "join phase " + strconv.Itoa(c.Phase) }

// Awaits returns the index of the phase that joins the current one after WarmedUp; ok is false when there is none, or the
// run is ending.
func (s *State) Awaits() (phase int, ok bool) {
	if s.Status != result.Running || s.Phase < 0 || s.idle() {
		return 0, false
	}
	next := s.going() + 1
	return next, next < len(s.Phases) && s.Phases[next].Joined && s.Phases[next-1].Announced()
}

// going returns the index of the current phase, as far as the coordinator has announced it: agents change over by
// themselves into a phase that joins one of a given length.
func (s *State) going() int { return max(s.Phase, s.Joined) }

// warmedUp joins the next phase.
func (s *State) warmedUp(e WarmedUp) []Command {
	next, ok := s.Awaits()
	if !ok {
		return nil
	}
	s.Joined = next
	out := []Command{Note{"phase", string(s.Phases[next].Name) + " begins: " + e.Because}, Join{next}}
	if planned, bounded := s.planned(); bounded {
		out = append(out, Arm{Overdue, planned + overdueAfter})
	}
	return out
}

// again sends a shard the starts of the current segment, which it may have missed.
func (s *State) again(shard int) []Command {
	out := []Command{Restart{shard, s.Phase}}
	if s.Joined > s.Phase {
		out = append(out, Restart{shard, s.Joined})
	}
	return out
}

// rest returns the phases of the current segment from the current one on.
func (s *State) rest() []plan.Phase {
	segment := s.Current()
	if segment == nil {
		return nil
	}
	return segment[s.going()-s.Phase:]
}
