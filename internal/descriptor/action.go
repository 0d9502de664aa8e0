package descriptor

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
	return union(l, func(t Target) []Action { return t.Actions }, func(a Action) string { return a.Name })
}
