package record

import (
	"time"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// State is what the coordinator needs to continue a run after a restart. It is archived as JSON beside the run, as a
// whole, at every step.
type State struct {
	Life *lifecycle.State `json:"life"`

	// The requirements of the run.
	Want   int               `json:"want"` // agents
	Select map[string]string `json:"select,omitempty"`

	// Epoch is the coordinator's clock at the run's time zero, in Unix nanoseconds; 0 before the first start.
	Epoch int64 `json:"epoch,omitempty"`
	// Zero is the date of the run's time zero, and Noted that of the last event of its timeline.
	Zero  time.Time `json:"zero,omitzero"`
	Noted time.Time `json:"noted,omitzero"`
	// Begun is when announced phases start, in the run's time.
	Begun map[plan.PhaseName]time.Duration `json:"begun,omitempty"`
	// Sends are the first operations of the agents in the phase whose skew is reported.
	Sends []result.FirstSend `json:"sends,omitempty"`

	Build string `json:"build,omitempty"` // of the coordinator that handed the shards out
	// Listeners are those of all coordinators that have controlled the run, each with its protection.
	Listeners []string `json:"listeners,omitempty"`

	Agents []result.Agent    `json:"agents,omitempty"`
	Target map[string]string `json:"target,omitempty"`
	Losses []result.Loss     `json:"losses,omitempty"`

	// Pending is the action on the target in progress; Ordered counts the ordered actions.
	Pending *PendingAction `json:"deed,omitempty"`
	Ordered int            `json:"deeds,omitempty"`

	// Warnings name what could not be watched, and why.
	Warnings []string `json:"warnings,omitempty"`

	// Asked are the requested values of properties that were changed because of the existing rows.
	Asked map[string]string `json:"asked,omitempty"`
	// InsertedBelow is the key number below which all rows exist that the run had to insert; 0 if it is unknown.
	InsertedBelow int64 `json:"inserted_below,omitempty"`

	// Timed are the actions that were started during the measurement.
	Timed []TimedAction `json:"timed,omitempty"`

	// Steady is the outcome of a warm-up until it is steady; nil without one, and while it is in progress.
	Steady *result.Verdict `json:"steady,omitempty"`

	// Foreign is the finished result of a run that another program measured; nil for a run of benchd. Such a run has no windows.
	Foreign *result.Run `json:"foreign,omitempty"`
}

// PendingAction is an action of a run that was ordered, or is about to be. It is archived before the order is sent: if
// its answer is lost, it is ordered again with the same id, from the same process, which executes no id twice.
type PendingAction struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Agent string    `json:"agent"`
	Boot  string    `json:"boot"`  // the fingerprint of its process
	Begun time.Time `json:"begun"` // a date, for people

	Args  map[string]string `json:"args,omitempty"`
	Timed bool              `json:"timed,omitempty"` // it is one of plan.Settings.Actions: only the run's end waits for it, if it is a hook
}

// String returns the action with its arguments, for people.
func (a *PendingAction) String() string { return plan.Action{Name: a.Name, Args: a.Args}.String() }

// TimedAction is an action during the measurement, as its result reports it.
type TimedAction struct {
	result.Action
	Phase plan.PhaseName `json:"phase"`
	Agent string         `json:"agent,omitempty"` // that was ordered to execute it
	Fault bool           `json:"fault,omitempty"` // a fault of a sandbox, which is cleared at the run's end
}
