package lifecycle

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// A load can continue after the loss of an agent: the rows that the agent had not written are assigned again, to the same
// agent restarted or to another one, as a new attempt at its shard. A measurement cannot be repeated, so this is for
// loads alone, and only if the policy is to go on.

// Orphan is the state of a shard between two attempts: it has no agent.
const Orphan ShardState = "orphan"

// handoverWithin bounds how long a shard waits for an agent, and for that agent to be ready.
const handoverWithin = 2 * time.Minute

// Handover is the timer of shards without an agent.
const Handover Timer = "handover"

// Handed assigns an orphaned shard to an agent.
type Handed struct {
	Shard int
	Grant Grant
}

func (Handed) event() {}

// Rehand looks for an agent for an orphaned shard; Handed answers.
type Rehand struct{ Shard int }

func (c Rehand) command() string { return fmt.Sprintf("find an agent for shard %d", c.Shard) }

// CanHandOver reports whether the rest of a shard that is lost now can be handed out again: the run goes on without its
// agent, and another one takes the shard over.
func (s *State) CanHandOver() bool {
	segment := s.Current()
	return s.Policy == ContinueOnLoss && s.Status == result.Running && len(segment) == 1 && segment[0].Name == plan.Load
}

// orphan marks a shard as waiting for another agent, once all its windows are archived.
func (s *State) orphan(shard int) []Command {
	sh := &s.Shards[shard]
	sh.State = Orphan
	return []Command{Rehand{shard}, Arm{Handover, handoverWithin}}
}

// orphans hands out again the rest of shards that ended early and whose windows are all archived.
func (s *State) orphans() []Command {
	if !s.CanHandOver() {
		return nil
	}
	var out []Command
	for i := range s.Shards {
		if sh := &s.Shards[i]; sh.State == Over && sh.Lost != "" && allMerged(sh) {
			out = append(out, s.orphan(i)...)
		}
	}
	return out
}

func (s *State) handed(e Handed) []Command {
	sh := s.shard(e.Shard)
	if sh == nil || sh.State != Orphan {
		return nil
	}
	text := fmt.Sprintf("agent %s continues the load of agent %s", e.Grant.Agent, sh.Agent)
	if e.Grant.Agent == sh.Agent {
		text = fmt.Sprintf("agent %s continues its load", sh.Agent)
	}
	*sh = Shard{Agent: e.Grant.Agent, Boot: e.Grant.Boot, Attempt: sh.Attempt + 1, State: Assigned}
	return []Command{Note{result.AgentEvent, text}, Prepare{e.Shard}, Arm{Handover, handoverWithin}}
}

// takenOver starts a shard that was handed out again while the others are at work.
func (s *State) takenOver(shard int) []Command {
	s.Shards[shard].State = Busy
	return []Command{Restart{shard, s.Phase}}
}

// abandon stops waiting for agents that take over shards.
func (s *State) abandon() []Command {
	var out []Command
	for i := range s.Shards {
		sh := &s.Shards[i]
		switch {
		case sh.State == Orphan:
		case sh.State == Assigned && s.Status == result.Running:
			sh.Lost = fmt.Sprintf("did not take over the load within %s", handoverWithin)
		default:
			continue
		}
		sh.State = Lost
		out = append(out, Note{result.AgentEvent, fmt.Sprintf("no agent continues the load of agent %s", sh.Agent)})
	}
	if len(out) == 0 {
		return nil
	}
	if !s.anyAtWork() {
		return append(out, s.fail("no agent is left to continue the load")...)
	}
	return append(out, s.advance()...)
}
