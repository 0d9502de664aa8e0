package descriptor

// Admin is what an administrator does to a target: the command below `benchctl admin` that has the target's name. Its own
// commands are the verbs of the target's actions.
type Admin struct{ Short, Long, Example string }

// Verb is an action as a command. It has the action's name, with dashes; its argument is the first that the action takes.
type Verb struct {
	Args                 string // as in a line of usage; empty for none
	Required             bool   // there must be one
	Choices              []string
	Short, More, Example string
	Flags                []Flag
}

// Flag is an argument of an action as a flag of its command: a text, or a switch.
type Flag struct {
	Name, Usage string
	Argument    string // of the action
	Switch      bool   // it is on or off; when off by default it says nothing unless it is on
	On          bool   // by default
}
