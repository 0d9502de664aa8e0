package lifecycle

import (
	"slices"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Policy says what becomes of a run that loses an agent.
type Policy string

// The policies.
const (
	FailOnLoss     Policy = "fail"
	ContinueOnLoss Policy = "continue"
)

// State is all that is known of a run's life. It is archived as JSON.
type State struct {
	Run    string        `json:"run"`
	Status result.Status `json:"status"`
	Policy Policy        `json:"policy"`
	Phases []plan.Phase  `json:"phases"`

	// Phase is the index of the first phase of the segment that was started last; -1 before.
	Phase int `json:"phase"`
	// Joined is the index of the phase that was announced to join it; 0 for none.
	Joined int     `json:"joined,omitempty"`
	Shards []Shard `json:"shards"`

	// ActionsEnded counts the actions between the current segment and the next that have ended; ActionPending says that the
	// next is under way.
	ActionsEnded  int  `json:"acts,omitempty"`
	ActionPending bool `json:"acting,omitempty"`

	// Held is what the run does not end before by itself; Told says that it has come to that, and is in the timeline.
	Held string `json:"held,omitempty"`
	Told bool   `json:"told,omitempty"`

	// Reason says why the run ends otherwise than complete. The first reason stays.
	Reason    string `json:"reason,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Violated  bool   `json:"violated,omitempty"` // a limit; then it has failed, too
	Cancelled bool   `json:"cancelled,omitempty"`
}

// Steward is the shard whose agent sets the target up. It is prepared alone; the others connect when it is ready.
const Steward = 0

// ShardState is how far a shard has come.
type ShardState string

// The states of a shard.
const (
	Assigned ShardState = "assigned" // handed out
	Ready    ShardState = "ready"    // prepared, or between two segments
	Busy     ShardState = "busy"     // told to start, not ended
	Over     ShardState = "over"     // has ended the segment; its windows may still be on their way
	Lost     ShardState = "lost"     // will send nothing more
)

// Shard is one agent's part.
type Shard struct {
	Agent   string     `json:"agent"`
	Boot    string     `json:"boot"`
	Attempt int        `json:"attempt"`
	State   ShardState `json:"state"`
	Ended   []Ended    `json:"ended,omitempty"`
	Lost    string     `json:"lost,omitempty"` // why it is lost, or will be after this segment
}

// Ended is the end of a shard's part in a phase.
type Ended struct {
	Phase    plan.PhaseName `json:"phase"`
	At       time.Duration  `json:"at"` // from the phase's start
	Windows  int            `json:"windows"`
	Issued   uint64         `json:"issued"`
	Recorded uint64         `json:"recorded"`
	Merged   bool           `json:"merged"`            // every window is safe, or given up
	Missing  bool           `json:"missing,omitempty"` // some were given up
	Final    bool           `json:"final"`             // the workers have joined: nothing more of the segment follows
	Error    string         `json:"error,omitempty"`
	Left     string         `json:"left,omitempty"` // why the agent ended it early of its own accord

	// InsertedBelow is the key number from which on the shard has inserted nothing; 0 where that is not known.
	InsertedBelow int64 `json:"inserted_below,omitempty"`
	// InsertedRows counts the rows that the shard has inserted and that are there for certain; nil where that is not known.
	InsertedRows *int64 `json:"inserted_rows,omitempty"`

	Client map[string]uint64 `json:"client,omitempty"` // events of the target's client beside operations
}

// New is a queued run.
func New(run string, phases []plan.Phase, policy Policy) *State {
	return &State{Run: run, Status: result.Queued, Policy: policy, Phases: phases, Phase: -1}
}

// Clone returns a copy that no later event changes.
func (s *State) Clone() *State {
	c := *s
	c.Shards = slices.Clone(s.Shards)
	for i := range c.Shards {
		c.Shards[i].Ended = slices.Clone(c.Shards[i].Ended)
	}
	return &c
}

// Segment gives the phases of the segment that begins with phase i: itself and those that join it.
func (s *State) Segment(i int) []plan.Phase {
	end := i + 1
	for end < len(s.Phases) && s.Phases[end].Joined {
		end++
	}
	return s.Phases[i:end]
}

// Current gives the phases of the segment that was started last.
func (s *State) Current() []plan.Phase {
	if s.Phase < 0 {
		return nil
	}
	return s.Segment(s.Phase)
}

// ended finds the end of a shard's part in a phase.
func (sh *Shard) ended(phase plan.PhaseName) *Ended {
	for i := range sh.Ended {
		if sh.Ended[i].Phase == phase {
			return &sh.Ended[i]
		}
	}
	return nil
}

// AtWork reports whether a shard is at work.
func (s *State) AtWork() bool { return !s.idle() }

// InsertedBelow is the key number from which on the shard has inserted nothing in a run, as it reported with its end; 0 where
// it has not. What is measured has one attempt alone.
func (sh *Shard) InsertedBelow() int64 {
	for _, e := range sh.Ended {
		if e.Final && e.InsertedBelow > 0 {
			return e.InsertedBelow
		}
	}
	return 0
}

// InsertedRows counts the rows that the shard has inserted in a run, as it reported with its end; nil where it has not.
func (sh *Shard) InsertedRows() *int64 {
	for _, e := range sh.Ended {
		if e.Final {
			return e.InsertedRows
		}
	}
	return nil
}

// Held reports whether an agent has the shard in hand.
func (sh *Shard) Held() bool { return sh.State != Lost && sh.State != Orphan }

// live reports whether anything is to be expected of the shard.
func (sh *Shard) live() bool { return sh.State != Lost }

func (s *State) anyLive() bool {
	for i := range s.Shards {
		if s.Shards[i].live() {
			return true
		}
	}
	return false
}

// anyAtWork reports whether a shard is left that the run can go on with.
func (s *State) anyAtWork() bool {
	for i := range s.Shards {
		if s.Shards[i].live() && s.Shards[i].Lost == "" {
			return true
		}
	}
	return false
}

// all reports whether every live shard is in state.
func (s *State) all(state ShardState) bool {
	for i := range s.Shards {
		if s.Shards[i].live() && s.Shards[i].State != state {
			return false
		}
	}
	return true
}

// merged reports whether every window of every live shard is safe.
func (s *State) merged() bool {
	for i := range s.Shards {
		if !s.Shards[i].live() {
			continue
		}
		for _, e := range s.Shards[i].Ended {
			if !e.Merged {
				return false
			}
		}
	}
	return true
}
