package property

import "slices"

// Kind is the type of a property's value.
type Kind string

// The kinds.
const (
	Int      Kind = "int"      // an integer within the key's bounds
	Float    Kind = "float"    // a number within the key's bounds
	Bool     Kind = "bool"     // true or false
	Enum     Kind = "enum"     // one of the key's Values
	Duration Kind = "duration" // in Go's syntax: 90s, 1h30m
	Percent  Kind = "percent"  // a share: 0.001 or 0.1%
	Rate     Kind = "rate"     // operations per second, over time
	Text     Kind = "string"   // anything printable
	List     Kind = "list"     // comma-separated values
	Secret   Kind = "secret"   // a reference to a secret, as secret.Parse reads it
)

// Status is the effect of a property that a submission sets.
type Status string

// The statuses.
const (
	Honoured Status = "honoured"
	// Alias is another name of a property, perhaps in another unit.
	Alias Status = "alias"
	// Reporting changes only output in YCSB's format.
	Reporting Status = "reporting"
	// Idle applies only to YCSB's own program: it is accepted with a warning and has no effect.
	Idle Status = "idle"
	// Refused is a property that benchd does not support; Reason explains why.
	Refused Status = "refused"
)

// Key is one known property.
type Key struct {
	Name    string
	Kind    Kind
	Default string // "" is none
	Doc     string // one line
	Status  Status
	// Reason explains why a key is Refused or Idle, why a Reporting one has no effect, or a peculiarity of an Alias.
	Reason string
	// Values are an Enum's.
	Values []string
	// Min and Max bound numbers and durations (in seconds).
	Min, Max float64
	// File reports that the value names a file on the user's machine. In a suite file the name is relative to that file.
	File bool
	// Targets are the targets that have the key; none means all.
	Targets []string
	// Of is the property that an Alias means. An Alias without a Kind takes the same values.
	Of string

	// Check validates a value and returns its canonical spelling; nil uses the check of the Kind. A Rate needs a Check.
	Check func(string) (string, error)
}

// Serves reports whether a target has the key.
func (k Key) Serves(db string) bool {
	return len(k.Targets) == 0 || slices.Contains(k.Targets, db)
}
