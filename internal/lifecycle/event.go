package lifecycle

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Event is something that happened to a run.
type Event interface{ event() }

type (
	// Granted gives the run its agents, one for each shard.
	Granted struct{ Agents []Grant }
	// Prepared is a shard's answer to Prepare.
	Prepared struct {
		Shard int
		Error string
	}
	// ClocksKnown says that the agents' clocks were probed after Probe.
	ClocksKnown struct{}
	// PhaseEnded says that a shard's workers have joined.
	PhaseEnded struct {
		Shard int
		Ended Ended
	}
	// WindowsMerged says that all windows of a shard's phase are safe; it follows the PhaseEnded.
	WindowsMerged struct {
		Shard int
		Phase plan.PhaseName
	}
	// AgentLost says that the agent of a shard will not come back.
	AgentLost struct {
		Shard int
		Why   string
	}
	// LimitViolated says that a limit of the run was violated.
	LimitViolated struct{ Text string }
	// Cancel says that somebody does not want the run any more; Because is of one that nobody asked to be cancelled.
	Cancel struct{ By, Because string }
	// Refused says that the run cannot be begun.
	Refused struct{ Why string }
	// Fired says that a timer has run out.
	Fired struct{ Timer Timer }
)

// Grant is an agent given to a run.
type Grant struct{ Agent, Boot string }

func (Granted) event()       {}
func (Prepared) event()      {}
func (ClocksKnown) event()   {}
func (PhaseEnded) event()    {}
func (WindowsMerged) event() {}
func (AgentLost) event()     {}
func (LimitViolated) event() {}
func (Cancel) event()        {}
func (Refused) event()       {}
func (Fired) event()         {}

// Timer names a timer of a run. Arming one that runs sets it again.
type Timer string

// The timers.
const (
	PrepareTimeout Timer = "prepare" // the agents take too long to get ready
	Overdue        Timer = "overdue" // a phase that ends by time has not ended
	StopTimeout    Timer = "stop"    // agents that were told to stop have not
	// Stragglers: all shards have ended, but windows that they announced have not come. It is armed again
	// while some still do.
	Stragglers Timer = "stragglers"
)

// Bounds on waiting.
const (
	setupWithin      = 10 * time.Minute // for the steward: a table may have to be dropped and created
	prepareWithin    = 2 * time.Minute  // for the others
	overdueAfter     = time.Minute      // beyond the planned length: operations in flight have a timeout of their own
	stopWithin       = 90 * time.Second
	stragglersWithin = time.Minute // since the last one came
)

// Command is something that the coordinator is to do.
type Command interface{ command() string }

type (
	// Prepare hands a shard to its agent.
	Prepare struct{ Shard int }
	// Probe measures the agents' clocks; ClocksKnown answers.
	Probe struct{}
	// Start begins a segment on all live shards at one instant.
	Start struct{ Phase int }
	// Restart sends one shard the start again of the segment that it should be in.
	Restart struct{ Shard, Phase int }
	// Stop ends a shard's work.
	Stop struct {
		Shard  int
		Reason string
	}
	// Release lets an agent forget its shard.
	Release struct{ Shard int }
	// Arm starts a timer.
	Arm struct {
		Timer Timer
		After time.Duration
	}
	// Note writes something into the timeline.
	Note struct{ Kind, Text string }
	// Seal ends the run for ever.
	Seal struct{ Status result.Status }
)

func (c Prepare) command() string { return fmt.Sprintf("prepare shard %d", c.Shard) }
func (Probe) command() string     { return "probe clocks" }
func (c Start) command() string   { return fmt.Sprintf("start phase %d", c.Phase) }
func (c Restart) command() string {
	return fmt.Sprintf("tell shard %d again of phase %d", c.Shard, c.Phase)
}
func (c Stop) command() string    { return fmt.Sprintf("stop shard %d: %s", c.Shard, c.Reason) }
func (c Release) command() string { return fmt.Sprintf("release shard %d", c.Shard) }
func (c Arm) command() string     { return fmt.Sprintf("arm %s after %s", c.Timer, c.After) }
func (c Note) command() string    { return fmt.Sprintf("note %s: %s", c.Kind, c.Text) }
func (c Seal) command() string    { return fmt.Sprintf("seal %s", c.Status) }
