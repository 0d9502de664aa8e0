package descriptor

// Admin is what an administrator does to a target, as commands below `benchctl admin`.
type Admin struct {
	Short, Long, Example string // of the command that has the target's name
	Verbs                []Verb
}

// Verb is an action as a command. The action has the verb's name with underscores.
type Verb struct {
	Name, Args           string // as in a line of usage
	Short, More, Example string
	Argument             string // of the action, that the command's argument is
	Required             bool
	Choices              []string // of the argument
	Flags                []Flag
}

// Flag is an argument of an action as a flag of its command: a text, or a switch.
type Flag struct {
	Name, Usage string
	Argument    string // of the action
	Switch      bool   // it is on or off; when off by default it says nothing unless it is on
	On          bool   // by default
}
