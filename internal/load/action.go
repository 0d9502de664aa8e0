package load

import (
	"context"
	"errors"
)

// Action is an operation of an administrator on a target, such as flush.
type Action struct {
	Name string
	Args map[string]string // arguments by name: table, region …
}

// Answer is the result of an action: lines for people, or a table. Its JSON is the output of `benchctl admin -o json`.
type Answer struct {
	Text    []string `json:"text,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Rows    [][]any  `json:"rows,omitempty"` // strings, whole numbers and truths, one for each column
}

// Actor executes actions. An Actor executes a single action, or several one after another.
type Actor interface {
	// Act executes an action and returns when it has ended. It obeys ctx; the target may still be working on the action
	// then.
	Act(ctx context.Context, a Action) (Answer, error)
	// Close closes the connection to the target.
	Close() error
}

// OpenActor connects to one kind of system for actions. It fails within a bound of its own when the system is not
// available. Of the settings it uses Properties, Workload, Run, Dial, Secrets, Credential and Logger.
type OpenActor func(ctx context.Context, s Settings) (Actor, error)

// Kinds of errors of actions.
var (
	// ErrAction is the kind of an invalid action. Nothing was tried.
	ErrAction = errors.New("no such action")
	// ErrNotReached is the kind of an unavailable target.
	ErrNotReached = errors.New("the target is not reached")
	// ErrUnknown is the kind of an action that was started and may have been done.
	ErrUnknown = errors.New("the outcome is unknown")
)

// Mark gives an error one of the kinds above, without changing its text.
func Mark(kind, err error) error { return &marked{kind, err} }

type marked struct{ kind, err error }

func (m *marked) Error() string   { return m.err.Error() }
func (m *marked) Unwrap() []error { return []error{m.kind, m.err} }
