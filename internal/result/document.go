package result

import (
	"encoding/json"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
)

// Schema is the version of the JSON form. Fields are only ever added.
const Schema = 1

// Status is the state of a run or a suite.
type Status string

// The statuses. The last four are final.
const (
	Queued    Status = "queued"
	Preparing Status = "preparing"
	Running   Status = "running"
	Stopping  Status = "stopping"

	Complete  Status = "complete"
	Partial   Status = "partial"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Ended reports whether the status is final.
func (s Status) Ended() bool {
	return s == Complete || s == Partial || s == Failed || s == Cancelled
}

// Run is a run's result.
type Run struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"` // "run"
	ID     string `json:"id"`
	Name   string `json:"name"`
	Case   string `json:"case"`
	Repeat int    `json:"repeat,omitempty"` // of the case, from 1
	// ReplacedBy is the run of a resumed suite that replaces this one.
	ReplacedBy string            `json:"replaced_by,omitempty"`
	Status     Status            `json:"status"`
	Reason     string            `json:"reason,omitempty"` // why failed or cancelled
	Violated   bool              `json:"limit_violated,omitempty"`
	Missing    []string          `json:"missing"`
	Spec       json.RawMessage   `json:"spec"`
	Resolved   map[string]string `json:"resolved"`
	Note       string            `json:"note"`
	Tags       map[string]string `json:"tags"`

	Provenance Provenance `json:"provenance"`
	// Terms are what the run's workload does on its target; null if that is not known.
	Terms     *descriptor.Terms `json:"terms,omitempty"`
	Start     *Start            `json:"start"` // null when the run never started
	Reconcile Reconcile         `json:"reconcile"`
	Phases    []Phase           `json:"phases"`
	Verdicts  []Verdict         `json:"verdicts"`
	Warnings  []string          `json:"warnings,omitempty"`
	// RowGap describes the row numbers without a row at the end of the inserted range; null if there are none.
	RowGap *RowGap `json:"row_gap,omitempty"`
}

// RowGap is a range of row numbers of which some have no row: several agents insert in turns and do not end at the same
// row.
type RowGap struct {
	First int64  `json:"first"` // all rows below it exist
	Last  int64  `json:"last"`  // no row above it was inserted
	Count *int64 `json:"count"` // how many have no row or may have none; null if an agent did not report it
}

// Suite is the result of a suite of several runs.
type Suite struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"` // "suite"
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	Runs   []Run  `json:"runs"`

	Note string            `json:"note,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
	Plan *Plan             `json:"plan,omitempty"` // null in suites of versions without plans
	// Ran are the runs that have begun, in the order in which they began.
	Ran []Turn `json:"ran,omitempty"`

	// Cases and Tables are computed from Plan and Runs by package table.
	Cases  []Case  `json:"cases,omitempty"`
	Tables []Table `json:"tables,omitempty"`
	// Sweeps are computed from Cases by package capacity.
	Sweeps []Sweep `json:"sweeps,omitempty"`
	// Interference is computed from Cases and Runs by package interference: what groups of workers cost each other.
	Interference []Interference `json:"interference,omitempty"`
	// Terms are what the workload does on each target, computed from Runs by package table.
	Terms []TargetTerms `json:"target_terms,omitempty"`
}

// TargetTerms are the terms of the cases of one target. Cases with other terms have an entry of their own.
type TargetTerms struct {
	Target string   `json:"target,omitempty"` // of the suite
	DB     string   `json:"db"`
	Cases  []string `json:"cases"`
	descriptor.Terms
}

// Provenance is where a result comes from (law 10).
type Provenance struct {
	Benchd      string            `json:"benchd"` // the coordinator's version and commit
	SubmittedBy string            `json:"submitted_by"`
	Created     time.Time         `json:"created"`
	Seed        uint64            `json:"seed"`
	Target      map[string]string `json:"target"`
	Agents      []Agent           `json:"agents"`
	// Listeners are those of the coordinator, each with its protection, such as "gRPC 0.0.0.0:7070: TLS". A run within one process has
	// none, and results of older builds do not have them.
	Listeners []string `json:"listeners,omitempty"`
	// Foreign is set in a result that another program measured, and benchd imported.
	Foreign *Foreign `json:"foreign,omitempty"`
}

// Foreign is what is known of a result that another program measured. Such a result has what its files contain and nothing else:
// no agents, no verdicts, and no counts that could be reconciled.
type Foreign struct {
	Program string `json:"program"`           // that measured; empty if unknown
	Version string `json:"version,omitempty"` // of Program, if a file has it
	// Latency is what the files contain: service times, response times, or both. With service times alone, the response times of
	// operations repeat them.
	Latency string        `json:"latency"` // service, response or both
	Stated  []string      `json:"stated"`  // what the importing user stated, such as "loop closed", because no file has it
	Files   []ForeignFile `json:"files"`
}

// The contents of Foreign.Latency.
const (
	ServiceLatency  = "service"
	ResponseLatency = "response"
	BothLatencies   = "both"
)

// UnknownLoop is the loop of a phase of a foreign result whose files do not contain it.
const UnknownLoop = "unknown"

// ForeignFile is a file that a foreign result was made from.
type ForeignFile struct {
	Name   string `json:"name"`
	Format string `json:"format"` // ycsb-text, ycsb-json, hlog
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// String is the program and its version.
func (f *Foreign) String() string {
	switch {
	case f.Program == "":
		return "an unknown program"
	case f.Version == "":
		return f.Program
	}
	return f.Program + " " + f.Version
}

// Agent is one agent's part in a run.
type Agent struct {
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Shard    int               `json:"shard"`
	Attempt  int               `json:"attempt"`
	Workers  int               `json:"workers"`
	Hostname string            `json:"hostname"`
	OS       string            `json:"os"`
	Kernel   string            `json:"kernel"`
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`          // that the agent may use
	CPUs     string            `json:"cpus,omitempty"` // which, such as 0-1,4; if not all of the machine
	Memory   uint64            `json:"memory_bytes"`
	Go       string            `json:"go"`
	RawIO    string            `json:"raw_io,omitempty"` // on or off: system calls that bypass Go's runtime
	Labels   map[string]string `json:"labels"`
	// Connection is the protection of its connection to the coordinator, such as "TLS"; empty as Provenance.Listeners is.
	Connection string `json:"connection,omitempty"`
}

// Start reports how closely together the agents began.
type Start struct {
	Planned time.Time `json:"planned"`
	// SkewMS is the time between the first and the last agent's first operation, by the coordinator's clock;
	// the true value is within UncertaintyMS of it.
	SkewMS        float64      `json:"skew_ms"`
	UncertaintyMS float64      `json:"uncertainty_ms"`
	Agents        []AgentStart `json:"agents"`
}

// AgentStart is one agent's start.
type AgentStart struct {
	Name          string  `json:"name"`
	LateMS        float64 `json:"late_ms"` // first operation after the planned instant
	OffsetMS      float64 `json:"clock_offset_ms"`
	UncertaintyMS float64 `json:"clock_uncertainty_ms"`
}

// Reconcile has the counts of law 9, over all phases and excluding the parts of larger operations.
type Reconcile struct {
	Issued   uint64 `json:"issued"`
	Recorded uint64 `json:"recorded"`
	Merged   uint64 `json:"merged"`
	OK       bool   `json:"ok"`
	// Groups are the counts of each group of workers; only of a run with groups.
	Groups []GroupReconcile `json:"groups,omitempty"`
	// Unknown is set if nothing was compared: a foreign result does not contain these counts.
	Unknown bool `json:"unknown,omitempty"`
}

// Phase is what was measured in one phase.
type Phase struct {
	Name       string  `json:"name"`
	Loop       string  `json:"loop"`
	Seconds    float64 `json:"seconds"`
	Ops        uint64  `json:"ops"`
	OpsAfter   uint64  `json:"ops_after_end"` // in flight at the end: recorded, not counted for throughput
	Rows       uint64  `json:"rows"`
	Bytes      uint64  `json:"bytes"`
	Throughput float64 `json:"throughput"`
	// Interval bounds the throughput; in measured phases of ended runs.
	Interval *Interval `json:"throughput_interval,omitempty"`
	Offered  *float64  `json:"offered,omitempty"` // open loop only
	// Lateness is how late operations were sent, over all agents; open loop only.
	Lateness *Lateness `json:"lateness,omitempty"`
	// Handovers are the times in which a shard had no agent; Throughput includes them.
	Handovers []Handover `json:"handovers,omitempty"`

	// Groups are the groups of workers that worked beside each other; only of a run with groups.
	Groups []Group `json:"groups,omitempty"`

	Operations   []Operation   `json:"operations"`
	Series       []Point       `json:"series"`
	Observations []Observation `json:"observations"`
	Events       []Event       `json:"events"`
	Actions      []Action      `json:"actions,omitempty"`
	Incidents    []Incident    `json:"incidents,omitempty"` // actions and events with their cost, by time
	Errors       []ErrorSample `json:"errors,omitempty"`
	Generators   []Generator   `json:"generators"`
	// Retries counts the attempts within operations that were followed by another attempt, by cause: an exception's
	// class, or the step that failed. They do not count as failed operations.
	Retries map[string]uint64 `json:"retries,omitempty"`

	// Combined are the operations as YCSB counts them; see Combine.
	Combined []Combined `json:"combined,omitempty"`

	// Bottleneck is what limited the throughput, from package bottleneck; null before the run has ended, and in phases that
	// are not measured.
	Bottleneck *Bottleneck `json:"bottleneck,omitempty"`
	// Clients are the tests of the load generators that Bottleneck is based on.
	Clients []ClientTest `json:"-"`
	// Unsent are the operations that an open loop had intended and not sent when the phase ended.
	Unsent uint64 `json:"-"`
}

// Figures are a histogram's figures in microseconds. A percentile is null when there are too few samples for
// it (law 6).
type Figures struct {
	Count    uint64   `json:"count"`
	Overflow uint64   `json:"overflow,omitempty"` // samples above one hour, in count, sum and max but in no bucket
	Mean     float64  `json:"mean_us"`
	Min      float64  `json:"min_us"`
	Max      float64  `json:"max_us"`
	P50      *float64 `json:"p50_us"`
	P90      *float64 `json:"p90_us"`
	P95      *float64 `json:"p95_us"`
	P99      *float64 `json:"p99_us"`
	P999     *float64 `json:"p999_us"`
	P9999    *float64 `json:"p9999_us"`
	// Variance is the samples' variance, in square microseconds. Only Combined figures have it.
	Variance float64 `json:"variance_us2,omitempty"`
	// Percentiles are those requested with hdrhistogram.percentiles, by PercentileName. Only Combined figures have
	// them.
	Percentiles map[string]*float64 `json:"percentiles_us,omitempty"`
}

// Operation is one operation with one outcome over a phase. Its own figures are response times.
type Operation struct {
	Op      string  `json:"op"`
	Outcome string  `json:"outcome"`
	PartOf  *string `json:"part_of"`
	Figures
	Service Figures          `json:"service"`
	Agents  []AgentOperation `json:"agents"`
}

// Combined is a series of operations under one name as YCSB counts them: including those that are parts of larger
// operations, and with all failures together unless they are requested one by one. Its own figures are response times.
type Combined struct {
	Name string `json:"name"`
	Figures
	Service Figures `json:"service"`
	// Returns counts the outcomes of the operation of this name, including failed ones, whose series has another
	// name.
	Returns map[string]uint64 `json:"returns,omitempty"`
}

// AgentOperation is one agent's share of an Operation.
type AgentOperation struct {
	Name  string   `json:"name"`
	Count uint64   `json:"count"`
	Mean  float64  `json:"mean_us"`
	Min   float64  `json:"min_us"`
	P50   *float64 `json:"p50_us"`
	P95   *float64 `json:"p95_us"`
	P99   *float64 `json:"p99_us"`
	Max   float64  `json:"max_us"`
}

// Point is one interval of a phase's series.
type Point struct {
	T          float64          `json:"t"`
	Seconds    float64          `json:"seconds"`
	Tail       bool             `json:"tail,omitempty"` // after the planned end
	Ops        uint64           `json:"ops"`
	Operations []PointOperation `json:"operations"`
	// Retries are the retries in the interval.
	Retries map[string]uint64 `json:"retries,omitempty"`
}

// PointOperation is one operation with one outcome in an interval.
type PointOperation struct {
	Op      string   `json:"op"`
	Outcome string   `json:"outcome"`
	PartOf  *string  `json:"part_of"`
	Count   uint64   `json:"count"`
	Mean    float64  `json:"mean_us"`
	P50     *float64 `json:"p50_us"`
	P99     *float64 `json:"p99_us"`
	Max     float64  `json:"max_us"`
	// ServiceMean is the mean of the service times; the other figures are response times.
	ServiceMean float64 `json:"service_mean_us"`
}

// Observation is a figure that a target or a host reported over a phase.
type Observation struct {
	Name   string       `json:"name"`
	Source string       `json:"source"`
	Unit   string       `json:"unit"`
	Points [][2]float64 `json:"points"`
}

// Event is something that happened during a phase.
type Event struct {
	T    float64 `json:"t"`
	Kind string  `json:"kind"`
	Text string  `json:"text"`
}

// StillGoing is the outcome of an action that had not ended when its run did; Seconds is then a lower bound.
const StillGoing = "still going on when the run ended"

// Action is an action on the target during a phase, and its effect on the throughput. Times are in seconds since
// the phase's start.
type Action struct {
	Do      string  `json:"do"` // the action with its arguments, such as "split usertable user5"
	T       float64 `json:"t"`
	Seconds float64 `json:"seconds"` // how long it took; 0 with an empty Outcome: it has not ended
	Outcome string  `json:"outcome"` // "done", StillGoing, or the error
	Effect  *Effect `json:"effect"`  // null if nothing was measured meanwhile
}

// Effect is the throughput around an action, in operations per second. A mean is null if it has no measured interval.
type Effect struct {
	Before *float64 `json:"before"` // mean from the phase's start, or the previous action's end, until it began
	During *float64 `json:"during"` // mean of the intervals in which it ran
	After  *float64 `json:"after"`  // mean of those after it, until the next began
	// Worst is the lowest throughput of an interval from its start until the throughput recovered, WorstAt the start of
	// that interval.
	Worst   *float64 `json:"worst"`
	WorstAt float64  `json:"worst_at"`
	// Recovery is how many seconds after the action's start the throughput had recovered: 0 if no interval fell below
	// the limit, null if it was not seen to recover. Test contains the criterion.
	Recovery *float64 `json:"recovery_seconds"`
	Test     string   `json:"test"`
}

// ErrorSample is the first message of a kind of error.
type ErrorSample struct {
	Op      string `json:"op"`
	Outcome string `json:"outcome"`
	Agent   string `json:"agent"`
	Message string `json:"message"`
}

// Generator is the health of one agent's load generator over a phase. Idle CPU is null if the agent could not measure
// it, and excludes the time after the planned end.
type Generator struct {
	Name         string   `json:"name"`
	Seconds      float64  `json:"seconds"`          // how long it worked: where operations end the phase, others may work longer
	IdleMin      *float64 `json:"idle_min_percent"` // of the host, over a window
	IdleMean     *float64 `json:"idle_mean_percent"`
	OwnCPU       float64  `json:"own_cpu_cores"` // mean
	CPUPerOp     float64  `json:"cpu_us_per_op"` // of the agent's process
	NetRx        uint64   `json:"net_rx_bytes"`
	NetTx        uint64   `json:"net_tx_bytes"`
	NetUse       *float64 `json:"net_use_max_percent,omitempty"` // of the busiest interface's speed, over a window; if known
	GCPauses     int      `json:"gc_pauses"`
	GCPauseTotal float64  `json:"gc_pause_ms"`
	GCPauseMax   float64  `json:"gc_pause_max_ms"`
	SchedLagP99  float64  `json:"sched_lag_p99_ms"` // largest of the windows'
	SchedLagMax  float64  `json:"sched_lag_max_ms"`
	LateSends    uint64   `json:"late_sends"`
	LateMax      float64  `json:"late_max_ms"`
	BacklogMax   uint64   `json:"backlog_max"`
	// Client counts events of the target's client besides operations, under the target's names: attempts followed by
	// another attempt ("retry"), opened connections ("connect") and the like.
	Client map[string]uint64 `json:"client,omitempty"`
	// Lateness is how late operations were sent for any reason; open loop only. Late sends are those caused by the
	// generator itself.
	Lateness *Lateness `json:"lateness,omitempty"`
}

// Lateness is how long after their intended instants operations were sent, in milliseconds: because a worker woke late,
// or because all were busy, which also lets a backlog grow. A percentile is null when there are too few samples for it
// (law 6).
type Lateness struct {
	Count uint64   `json:"count"`
	Mean  float64  `json:"mean_ms"`
	P50   *float64 `json:"p50_ms"`
	P99   *float64 `json:"p99_ms"`
	P999  *float64 `json:"p999_ms"`
	Max   float64  `json:"max_ms"`
}

// Verdict is the outcome of a test of the result (law 8).
type Verdict struct {
	Name    string `json:"name"`
	Value   bool   `json:"value"`
	Because string `json:"because"`
	Test    string `json:"test"`
}
