package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Step applies an event to the run and returns the commands that follow. A repeated or late event changes nothing.
func (s *State) Step(event Event) []Command {
	if s.Status.Ended() {
		return nil
	}
	switch e := event.(type) {
	case Granted:
		return s.granted(e)
	case Prepared:
		return s.prepared(e)
	case ClocksKnown:
		return s.clocksKnown()
	case PhaseEnded:
		return s.phaseEnded(e)
	case WindowsMerged:
		return s.windowsMerged(e)
	case AgentLost:
		return s.lost(e)
	case LimitViolated:
		s.Violated = true
		return append([]Command{Note{"limit", e.Text}}, s.fail(e.Text)...)
	case Cancel:
		return s.cancel(e)
	case Refused:
		if s.Status != result.Queued {
			return nil
		}
		return append([]Command{Note{"refused", e.Why}}, s.fail(e.Why)...)
	case WarmedUp:
		return s.warmedUp(e)
	case ActionEnded:
		return s.actionEnded(e)
	case Holding:
		return s.holding(e)
	case Handed:
		return s.handed(e)
	case Fired:
		return s.fired(e)
	default:
		panic(fmt.Sprintf("lifecycle: unknown event %T", event))
	}
}

func (s *State) granted(e Granted) []Command {
	if s.Status != result.Queued {
		return nil
	}
	s.Status = result.Preparing
	for _, g := range e.Agents {
		s.Shards = append(s.Shards, Shard{Agent: g.Agent, Boot: g.Boot, Attempt: 1, State: Assigned})
	}
	return []Command{Prepare{Steward}, Arm{PrepareTimeout, setupWithin}}
}

func (s *State) prepared(e Prepared) []Command {
	sh := s.shard(e.Shard)
	if (s.Status != result.Preparing && s.Status != result.Running) || sh == nil || sh.State != Assigned {
		return nil
	}
	if e.Error != "" {
		return s.fail(fmt.Sprintf("agent %s cannot prepare: %s", sh.Agent, e.Error))
	}
	if s.Status == result.Running {
		return s.takenOver(e.Shard)
	}
	sh.State = Ready
	if e.Shard != Steward {
		return s.advance()
	}
	var out []Command // the target is set up: the others may connect
	for i := range s.Shards {
		if s.Shards[i].State == Assigned {
			out = append(out, Prepare{i})
		}
	}
	if len(out) == 0 {
		return s.advance()
	}
	return append(out, Arm{PrepareTimeout, prepareWithin})
}

// setUp reports whether the target is ready for shards other than the steward's.
func (s *State) setUp() bool { return len(s.Shards) > 0 && s.Shards[Steward].State != Assigned }

func (s *State) clocksKnown() []Command {
	if (s.Status != result.Preparing && s.Status != result.Running) || !s.all(Ready) || !s.anyLive() || s.ActionPending {
		return nil
	}
	s.Status = result.Running
	if s.Phase < 0 {
		s.Phase = 0
	} else {
		s.Phase += len(s.Current())
	}
	s.ActionsEnded = 0
	for i := range s.Shards {
		if s.Shards[i].live() {
			s.Shards[i].State = Busy
		}
	}
	out := []Command{Start{s.Phase}}
	if planned, bounded := s.planned(); bounded {
		out = append(out, Arm{Overdue, planned + overdueAfter})
	}
	return out
}

// planned returns the maximum remaining length of the current segment, if it ends by time.
func (s *State) planned() (time.Duration, bool) {
	var sum time.Duration
	for _, p := range s.rest() {
		if p.Duration == 0 {
			return 0, false
		}
		sum += p.Duration
	}
	return sum, true
}

// Expects reports whether a shard's end of a phase is new: the shard is at work in that phase's segment and has not
// reported it yet.
func (s *State) Expects(shard int, phase plan.PhaseName) bool {
	sh := s.shard(shard)
	return sh != nil && (sh.State == Busy || sh.State == Over) && sh.ended(phase) == nil &&
		s.InSegment(phase)
}

// InSegment reports whether a phase is one of the segment that was started last.
func (s *State) InSegment(phase plan.PhaseName) bool {
	return slices.ContainsFunc(s.Current(), func(p plan.Phase) bool { return p.Name == phase })
}

func (s *State) phaseEnded(e PhaseEnded) []Command {
	if !s.Expects(e.Shard, e.Ended.Phase) {
		return nil
	}
	sh := s.shard(e.Shard)
	segment := s.Current()
	if e.Ended.Error != "" || e.Ended.Left != "" || e.Ended.Phase == segment[len(segment)-1].Name {
		e.Ended.Final = true // whatever it reports: nothing can follow
	}
	e.Ended.Merged = e.Ended.Windows == 0
	sh.Ended = append(sh.Ended, e.Ended)
	if e.Ended.Final {
		sh.State = Over
	}
	switch {
	case e.Ended.Error != "":
		return s.fail(fmt.Sprintf("agent %s: %s", sh.Agent, e.Ended.Error))
	case e.Ended.Left != "" && s.Status == result.Running:
		// Its windows are still to be merged, but it does nothing more.
		sh.Lost = fmt.Sprintf("left %s at %s: %s", e.Ended.Phase, e.Ended.At.Round(time.Millisecond), e.Ended.Left)
		return s.without(sh)
	default:
		return s.advance()
	}
}

// without continues without a shard or fails, as the policy demands.
func (s *State) without(sh *Shard) []Command {
	text := fmt.Sprintf("agent %s %s", sh.Agent, sh.Lost)
	out := []Command{Note{result.AgentEvent, text}}
	if s.CanHandOver() {
		return append(out, s.advance()...)
	}
	if s.Status == result.Preparing || s.Policy == FailOnLoss || !s.anyAtWork() {
		return append(out, s.fail(text)...)
	}
	return append(out, s.advance()...)
}

func (s *State) windowsMerged(e WindowsMerged) []Command {
	sh := s.shard(e.Shard)
	if sh == nil {
		return nil
	}
	if ended := sh.ended(e.Phase); ended != nil {
		ended.Merged = true
	}
	return s.advance()
}

// advance issues the commands that have become possible.
func (s *State) advance() []Command {
	switch s.Status {
	case result.Preparing:
		if s.anyLive() && s.all(Ready) {
			if out, waiting := s.nextAction(); waiting {
				return out
			}
			return []Command{Probe{}}
		}
	case result.Running:
		if out := s.orphans(); out != nil {
			return out
		}
		if s.anyLive() && s.all(Ready) {
			return []Command{Probe{}} // between two segments
		}
		if !s.all(Over) {
			return nil
		}
		if !s.merged() {
			return []Command{Arm{Stragglers, stragglersWithin}}
		}
		if out, waiting := s.nextAction(); waiting {
			return out
		}
		if s.lastSegment() {
			if out, waiting := s.hold(); waiting {
				return out
			}
			return s.seal()
		}
		for i := range s.Shards {
			switch sh := &s.Shards[i]; {
			case sh.Lost != "":
				sh.State = Lost
			case sh.live():
				sh.State = Ready
			}
		}
		return []Command{Probe{}}
	case result.Stopping:
		if s.idle() && s.merged() {
			return s.seal()
		}
	case result.Queued, result.Complete, result.Partial, result.Failed, result.Cancelled:
	}
	return nil
}

// idle reports whether no live shard is at work.
func (s *State) idle() bool {
	for i := range s.Shards {
		if s.Shards[i].State == Busy {
			return false
		}
	}
	return true
}

func (s *State) lost(e AgentLost) []Command {
	sh := s.shard(e.Shard)
	if sh == nil || !sh.live() {
		return nil
	}
	finished := s.Status == result.Running && sh.State == Over && s.lastSegment() && allMerged(sh)
	if finished {
		return nil // its work is complete
	}
	if sh.State == Orphan {
		return nil // another agent will take it over
	}
	before := sh.Lost
	sh.State = Lost
	if before == "" {
		sh.Lost = e.Why
	}
	var handover []Command
	if s.CanHandOver() {
		handover = s.orphan(e.Shard)
	}
	if before != "" {
		return append(s.advance(), handover...) // it had left already; its missing windows will not come
	}
	return append(s.without(sh), handover...)
}

func (s *State) lastSegment() bool { return s.Phase+len(s.Current()) == len(s.Phases) }

func allMerged(sh *Shard) bool {
	for _, e := range sh.Ended {
		if !e.Merged {
			return false
		}
	}
	return true
}

func (s *State) cancel(e Cancel) []Command {
	if s.Cancelled {
		return nil
	}
	if s.Status == result.Stopping {
		return nil // it is ending already, for another reason
	}
	reason := cmp.Or(e.Because, "cancelled by "+e.By)
	s.Cancelled = true
	return append([]Command{Note{"cancel", reason}}, s.stop(reason)...)
}

// fail ends the run as failed.
func (s *State) fail(reason string) []Command {
	s.Failed = true
	return s.stop(reason)
}

// stop ends the run early.
func (s *State) stop(reason string) []Command {
	if s.Reason == "" {
		s.Reason = reason
	}
	switch s.Status {
	case result.Stopping:
		return s.advance()
	case result.Queued, result.Preparing:
		return s.seal() // nothing has been sent to the target
	default:
	}
	s.Status = result.Stopping
	var out []Command
	for i := range s.Shards {
		switch sh := &s.Shards[i]; sh.State {
		case Busy:
			out = append(out, Stop{i, reason})
		case Orphan:
			sh.State = Lost
		case Assigned: // handed out again, and not started
			sh.State, sh.Lost = Lost, "the run ended before it took over the load"
		case Ready, Over, Lost:
		}
	}
	if s.idle() && s.merged() {
		return s.seal()
	}
	return append(out, Arm{StopTimeout, stopWithin})
}

func (s *State) fired(e Fired) []Command {
	switch {
	case e.Timer == PrepareTimeout && s.ActionPending:
		return nil // the agents are ready; the action has a time limit of its own
	case e.Timer == PrepareTimeout && s.Status == result.Preparing:
		for i := range s.Shards {
			if s.Shards[i].State == Assigned {
				within := prepareWithin
				if i == Steward {
					within = setupWithin
				}
				return s.fail(fmt.Sprintf("agent %s did not get ready within %s", s.Shards[i].Agent, within))
			}
		}
		return s.fail(fmt.Sprintf("the agents did not get ready within %s", prepareWithin))
	case e.Timer == Overdue && (s.ActionPending || s.HoldNoted):
		return nil // the phase has ended
	case e.Timer == Overdue && s.Status == result.Running:
		if _, bounded := s.planned(); !bounded {
			return nil // it was armed for an earlier segment
		}
		return s.fail(fmt.Sprintf("the phase did not end within %s of its planned end", overdueAfter))
	case e.Timer == Stragglers && s.Status == result.Running && s.all(Over):
		return s.giveUp()
	case e.Timer == Handover && s.Status == result.Running:
		return s.abandon()
	case e.Timer == StopTimeout && s.Status == result.Stopping:
		var out []Command
		for i := range s.Shards {
			if sh := &s.Shards[i]; sh.live() && (sh.State == Busy || !allMerged(sh)) {
				sh.State, sh.Lost = Lost, fmt.Sprintf("did not stop within %s", stopWithin)
				out = append(out, Note{result.AgentEvent, fmt.Sprintf("agent %s %s", sh.Agent, sh.Lost)})
			}
		}
		return append(out, s.seal()...)
	default:
		return nil
	}
}

// giveUp abandons windows that do not arrive.
func (s *State) giveUp() []Command {
	var out []Command
	for i := range s.Shards {
		sh := &s.Shards[i]
		for j := range sh.Ended {
			if e := &sh.Ended[j]; sh.live() && !e.Merged {
				e.Merged, e.Missing = true, true
				out = append(out, Note{result.AgentEvent, fmt.Sprintf("agent %s: windows of phase %s are missing", sh.Agent, e.Phase)})
			}
		}
	}
	return append(out, s.advance()...)
}

// seal ends the run.
func (s *State) seal() []Command {
	s.Status = s.end()
	var out []Command
	for i := range s.Shards {
		out = append(out, Release{i})
	}
	return append(out, Seal{s.Status})
}

func (s *State) end() result.Status {
	switch {
	case s.Cancelled:
		return result.Cancelled
	case s.Failed:
		return result.Failed
	}
	for i := range s.Shards {
		sh := &s.Shards[i]
		if sh.Lost != "" || slices.ContainsFunc(sh.Ended, func(e Ended) bool { return e.Missing }) {
			return result.Partial
		}
	}
	return result.Complete
}

// Recover returns the commands to repeat after a restart of the coordinator, which may have died between archiving a
// state and carrying out its commands.
func (s *State) Recover() []Command {
	var out []Command
	switch s.Status {
	case result.Preparing:
		within := setupWithin
		if s.setUp() {
			within = prepareWithin
		}
		out = append(out, Arm{PrepareTimeout, within})
	case result.Running:
		if planned, bounded := s.planned(); bounded && !s.all(Ready) {
			out = append(out, Arm{Overdue, planned + overdueAfter})
		}
		for i := range s.Shards {
			if s.Shards[i].State == Orphan || s.Shards[i].State == Assigned {
				out = append(out, s.Return(i)...)
				out = append(out, Arm{Handover, handoverWithin})
			}
		}
	case result.Stopping:
		out = append(out, Arm{StopTimeout, stopWithin})
	default:
		return nil
	}
	if s.ActionPending && (s.Status == result.Running || s.Status == result.Preparing) {
		out = append(out, s.awaited()[s.ActionsEnded])
	}
	return append(out, s.advance()...)
}

// Return returns the messages to repeat to a shard's agent whose stream is back. Agents ignore duplicates.
func (s *State) Return(shard int) []Command {
	sh := s.shard(shard)
	switch {
	case sh == nil || s.Status.Ended() || !sh.live():
		return []Command{Stop{shard, "the run has ended without this agent"}, Release{shard}}
	case sh.State == Assigned && shard != Steward && !s.setUp():
		return nil // its turn comes
	case sh.State == Assigned:
		return []Command{Prepare{shard}}
	case sh.State == Orphan:
		return []Command{Rehand{shard}}
	case sh.State == Busy && s.Status == result.Stopping:
		// An agent that never received the start has no end to report: it must start, and end at once.
		return []Command{Stop{shard, s.Reason}, Restart{shard, s.Phase}}
	case sh.State == Busy:
		return s.again(shard)
	default:
		return nil
	}
}

// Missing describes what the result lacks because shards were lost.
func (s *State) Missing() []string {
	missing := []string{}
	for i := range s.Shards {
		if sh := &s.Shards[i]; sh.Lost != "" {
			missing = append(missing, fmt.Sprintf("agent %s: %s", sh.Agent, sh.Lost))
		}
	}
	return missing
}

func (s *State) shard(i int) *Shard {
	if i < 0 || i >= len(s.Shards) {
		return nil
	}
	return &s.Shards[i]
}
