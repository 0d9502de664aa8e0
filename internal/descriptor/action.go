package descriptor

import "slices"

// Action is something that can be done to a target while it is measured.
type Action struct {
	Name string
	// Takes are its arguments in the order in which they may stand without their names.
	Takes []string
	// Needs is how many of Takes must be given.
	Needs int
	// Named are further arguments, which stand with their names only.
	Named []string
	// Check reports what is wrong with arguments whose names are good. Optional.
	Check func(args map[string]string) error
}

// Actions lists what can be done to any of the targets, each action once.
func (l List) Actions() []Action {
	var actions []Action
	for _, t := range l {
		for _, a := range t.Actions {
			if !slices.ContainsFunc(actions, func(other Action) bool { return other.Name == a.Name }) {
				actions = append(actions, a)
			}
		}
	}
	return actions
}
