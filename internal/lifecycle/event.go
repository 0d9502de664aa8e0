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
	// ClocksKnown reports that the clocks of the agents are known; it answers Probe.
	ClocksKnown struct{}
	// PhaseEnded reports that a shard's workers have joined.
	PhaseEnded struct {
		Shard int
		Ended Ended
	}
	// WindowsMerged reports that all windows of a shard's phase are archived; it follows the PhaseEnded.
	WindowsMerged struct {
		Shard int
		Phase plan.PhaseName
	}
	// AgentLost reports that the agent of a shard will not return.
	AgentLost struct {
		Shard int
		Why   string
	}
	// LimitViolated reports that the run violates a limit.
	LimitViolated struct{ Text string }
	// Cancel cancels the run. By is the user who asked for it; Because is the reason for a run that no user cancelled.
	Cancel struct{ By, Because string }
	// Refused reports that the run cannot start.
	Refused struct{ Why string }
	// Fired reports that a timer has expired.
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

// Timer names a timer of a run. Arming a running timer resets it.
type Timer string

// The timers.
const (
	PrepareTimeout Timer = "prepare" // the agents take too long to get ready
	Overdue        Timer = "overdue" // a phase that ends by time has not ended
	StopTimeout    Timer = "stop"    // agents have not stopped as ordered
	// Stragglers: all shards have ended, but windows that they announced have not arrived. It is armed again while some
	// still do.
	Stragglers Timer = "stragglers"
)

// Bounds on waiting.
const (
	setupWithin      = 10 * time.Minute // for the steward: a table may have to be dropped and created
	prepareWithin    = 2 * time.Minute  // for the others
	overdueAfter     = time.Minute      // beyond the planned length: operations in flight have their own timeout
	stopWithin       = 90 * time.Second
	stragglersWithin = time.Minute // since the last window arrived
)

// Command is a command to the coordinator.
type Command interface{ command() string }

type (
	// Prepare hands a shard to its agent.
	Prepare struct{ Shard int }
	// Probe measures the agents' clocks; ClocksKnown answers.
	Probe struct{}
	// Start begins a segment on all live shards at one instant.
	Start struct{ Phase int }
	// Restart sends one shard the start of its current segment again.
	Restart struct{ Shard, Phase int }
	// Stop ends a shard's work.
	Stop struct {
		Shard  int
		Reason string
	}
	// Release orders an agent to drop its shard.
	Release struct{ Shard int }
	// Arm starts a timer.
	Arm struct {
		Timer Timer
		After time.Duration
	}
	// Note adds an event to the timeline.
	Note struct{ Kind, Text string }
	// Seal ends the run for good.
	Seal struct{ Status result.Status }
)

func (c Prepare) command() string { return fmt.Sprintf("prepare shard %d", c.Shard) }
func (Probe) command() string     { return "probe clocks" }
func (c Start) command() string   { return fmt.Sprintf("start phase %d", c.Phase) }
func (c Restart) command() string {
	return fmt.Sprintf("send shard %d phase %d again", c.Shard, c.Phase)
}
func (c Stop) command() string    { return fmt.Sprintf("stop shard %d: %s", c.Shard, c.Reason) }
func (c Release) command() string { return fmt.Sprintf("release shard %d", c.Shard) }
func (c Arm) command() string     { return fmt.Sprintf("arm %s after %s", c.Timer, c.After) }
func (c Note) command() string    { return fmt.Sprintf("note %s: %s", c.Kind, c.Text) }
func (c Seal) command() string    { return fmt.Sprintf("seal %s", c.Status) }
