package descriptor

import (
	"errors"
	"fmt"
	"maps"
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
	// PrivilegeIf is the switch that makes the privilege necessary; empty if it always is.
	PrivilegeIf string
	// Rows is what the action does to the rows of a table that exist.
	Rows RowsEffect
	// Idle excludes the action from the measurement: in a run it is possible only between phases.
	Idle bool
	// AdminOnly excludes the action from runs.
	AdminOnly bool
	// Verb is the action as a subcommand of `benchctl admin`. Without a Short there is no such command.
	Verb Verb
}

// RowsEffect is what an action does to the existing rows of a table.
type RowsEffect string

// The effects on rows. The argument SnapshotArg of an action is the name under which it saves or restores rows.
const (
	SavesRows    RowsEffect = "saves"
	RestoresRows RowsEffect = "restores"
	EmptiesTable RowsEffect = "empties"

	SnapshotArg = "name"
	TableArg    = "table"
)

// NeedsPrivilege reports whether a request of the action with these arguments needs its privilege.
func (a Action) NeedsPrivilege(args map[string]string) bool {
	return a.Privilege != "" && (a.PrivilegeIf == "" || args[a.PrivilegeIf] == "true")
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

// FindAction returns the action of a target with a name, and a copy of the arguments with which it was requested. It fails if there is
// none, or if an argument is unknown, missing, or no value of a switch or choice.
func (t Target) FindAction(name string, args map[string]string) (Action, map[string]string, error) {
	i := slices.IndexFunc(t.Actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, nil, fmt.Errorf("invalid action %q for target %s: want one of %s", name, t.Name, strings.Join(t.ActionNames(), ", "))
	}
	found := t.Actions[i]
	if err := found.checkArgs(args); err != nil {
		return Action{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	copied := maps.Clone(args)
	if copied == nil {
		copied = make(map[string]string)
	}
	return found, copied, nil
}

// ActionNames lists the names of the target's actions.
func (t Target) ActionNames() []string {
	names := make([]string, len(t.Actions))
	for i, a := range t.Actions {
		names[i] = a.Name
	}
	return names
}

// checkArgs validates arguments as far as the description has their rules.
func (a Action) checkArgs(args map[string]string) error {
	known := slices.Concat(a.Takes, a.Named)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		switch {
		case slices.Contains(known, name):
		case len(known) == 0:
			return fmt.Errorf("unknown argument %s: it has none", name)
		default:
			return fmt.Errorf("unknown argument %s: want %s", name, strings.Join(known, ", "))
		}
	}
	if a.Verb.Required && args[a.Takes[0]] == "" {
		return errors.New("missing argument " + a.Takes[0])
	}
	for _, f := range a.Verb.Flags {
		if v := args[f.Argument]; f.Switch && v != "" && v != "true" && v != "false" {
			return fmt.Errorf("invalid %s %q: want true or false", f.Argument, v)
		}
	}
	if len(a.Verb.Choices) > 0 {
		if v := args[a.Takes[0]]; v != "" && !slices.Contains(a.Verb.Choices, v) {
			return fmt.Errorf("invalid %s %s %q: want %s", a.Command(), a.Takes[0], v, strings.Join(a.Verb.Choices, " or "))
		}
	}
	return nil
}

// Has reports whether the action has an argument of that name.
func (a Action) Has(argument string) bool {
	return slices.Contains(a.Takes, argument) || slices.Contains(a.Named, argument)
}
