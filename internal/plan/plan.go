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
	Name      string
	Note      string
	Tags      map[string]string
	Cases     []Case
	Order     Order
	OnFailure OnFailure
	Trial     bool    // it has its small sizes
	Tables    []Table // that a report shows
}

// Order is the one in which the runs of a suite are executed.
type Order string

// The orders.
const (
	Sequential  Order = "sequential" // case after case, each with its repeats
	Interleaved Order = "abba"       // the targets of a case take turns, repeat by repeat: A B, B A, A B …
)

// OnFailure says what becomes of the runs after one that failed.
type OnFailure string

// What becomes of them.
const (
	StopAll OnFailure = "stop"     // they are cancelled
	GoOn    OnFailure = "continue" // they are executed
)

// Case is one line of the expanded matrix.
type Case struct {
	Name string // no other case of the suite has it
	// Scenario is what it is a case of, by name, and Axes what the matrix varied, in the order of its axes: a case is
	// found by them. Both are empty where a properties file was submitted.
	Scenario string
	Axes     []Setting
	// Dataset names the rows that it works on, and Target the system that they are on: the cases with the same ones
	// see each other's rows. Fills is a case that only writes the dataset; it comes before the first that uses it.
	Dataset, Target string
	Fills           bool
	Agents          int               // 0 is as many as the submission says
	Published       []map[string]any  // what a report printed for it, an entry for each of its runs; keys are a Table's columns
	Properties      map[string]string // every setting with its value, by its property name; what agents are sent
	Settings        Settings
	Repeats         int
}

// Setting is a property with its value, as a user wrote it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Table is one that a report shows of a suite: a line for each case of its scenarios, and for each repeat if Repeats
// is set; in Columns, what the cases differ by (threads, target, recordcount …) and their figures, spelled as
// <op>_<stat>_<unit> (read_avg_ms, insert_p999_us), <op>_count, throughput_ops, total_ms, regions.
type Table struct {
	Title     string   `json:"title"`
	Scenarios []string `json:"scenarios"`
	Columns   []string `json:"columns"`
	Repeats   bool     `json:"repeats,omitempty"`
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

	// HandoverAfter is how long a load waits for an agent that is not connected before another of the run goes on with its
	// shard; 0 is the coordinator's default.
	HandoverAfter time.Duration

	Telemetry Telemetry

	// BeforeRun are actions on the target that come before the first segment that measures, likewise. Actions are done
	// while it is measured, one after another; a run that is over waits for none but a hook.
	BeforeRun []string
	Actions   []Action

	// Empties says that the run drops the rows that are there. Splits is how the table that it creates is split, in a word.
	Empties bool
	Splits  string

	// ContinueInserts lets a run insert behind the rows that earlier ones of its suite have inserted.
	ContinueInserts bool

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
	Before []string `json:",omitempty"` // likewise, before the segment that begins with it
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
