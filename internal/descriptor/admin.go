package descriptor

// Admin documents the subcommand of `benchctl admin` with the target's name. Its own subcommands are the verbs of the target's
// actions.
type Admin struct{ Short, Long, Example string }

// Verb is an action as a command. The command has the action's name, with dashes, and the action's first argument.
type Verb struct {
	Args                 string // as in a usage line; empty for none
	Required             bool   // the argument is required
	Choices              []string
	Short, More, Example string
	Flags                []Flag
}

// Flag is an argument of an action as a flag of its command: a text, or a switch.
type Flag struct {
	Name, Usage string
	Argument    string // of the action
	Switch      bool   // a boolean; one that is off by default is passed only if it is on
	On          bool   // the default of a Switch
}
