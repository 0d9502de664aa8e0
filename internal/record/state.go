package record

import (
	"time"

	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// State is what the coordinator must know of a run to go on with it after a restart. It is archived as JSON
// beside the run, whole, at every step.
type State struct {
	Life *lifecycle.State `json:"life"`

	// What the run asks for.
	Want   int               `json:"want"` // agents
	Select map[string]string `json:"select,omitempty"`

	// Epoch is the coordinator's clock at the run's time zero, in Unix nanoseconds; 0 before the first start.
	Epoch int64 `json:"epoch,omitempty"`
	// Zero is the date of the run's time zero, and Noted that of the last event of its timeline.
	Zero  time.Time `json:"zero,omitzero"`
	Noted time.Time `json:"noted,omitzero"`
	// Begun is when phases that were announced begin, in the run's time.
	Begun map[plan.PhaseName]time.Duration `json:"begun,omitempty"`
	// Sends are the first operations of the agents in the phase whose skew is reported.
	Sends []result.FirstSend `json:"sends,omitempty"`

	Build  string            `json:"build,omitempty"` // of the coordinator that handed the shards out
	Agents []result.Agent    `json:"agents,omitempty"`
	Target map[string]string `json:"target,omitempty"`
	Losses []result.Loss     `json:"losses,omitempty"`

	// Pending is the action on the target that is under way; Ordered counts those that were ordered.
	Pending *PendingAction `json:"deed,omitempty"`
	Ordered int            `json:"deeds,omitempty"`

	// Warnings are what could not be watched, and why.
	Warnings []string `json:"warnings,omitempty"`

	// Asked is what was asked for of the properties that the run has otherwise, because of the rows that are there.
	Asked map[string]string `json:"asked,omitempty"`
	// InsertedBelow is the key number below which the rows are there that the run was to insert; 0 where it is not known.
	InsertedBelow int64 `json:"inserted_below,omitempty"`

	// Timed are the actions that were begun while the run was measured.
	Timed []TimedAction `json:"timed,omitempty"`

	// Steady is what became of a warm-up until it is steady; nil without one, and as long as it goes on.
	Steady *result.Verdict `json:"steady,omitempty"`
}

// PendingAction is an action of a run that was ordered, or is about to be. It is archived before the order goes out: one
// whose answer does not come is asked for again by its id alone, of the process that has it, which does nothing twice.
type PendingAction struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Agent string    `json:"agent"`
	Boot  string    `json:"boot"`
	Begun time.Time `json:"begun"` // a date, for people

	Args  map[string]string `json:"args,omitempty"`
	Timed bool              `json:"timed,omitempty"` // it is one of plan.Settings.Actions: nothing waits for it but, for a hook, the run's end
}

// String is the action with its arguments, for people.
func (a *PendingAction) String() string { return plan.Action{Name: a.Name, Args: a.Args}.String() }

// TimedAction is an action that was begun while the run was measured, as its result reports it.
type TimedAction struct {
	result.Action
	Phase plan.PhaseName `json:"phase"`
	Agent string         `json:"agent,omitempty"` // that was ordered to do it
	Fault bool           `json:"fault,omitempty"` // it is one of a sandbox, which the run's end ends
}
