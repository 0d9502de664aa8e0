package descriptor

import (
	"slices"
	"strings"
)

// Action is something that can be done to a target.
type Action struct {
	Name string
	// Takes are its arguments in the order in which they may stand without their names.
	Takes []string
	// Needs is how many of Takes a run must give.
	Needs int
	// Named are further arguments, which stand with their names only.
	Named []string
	// Implied are arguments that it has while a run is measured, unless the run gives them.
	Implied map[string]string
	// Check reports what is wrong with the arguments that a run gives, whose names are good. Optional.
	Check func(args map[string]string) error
	// AdminOnly says that it is for administrators: a run has no use for it.
	AdminOnly bool
	// Verb is the action as a command below `benchctl admin`. Without a Short there is no such command.
	Verb Verb
}

// Command is the name of the action's command.
func (a Action) Command() string { return strings.ReplaceAll(a.Name, "_", "-") }

// Actions lists what can be done to any of the targets while a run is measured, each action once.
func (l List) Actions() []Action {
	return union(l, func(t Target) []Action {
		return slices.DeleteFunc(slices.Clone(t.Actions), func(a Action) bool { return a.AdminOnly })
	}, func(a Action) string { return a.Name })
}
