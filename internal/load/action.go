package load

import (
	"context"
	"errors"
)

// Action is something that is done to a target, such as flush.
type Action struct {
	Name string
	Args map[string]string // with what, by name: table, region …
}

// Answer is what an action has done or found: lines for people, or a table. Its JSON is what `benchctl admin -o json`
// prints.
type Answer struct {
	Text    []string `json:"text,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Rows    [][]any  `json:"rows,omitempty"` // strings, whole numbers and truths, one for each column
}

// Actor does actions. One serves a single action, or several one after another.
type Actor interface {
	// Act returns when the action has ended. It obeys ctx; what it has begun then may still be going on.
	Act(ctx context.Context, a Action) (Answer, error)
	// Close lets go of the target.
	Close() error
}

// OpenActor connects to one kind of system to do actions. It fails within a bound of its own when the system is not
// there. Of the settings it uses Properties, Workload, Run and Logger.
type OpenActor func(ctx context.Context, s Settings) (Actor, error)

// Why an action was not done.
var (
	// ErrAction is of an action that makes no sense as it is. Nothing was tried.
	ErrAction = errors.New("no such action")
	// ErrNotReached is of a target that is not there.
	ErrNotReached = errors.New("the target is not reached")
	// ErrUnknown is of an action that was begun and may have been done.
	ErrUnknown = errors.New("the outcome is unknown")
)

// Mark makes an error one of the kinds above, whose text it does not take on.
func Mark(kind, err error) error { return &marked{kind, err} }

type marked struct{ kind, err error }

func (m *marked) Error() string   { return m.err.Error() }
func (m *marked) Unwrap() []error { return []error{m.kind, m.err} }
