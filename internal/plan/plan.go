// Package plan divides a suite into units of execution:
//
//  1. a Suite is a list of Cases, each with its resolved Settings;
//  2. a Case is executed as Runs, one for each repeat;
//  3. a Run goes through Phases, one after another;
//  4. Shards divide a run over its agents: each gets a number of workers, a range of rows, and a part of the operations.
//
// It is pure: package spec reads suites from text, package lifecycle executes runs.
package plan

import (
	"time"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

// Suite is a submitted suite, resolved.
type Suite struct {
	Name      string
	Note      string
	Tags      map[string]string
	Cases     []Case
	Order     Order
	OnFailure OnFailure
	Schedule  schedule.Schedule // when it recurs; zero for a suite that runs once
	Trial     bool              // reduced sizes are used
	Tables    []Table           // tables of the report
	Charts    []Chart           // charts of the report, besides those that every report has
}

// ScheduleTag is the tag of the suites that a schedule has submitted: its name.
const ScheduleTag = "schedule"

// Order is the order in which the runs of a suite are executed.
type Order string

// The orders.
const (
	Sequential  Order = "sequential" // case after case, each with its repeats
	Interleaved Order = "abba"       // the targets of a case, and its groups of workers, take turns, repeat by repeat: A B, B A, A B …
)

// OnFailure is what happens to the runs after a failed one.
type OnFailure string

// Values of OnFailure.
const (
	StopAll OnFailure = "stop"     // the other runs are cancelled
	GoOn    OnFailure = "continue" // the other runs are executed
)

// Case is one line of the expanded matrix.
type Case struct {
	Name string // unique in the suite
	// Scenario is the name of the case's scenario, and Axes are the values of the matrix, in the order of its axes: they
	// identify a case. Both are empty where a properties file was submitted.
	Scenario string
	Axes     []Setting
	// Dataset names the rows of the case, and Target the system that they are on: the cases with the same ones see each
	// other's rows. Fills is set for a case that only writes the dataset; it runs before the first one that uses it.
	Dataset, Target string
	Fills           bool
	Agents          int               // 0: the number of the submission
	Published       []map[string]any  // published figures, an entry for each run; keys are a Table's columns
	Properties      map[string]string // every setting with its value, by its property name; sent to agents
	Settings        Settings
	Repeats         int
	// Search asks for the highest throughput of the case, instead of repeats: its runs are planned one after another, each
	// from the results of those before it. nil: no search.
	Search *search.Space
}

// Setting is a property with its value, as a user wrote it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Table is a table of a suite's report: it has a line for each case of its scenarios, and for each repeat if Repeats is
// set. Columns are what the cases differ by (threads, target, recordcount …) and their figures, spelled
// <op>_<stat>_<unit> (read_avg_ms, insert_p999_us), <op>_count, throughput_ops, total_ms, regions.
type Table struct {
	Title     string   `json:"title"`
	Scenarios []string `json:"scenarios"`
	Columns   []string `json:"columns"`
	Repeats   bool     `json:"repeats,omitempty"`
}

// Settings is the meaning of a case's properties.
type Settings struct {
	DB       string // the target's name: null, hbase …
	Workload workload.Config
	Pacing   pacing.Config

	// Trace is the trace whose operations the run repeats, Speed times as fast; nil: a generator draws them.
	Trace *trace.Card
	Speed float64

	Load, Run    bool // which of YCSB's phases are executed
	Threads      int  // workers per agent, when ThreadsTotal is 0
	ThreadsTotal int  // workers over all agents

	Duration time.Duration // of the phase that Phases selects; 0 is none
	Interval time.Duration // of windows

	Warmup      time.Duration // its length, or its maximum length; 0 is none, or no bound
	WarmupOps   int64         // it ends after this number of operations over all agents; 0: it does not
	WarmupUntil Until         // another condition that ends it

	// AfterLoad are actions on the target at the end of a load, in their order; the next phase waits for them, each for
	// at most ActionTimeout.
	AfterLoad     []string
	ActionTimeout time.Duration

	// HandoverAfter is how long a load waits for a disconnected agent before another agent of the run takes over its
	// shard; 0 is the coordinator's default.
	HandoverAfter time.Duration

	Telemetry Telemetry

	// BeforeRun are actions on the target before the first segment that measures, in the same way. Actions are executed
	// during the measurement, one after another; the end of the run waits only for a hook.
	BeforeRun []string
	Actions   []Action

	// RowsAfterLoad and RowsBeforeRun are what AfterLoad and BeforeRun do to the rows of the run's table, in their order.
	RowsAfterLoad, RowsBeforeRun []RowsChange

	// Empties is set if the run drops the existing rows. Splits describes in a word how the table that it creates is
	// split.
	Empties bool
	Splits  string

	// ContinueInserts makes a run insert behind the rows that earlier runs of its suite have inserted.
	ContinueInserts bool

	Limits Limits

	// Groups are the groups of workers of a run; nil for a run of one. The fields above are then those that all groups share,
	// but for the Workload: its Proportions are the mix of all groups together.
	Groups []Group
}

// Limits end a run as failed when they are violated. Shares are of the operations of a phase so far.
type Limits struct {
	NotFoundShare float64 // law 3: default 0.001; 1 is none
	ErrorShare    float64 // default 1, which is none
}

// PhaseName names a phase of a run.
type PhaseName string

// The phases, in the order of execution.
const (
	Setup    PhaseName = "setup"
	Load     PhaseName = "load"
	Warmup   PhaseName = "warmup"
	Measure  PhaseName = "measure"
	Teardown PhaseName = "teardown"
)

// Loop is whether operations wait for each other.
type Loop string

// The loops.
const (
	Closed Loop = "closed" // a worker's next operation is intended when its last is done
	Open   Loop = "open"   // operations are intended by the clock, whatever the target does
)

// Until is a condition that ends a phase.
type Until string

// Steady ends a phase when throughput and service time are steady.
const Steady Until = "steady"

// SteadyIntervals is the number of windows that the test for steadiness takes.
const SteadyIntervals = 20

// Phase is one phase of a run.
type Phase struct {
	Name     PhaseName
	Loop     Loop
	Duration time.Duration // 0: it ends by Ops (or never)
	Ops      int64         // over all shards; 0: it ends by Duration (or never)
	Until    Until         // condition that ends it before Duration; empty: none
	// Joined is set if the phase starts while the one before it is still running: workers go on, and windows change their
	// phase at an instant that is the same for all shards.
	Joined bool
	After  []string `json:",omitempty"` // actions on the target by the steward at its end
	Before []string `json:",omitempty"` // the same before the segment that starts with it
}

// Run is one repeat of a case.
type Run struct {
	ID     string // S.1, S.2, … under suite id S
	Case   string
	Repeat int    // from 1
	Seed   uint64 // of all random choices of the run, never 0
	Phases []Phase
}

// Shard is one agent's part of a run.
type Shard struct {
	Run        string
	Index      int // 0 … Count-1
	Count      int
	Attempt    int    // number of the assignment, from 1
	Agent      string // the agent that it is assigned to
	Workers    int
	Phases     []Phase
	Properties map[string]string
	// Loaded is where each worker of a load continues an earlier attempt; nil for the first attempt.
	Loaded []int64
}
