package descriptor

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/identity"
)

// Action is an action on a target.
type Action struct {
	Name string
	// Takes are its positional arguments, in order.
	Takes []string
	// Needs is the number of required arguments, the first of Takes.
	Needs int
	// Named are further arguments, which need their names.
	Named []string
	// Implied are the default arguments of the action during measuring.
	Implied map[string]string
	// Check validates the arguments of a run, whose names are valid. Optional.
	Check func(args map[string]string) error
	// Privilege is what a user needs to request the action, beyond the right to act on targets; empty for none. Object is the
	// argument, or else the property, with the name of the thing that it destroys or disturbs.
	Privilege identity.Privilege
	Object    string
	// AdminOnly excludes the action from runs.
	AdminOnly bool
	// Verb is the action as a subcommand of `benchctl admin`. Without a Short there is no such command.
	Verb Verb
}

// Command returns the name of the action's command.
func (a Action) Command() string { return strings.ReplaceAll(a.Name, "_", "-") }

// Actions lists the actions that a run can have on any of the targets, each action once.
func (l List) Actions() []Action {
	return union(l, func(t Target) []Action {
		return slices.DeleteFunc(slices.Clone(t.Actions), func(a Action) bool { return a.AdminOnly })
	}, func(a Action) string { return a.Name })
}

// Administers reports whether users may request an action outside of runs: it is a command of `benchctl admin`, or the probe.
func (t Target) Administers(action string) bool {
	return action != "" && (action == t.Probe || slices.ContainsFunc(t.Actions, func(a Action) bool { return a.Name == action && a.Verb.Short != "" }))
}
