package plan

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Properties of actions between the phases of a run: actions after a load, actions before a run, and the timeout of each.
// Only coordinators obey them.
const (
	AfterLoadProperty     = "after.load"
	BeforeRunProperty     = "before.run"
	ActionTimeoutProperty = "action.timeout"
)

// Hook is the action that runs a command of an agent's operator; HookArg is the argument with the name of the hook.
const (
	Hook    = "hook"
	HookArg = "name"
)

// Fault is the action that adds a fault to a sandbox; FaultKind is the argument with its kind. ClearFaults ends all
// faults of a sandbox; with OwnFaults=true, which is used at a run's end, only those of the run.
const (
	Fault       = "fault"
	FaultKind   = "kind"
	ClearFaults = "clear_faults"
	OwnFaults   = "own"
)

// Action is an action on the target during the measurement.
type Action struct {
	At   time.Duration // since the start of the measurement
	Name string        // flush, hook …
	Args map[string]string
	// Implied are default values of missing Args.
	Implied map[string]string
}

// String returns the action with its named arguments; a hook's name and a fault's kind have no argument name.
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

// ParseAction reads an action as String writes it, without a time.
func ParseAction(text string) Action {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Action{}
	}
	a := Action{Name: words[0]}
	for _, word := range words[1:] {
		name, value, named := strings.Cut(word, "=")
		if !named {
			name, value = map[string]string{Hook: HookArg, Fault: FaultKind}[a.Name], word
		}
		if a.Args == nil {
			a.Args = make(map[string]string)
		}
		a.Args[name] = value
	}
	return a
}

// Hooks returns the names of the hooks that a run with these settings uses.
func (s Settings) Hooks() []string {
	var names []string
	for _, a := range s.Actions {
		if name := a.Args[HookArg]; a.Name == Hook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
