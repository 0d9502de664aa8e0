// Package plan turns a suite into what is executed:
//
//  1. a Suite is a list of Cases, each with its resolved Settings;
//  2. a Case is executed as Runs, one for each repeat;
//  3. a Run goes through Phases, one after another;
//  4. Shards cut a run over its agents: how many workers, which rows, which operations each of them gets.
//
// It is pure: package spec reads suites from text, package lifecycle executes runs.
package plan

import (
	"time"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/workload"
)

// Suite is what a user submitted, resolved.
type Suite struct {
	Name  string
	Note  string
	Tags  map[string]string
	Cases []Case
}

// Case is one line of the expanded matrix.
type Case struct {
	Name       string
	Properties map[string]string // every setting with its value, by its property name; what agents are sent
	Settings   Settings
	Repeats    int
}

// Settings is what the properties of a case mean.
type Settings struct {
	DB       string // the target's name: null, hbase …
	Workload workload.Config
	Pacing   pacing.Config

	Load, Run    bool // which of YCSB's phases are executed
	Threads      int  // workers per agent, when ThreadsTotal is 0
	ThreadsTotal int  // workers over all agents

	Duration time.Duration // see Phases for which phase it bounds; 0 is none
	Interval time.Duration // of windows

	Warmup      time.Duration // before measuring, or the longest that it may take; 0 is none, or no bound
	WarmupOps   int64         // it ends after so many operations over all agents; 0: it does not
	WarmupUntil Until         // what else ends it

	// AfterLoad are actions on the target that a load ends with, in their order; what follows waits for them, each for at
	// most ActionTimeout.
	AfterLoad     []string
	ActionTimeout time.Duration

	Limits Limits
}

// Limits end a run as failed when they are violated. Shares are of the operations of a phase so far.
type Limits struct {
	NotFoundShare float64 // law 3: default 0.001; 1 is none
	ErrorShare    float64 // default 1, which is none
}

// PhaseName names a phase of a run.
type PhaseName string

// The phases, in the order in which a run goes through those that it has.
const (
	Setup    PhaseName = "setup"
	Load     PhaseName = "load"
	Warmup   PhaseName = "warmup"
	Measure  PhaseName = "measure"
	Teardown PhaseName = "teardown"
)

// Loop says whether operations wait for each other.
type Loop string

// The loops.
const (
	Closed Loop = "closed" // a worker's next operation is intended when its last is done
	Open   Loop = "open"   // operations are intended by the clock, whatever the target does
)

// Until is a condition that ends a phase.
type Until string

// Steady is until throughput and service time are steady.
const Steady Until = "steady"

// SteadyIntervals is how many windows it takes to see whether they are.
const SteadyIntervals = 20

// Phase is one phase of a run.
type Phase struct {
	Name     PhaseName
	Loop     Loop
	Duration time.Duration // 0: it ends by Ops (or never)
	Ops      int64         // over all shards; 0: it ends by Duration (or never)
	Until    Until         // what ends it before Duration; empty: nothing
	// Joined says that the phase begins while the one before it is still running: workers go on, only the
	// windows change their phase at an instant that is the same for all shards.
	Joined bool
	After  []string `json:",omitempty"` // actions on the target that the steward does when it has ended
}

// Run is one repeat of a case.
type Run struct {
	ID     string // S.1, S.2, … under suite id S
	Case   string
	Repeat int    // from 1
	Seed   uint64 // of all that is drawn in it, never 0
	Phases []Phase
}

// Shard is one agent's part of a run.
type Shard struct {
	Run        string
	Index      int // 0 … Count-1
	Count      int
	Attempt    int    // how often it was handed out, from 1
	Agent      string // to whom
	Workers    int
	Phases     []Phase
	Properties map[string]string
	// Loaded is where each worker of a load goes on that an earlier attempt began; nil where it begins.
	Loaded []int64
}
