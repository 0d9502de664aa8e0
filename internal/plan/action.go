package plan

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Hook is the action that runs a command which the operator of an agent has allowed by name; HookArg is the argument that
// has the name.
const (
	Hook    = "hook"
	HookArg = "name"
)

// Action is something that is done to the target while it is measured.
type Action struct {
	At   time.Duration // from the begin of measuring on
	Name string        // flush, hook …
	Args map[string]string
}

// String is the action with its arguments, each with its name but a hook's.
func (a Action) String() string {
	if a.Name == Hook {
		return a.Name + " " + a.Args[HookArg]
	}
	var b strings.Builder
	b.WriteString(a.Name)
	for _, name := range slices.Sorted(maps.Keys(a.Args)) {
		b.WriteString(" " + name + "=" + a.Args[name])
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
