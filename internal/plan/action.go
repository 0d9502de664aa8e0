package plan

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// The properties of actions between the phases of a run: what is done after a load and before a run, and how long each action
// may take. Only coordinators obey them.
const (
	AfterLoadProperty     = "after.load"
	BeforeRunProperty     = "before.run"
	ActionTimeoutProperty = "action.timeout"
)

// Hook is the action that runs a command which the operator of an agent has allowed by name; HookArg is the argument that
// has the name.
const (
	Hook    = "hook"
	HookArg = "name"
)

// Fault is the action that has something go wrong in a sandbox; FaultKind is the argument that says what. ClearFaults ends
// all that goes wrong in it; with OwnFaults=true, which is asked for at a run's end, only what that run has added.
const (
	Fault       = "fault"
	FaultKind   = "kind"
	ClearFaults = "clear_faults"
	OwnFaults   = "own"
)

// Action is something that is done to the target while it is measured.
type Action struct {
	At   time.Duration // from the begin of measuring on
	Name string        // flush, hook …
	Args map[string]string
	// Implied are arguments that go without saying where Args does not have them.
	Implied map[string]string
}

// String is the action with its arguments, each with its name but a hook's and a fault's kind.
func (a Action) String() string {
	var b strings.Builder
	b.WriteString(a.Name)
	bare := map[string]string{Hook: HookArg, Fault: FaultKind}[a.Name]
	if bare != "" {
		b.WriteString(" " + a.Args[bare])
	}
	for _, name := range slices.Sorted(maps.Keys(a.Args)) {
		if name != bare {
			b.WriteString(" " + name + "=" + a.Args[name])
		}
	}
	return b.String()
}

// Hooks are the names of the hooks that a run of these settings asks for.
func (s Settings) Hooks() []string {
	var names []string
	for _, a := range s.Actions {
		if name := a.Args[HookArg]; a.Name == Hook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
