package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Policy is what happens to a run that loses an agent.
type Policy string

// The policies.
const (
	FailOnLoss     Policy = "fail"
	ContinueOnLoss Policy = "continue"
)

// State is the complete state of a run's life. It is archived as JSON.
type State struct {
	Run    string        `json:"run"`
	Status result.Status `json:"status"`
	Policy Policy        `json:"policy"`
	Phases []plan.Phase  `json:"phases"`

	// Phase is the index of the first phase of the segment that was started last; -1 before the first.
	Phase int `json:"phase"`
	// Joined is the index of the phase that was announced to join it; 0 for none.
	Joined int     `json:"joined,omitempty"`
	Shards []Shard `json:"shards"`

	// ActionsEnded counts the ended actions between the current segment and the next; ActionPending is set while the next
	// one is in progress.
	ActionsEnded  int  `json:"acts,omitempty"`
	ActionPending bool `json:"acting,omitempty"`

	// Held names what delays the run's end; HoldNoted is set once the end has been delayed and the timeline has an event
	// for it.
	Held      string `json:"held,omitempty"`
	HoldNoted bool   `json:"told,omitempty"`

	// Reason is why the run did not end as complete. The first reason stays.
	Reason    string `json:"reason,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Violated  bool   `json:"violated,omitempty"` // a limit; then it has failed, too
	Cancelled bool   `json:"cancelled,omitempty"`
}

// Steward is the shard whose agent sets the target up. It is prepared alone; the others connect when it is ready.
const Steward = 0

// ShardState is the progress of a shard.
type ShardState string

// The states of a shard.
const (
	Assigned ShardState = "assigned" // handed out
	Ready    ShardState = "ready"    // prepared, or between two segments
	Busy     ShardState = "busy"     // started, not ended
	Over     ShardState = "over"     // has ended the segment; its windows may still be on their way
	Lost     ShardState = "lost"     // will send nothing more
)

// Shard is one agent's part.
type Shard struct {
	Agent   string     `json:"agent"`
	Boot    string     `json:"boot"` // the fingerprint of its process
	Attempt int        `json:"attempt"`
	State   ShardState `json:"state"`
	Ended   []Ended    `json:"ended,omitempty"`
	Lost    string     `json:"lost,omitempty"` // why it is lost, or will be after this segment

	// Measured is the fingerprint of the process that measured, if another one has inherited its windows.
	Measured string `json:"measured,omitempty"`
}

// MayInherit reports whether a process with this proof may deliver the windows of the process that measured.
func (sh *Shard) MayInherit(proof string, same func(a, b string) bool) bool {
	return same(cmp.Or(sh.Measured, sh.Boot), proof)
}

// Inherit assigns the shard to the heir of the process that measured. Another heir may follow: the windows in the spool
// remain those of the first process.
func (sh *Shard) Inherit(boot string) {
	sh.Measured = cmp.Or(sh.Measured, sh.Boot)
	sh.Boot = boot
}

// Ended is the end of a shard's work in a phase.
type Ended struct {
	Phase    plan.PhaseName `json:"phase"`
	At       time.Duration  `json:"at"` // from the phase's start
	Windows  int            `json:"windows"`
	Issued   uint64         `json:"issued"`
	Recorded uint64         `json:"recorded"`
	Merged   bool           `json:"merged"`            // every window is archived, or abandoned
	Missing  bool           `json:"missing,omitempty"` // some windows were abandoned
	Final    bool           `json:"final"`             // the workers have joined: the segment is over
	Error    string         `json:"error,omitempty"`
	Left     string         `json:"left,omitempty"` // why the agent itself ended the phase early

	// InsertedBelow is the key number above the last one that the shard may have inserted; 0 if it is unknown.
	InsertedBelow int64 `json:"inserted_below,omitempty"`
	// InsertedRows counts the rows that the shard has certainly inserted; nil if it is unknown.
	InsertedRows *int64 `json:"inserted_rows,omitempty"`

	Client map[string]uint64 `json:"client,omitempty"` // events of the target's client beside operations
}

// New returns a queued run.
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

// Segment returns the phases of the segment that begins with phase i: that phase and those that join it.
func (s *State) Segment(i int) []plan.Phase {
	end := i + 1
	for end < len(s.Phases) && s.Phases[end].Joined {
		end++
	}
	return s.Phases[i:end]
}

// Current returns the phases of the segment that was started last.
func (s *State) Current() []plan.Phase {
	if s.Phase < 0 {
		return nil
	}
	return s.Segment(s.Phase)
}

// ended returns the end of a shard's work in a phase, or nil.
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

// InsertedBelow returns the key number above the last one that the shard may have inserted in a run, from its report of
// the end; 0 if it has sent none. A measurement has one attempt only.
func (sh *Shard) InsertedBelow() int64 {
	for _, e := range sh.Ended {
		if e.Final && e.InsertedBelow > 0 {
			return e.InsertedBelow
		}
	}
	return 0
}

// InsertedRows returns the number of rows that the shard has inserted in a run, from its report of the end; nil if it has
// sent none.
func (sh *Shard) InsertedRows() *int64 {
	for _, e := range sh.Ended {
		if e.Final {
			return e.InsertedRows
		}
	}
	return nil
}

// Held reports whether an agent holds the shard.
func (sh *Shard) Held() bool { return sh.State != Lost && sh.State != Orphan }

// live reports whether the shard can still send something.
func (sh *Shard) live() bool { return sh.State != Lost }

func (s *State) anyLive() bool {
	for i := range s.Shards {
		if s.Shards[i].live() {
			return true
		}
	}
	return false
}

// anyAtWork reports whether a shard is left with which the run can continue.
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

// merged reports whether every window of every live shard is archived.
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
