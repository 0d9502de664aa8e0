package remote

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// Progress is the state of a suite.
type Progress struct {
	Suite, Run string
	Status     result.Status
	WaitingFor string // why the run is queued

	Phase      string
	Elapsed    time.Duration // since the phase's start
	Planned    time.Duration // the phase's length; 0 when it ends by operations alone
	PlannedOps uint64        // 0 when it ends by time alone
	Ops        uint64
	Rate       float64 // operations per second in the last interval
	Offered    float64 // operations per second that an open loop offers; 0 for a closed loop
	Steady     string  // the progress of a warm-up that lasts until the run is steady

	Operations []Operation
	Agents     []AgentProgress
	Events     []Event // since the last Progress

	// Statuses are YCSB's status lines since the last Progress, of a run that was submitted with status=true.
	Statuses []StatusLine

	Ended           bool
	Runs, RunsEnded int
	// RunsAtMost is the maximum number of runs of a suite with searches that have not ended; 0 for other suites.
	RunsAtMost int

	Case  string         // of the run, in a suite of several
	Ahead *time.Duration // the estimated remaining time of the suite, with RunsAtMost its maximum; nil if there is no estimate
}

// Operation is one operation with one outcome in the last interval.
type Operation struct {
	Op, Outcome, PartOf string
	Count               uint64
	P50, P99, Max       time.Duration
}

// AgentProgress is one agent of a run.
type AgentProgress struct {
	Name      string
	Connected bool
	State     string
	Rate      float64
	Idle      float64 // share of its host, 0 to 1; negative when unknown
	P99       time.Duration
	Clock     Clock
}

// Clock is an agent's clock relative to the coordinator's.
type Clock struct {
	OffsetMS      float64 `json:"offset_ms"`
	UncertaintyMS float64 `json:"uncertainty_ms"`
	DriftPPM      float64 `json:"drift_ppm"`
}

// Event is something that happened to a run.
type Event struct {
	At         time.Time
	Kind, Text string
}

// StatusLine is one of YCSB's status lines, without the time between label and text.
type StatusLine struct {
	Label string
	At    time.Time
	Text  string
}

// Suite is a line of the list.
type Suite struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Status      result.Status     `json:"status"`
	Created     time.Time         `json:"created"`
	Runs        int               `json:"runs"`
	RunsEnded   int               `json:"runs_ended"`
	RunsAtMost  int               `json:"runs_at_most,omitempty"` // of a suite with searches that have not ended
	LeftSeconds *float64          `json:"left_seconds"`           // the estimated time until all have; null if there is no estimate
	DB          string            `json:"db"`
	SubmittedBy string            `json:"submitted_by"`
	SetAside    string            `json:"set_aside,omitempty"` // why the coordinator has set it aside
	Note        string            `json:"note"`
	Tags        map[string]string `json:"tags"`
}

// Agent is an agent in the roster.
type Agent struct {
	Name      string            `json:"name"`
	Connected bool              `json:"connected"`
	Run       string            `json:"run"` // that it serves; empty when idle
	Draining  bool              `json:"draining"`
	LastHeard time.Time         `json:"last_heard"`
	Address   string            `json:"address"`
	Metrics   string            `json:"metrics_address"`
	Labels    map[string]string `json:"labels"`
	Version   string            `json:"version"`
	Host      Host              `json:"host"`
	Clock     Clock             `json:"clock"`
}

// Host is an agent's machine.
type Host struct {
	Hostname string `json:"hostname"`
	OS       string `json:"os"`
	Kernel   string `json:"kernel"`
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Memory   uint64 `json:"memory_bytes"`
	Go       string `json:"go"`
}

func progressOf(m *benchdv1.WatchResponse) Progress {
	return Progress{
		Suite: m.GetSuite(), Run: m.GetRun(), Status: result.Status(m.GetStatus()), WaitingFor: m.GetWaitingFor(),
		Phase: m.GetPhase(), Elapsed: m.GetElapsed().AsDuration(), Planned: m.GetPlanned().AsDuration(),
		PlannedOps: m.GetPlannedOps(), Ops: m.GetOps(), Rate: m.GetRate(), Offered: m.GetOffered(),
		Steady: m.GetSteady(),
		Operations: each(m.GetOperations(), func(o *benchdv1.LiveOperation) Operation {
			return Operation{
				Op: o.GetOp(), Outcome: o.GetOutcome(), PartOf: o.GetPartOf(), Count: o.GetCount(),
				P50: micros(o.GetP50Us()), P99: micros(o.GetP99Us()), Max: micros(o.GetMaxUs()),
			}
		}),
		Agents: each(m.GetAgents(), func(a *benchdv1.LiveAgent) AgentProgress {
			return AgentProgress{
				Name: a.GetName(), Connected: a.GetConnected(), State: a.GetState(), Rate: a.GetRate(), Idle: a.GetIdle(),
				P99:   micros(a.GetP99Us()),
				Clock: Clock{OffsetMS: a.GetClockOffsetMs(), UncertaintyMS: a.GetClockUncertaintyMs()},
			}
		}),
		Events: each(m.GetEvents(), func(e *benchdv1.LiveEvent) Event {
			return Event{At: e.GetAt().AsTime(), Kind: e.GetKind(), Text: e.GetText()}
		}),
		Statuses: each(m.GetStatuses(), func(s *benchdv1.LiveStatus) StatusLine {
			return StatusLine{Label: s.GetLabel(), At: s.GetAt().AsTime(), Text: s.GetText()}
		}),
		Ended: m.GetEnded(), Runs: int(m.GetRuns()), RunsEnded: int(m.GetRunsEnded()),
		RunsAtMost: int(m.GetRunsAtMost()), Case: m.GetCaseName(), Ahead: aheadOf(m),
	}
}

func aheadOf(m interface{ GetAhead() *durationpb.Duration }) *time.Duration {
	if m.GetAhead() == nil {
		return nil
	}
	d := m.GetAhead().AsDuration()
	return &d
}

func suite(s *benchdv1.SuiteSummary) Suite {
	out := Suite{
		ID: s.GetId(), Name: s.GetName(), Status: result.Status(s.GetStatus()), Created: s.GetCreated().AsTime(),
		Runs: int(s.GetRuns()), RunsEnded: int(s.GetRunsEnded()), RunsAtMost: int(s.GetRunsAtMost()),
		DB: s.GetDb(), SubmittedBy: s.GetSubmittedBy(), Note: s.GetNote(), Tags: s.GetTags(), SetAside: s.GetSetAside(),
	}
	if left := aheadOf(s); left != nil {
		seconds := left.Seconds()
		out.LeftSeconds = &seconds
	}
	return out
}

func agent(a *benchdv1.AgentInfo) Agent {
	h := a.GetHost()
	return Agent{
		Name: a.GetName(), Connected: a.GetConnected(), Run: a.GetRun(), Draining: a.GetDraining(),
		LastHeard: a.GetLastHeard().AsTime(), Address: a.GetAddress(), Metrics: a.GetMetricsAddress(),
		Labels: a.GetLabels(), Version: a.GetVersion(),
		Host: Host{
			Hostname: h.GetHostname(), OS: h.GetOs(), Kernel: h.GetKernel(), CPU: h.GetCpuModel(), Cores: int(h.GetCores()),
			Memory: h.GetMemoryBytes(), Go: h.GetGoVersion(),
		},
		Clock: Clock{OffsetMS: a.GetClockOffsetMs(), UncertaintyMS: a.GetClockUncertaintyMs(), DriftPPM: a.GetClockDriftPpm()},
	}
}

func micros(us float64) time.Duration { return time.Duration(us * float64(time.Microsecond)) }

func each[A, B any](as []A, f func(A) B) []B {
	bs := make([]B, len(as))
	for i, a := range as {
		bs[i] = f(a)
	}
	return bs
}
