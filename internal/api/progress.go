package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
)

// Progress is the state of a suite or run, as the events of a stream have it.
type Progress struct {
	Suite      string        `json:"suite"`
	Run        string        `json:"run"`
	Case       string        `json:"case"`
	Status     result.Status `json:"status"`
	WaitingFor string        `json:"waiting_for"` // why the run is queued
	Phase      string        `json:"phase"`
	Elapsed    float64       `json:"elapsed_seconds"` // since the start of the phase
	Planned    float64       `json:"planned_seconds"` // length of the phase; 0 if it ends by operations alone
	PlannedOps uint64        `json:"planned_ops"`     // 0 if the phase ends by time alone
	Ops        uint64        `json:"ops"`             // of the phase
	Rate       float64       `json:"rate"`            // operations per second in the last interval
	Offered    float64       `json:"offered"`         // operations per second that an open loop offers; 0 for a closed loop
	Steady     string        `json:"steady"`          // progress of a warm-up that lasts until the run is steady

	Operations      []LiveOperation `json:"operations"` // of the last interval
	AgentsTotal     int             `json:"agents_total"`
	AgentsConnected int             `json:"agents_connected"`
	// Agents are at most 20, first those that need attention: not connected, the least idle, the highest p99. GET /runs/{id}/agents has all.
	Agents []LiveAgent `json:"agents"`
	// Timeline has what has happened since the event before: actions, faults, events of the target, agents, limits. That of a snapshot is
	// the timeline so far.
	Timeline []TimelineEvent `json:"timeline"`

	Runs       int      `json:"runs"`
	RunsEnded  int      `json:"runs_ended"`
	RunsAtMost int      `json:"runs_at_most"` // of a suite with searches that have not ended; 0 for others
	Left       *float64 `json:"left_seconds"` // estimated time until the suite ends; null without an estimate
	Ended      bool     `json:"ended"`
}

// LiveOperation is an operation with one outcome in the last interval. A percentile is null if there were too few operations.
type LiveOperation struct {
	Op      string   `json:"op"`
	Outcome string   `json:"outcome"`
	PartOf  string   `json:"part_of"`
	Count   uint64   `json:"count"`
	P50     *float64 `json:"p50_us"`
	P99     *float64 `json:"p99_us"`
	Max     float64  `json:"max_us"`
}

// LiveAgent is an agent of the run.
type LiveAgent struct {
	Name      string       `json:"name"`
	Connected bool         `json:"connected"`
	State     string       `json:"state"`
	Rate      float64      `json:"rate"`
	Idle      *float64     `json:"idle"`   // idle share of its host, 0 to 1; null if unknown
	P99       *float64     `json:"p99_us"` // of good operations in its last window; null if there were too few
	Clock     remote.Clock `json:"clock"`
}

// TimelineEvent is something that happened to a run.
type TimelineEvent struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Text string    `json:"text"`
}

// mostAgents bounds the agents of an event, so that each event of a large fleet stays small.
const mostAgents = 20

// urgent orders agents by their need of attention.
func urgent(a, b remote.AgentProgress) int {
	at := func(yes bool) int {
		if yes {
			return 0
		}
		return 1
	}
	idle := func(a remote.AgentProgress) float64 {
		if a.Idle < 0 {
			return 2 // unknown
		}
		return a.Idle
	}
	return cmp.Or(
		cmp.Compare(at(!a.Connected), at(!b.Connected)), cmp.Compare(at(a.State == string(lifecycle.Lost)), at(b.State == string(lifecycle.Lost))),
		cmp.Compare(idle(a), idle(b)), cmp.Compare(b.P99, a.P99), cmp.Compare(a.Name, b.Name),
	)
}

// progressOf makes the document of a state.
func progressOf(p *remote.Progress) Progress {
	agents, connected := slices.Clone(p.Agents), 0
	for _, a := range agents {
		if a.Connected {
			connected++
		}
	}
	slices.SortFunc(agents, urgent)
	agents = agents[:min(len(agents), mostAgents)]
	d := Progress{
		Suite: p.Suite, Run: p.Run, Case: p.Case, Status: p.Status, WaitingFor: p.WaitingFor, Phase: p.Phase, Elapsed: p.Elapsed.Seconds(),
		Planned: p.Planned.Seconds(), PlannedOps: p.PlannedOps, Ops: p.Ops, Rate: p.Rate, Offered: p.Offered, Steady: p.Steady,
		Operations: make([]LiveOperation, len(p.Operations)), Agents: make([]LiveAgent, len(agents)), Timeline: make([]TimelineEvent, len(p.Events)),
		AgentsTotal: len(p.Agents), AgentsConnected: connected, Runs: p.Runs, RunsEnded: p.RunsEnded, RunsAtMost: p.RunsAtMost, Ended: p.Ended,
	}
	if p.Ahead != nil {
		d.Left = new(p.Ahead.Seconds())
	}
	for i, o := range p.Operations {
		d.Operations[i] = LiveOperation{Op: o.Op, Outcome: o.Outcome, PartOf: o.PartOf, Count: o.Count, P50: known(o.P50), P99: known(o.P99), Max: micros(o.Max)}
	}
	for i, a := range agents {
		d.Agents[i] = LiveAgent{Name: a.Name, Connected: a.Connected, State: a.State, Rate: a.Rate, P99: known(a.P99), Clock: a.Clock}
		if a.Idle >= 0 {
			d.Agents[i].Idle = new(a.Idle)
		}
	}
	for i, e := range p.Events {
		d.Timeline[i] = TimelineEvent{At: e.At.UTC(), Kind: e.Kind, Text: e.Text}
	}
	return d
}

// known is a percentile in microseconds; nil if it is unknown, which the protocol has as 0.
func known(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	return new(micros(d))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// encode writes an event of a stream.
func encode(id, kind string, of any) ([]byte, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, fmt.Errorf("write event: %w", err)
	}
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", id, kind, text), nil
}
