package property

import "slices"

// Kind is what a property's value is.
type Kind string

// The kinds.
const (
	Int      Kind = "int"      // a whole number within the key's bounds
	Float    Kind = "float"    // a number within the key's bounds
	Bool     Kind = "bool"     // true or false
	Enum     Kind = "enum"     // one of the key's Values
	Duration Kind = "duration" // as Go writes it: 90s, 1h30m
	Percent  Kind = "percent"  // a share: 0.001 or 0.1%
	Rate     Kind = "rate"     // operations per second, over time
	Text     Kind = "string"   // anything printable
	List     Kind = "list"     // values with commas between them
)

// Status is what becomes of a property that a submission sets.
type Status string

// The statuses.
const (
	Honoured Status = "honoured"
	// Alias is another name of a property, perhaps in another unit.
	Alias Status = "alias"
	// Reporting shapes only what is printed in YCSB's own form.
	Reporting Status = "reporting"
	// Idle concerns only YCSB's own program: accepted with a warning, without effect.
	Idle Status = "idle"
	// Refused names what we do not do; the reason says why.
	Refused Status = "refused"
)

// Key is one known property.
type Key struct {
	Name    string
	Kind    Kind
	Default string // "" is none
	Doc     string // one line
	Status  Status
	// Reason says why a key is Refused or Idle, why a Reporting one has no effect, or what to know about an Alias.
	Reason string
	// Values are an Enum's.
	Values []string
	// Min and Max bound numbers and durations (in seconds).
	Min, Max float64
	// File says that the value names a file of the user's. In a suite file it is relative to that file.
	File bool
	// Targets are those that know the key; none means all.
	Targets []string
	// Of is the property that an Alias means. An Alias without a Kind takes the same values.
	Of string

	// Check accepts a value, and returns it in its canonical spelling; nil is the kind's own. A Rate has none of its own.
	Check func(string) (string, error)
}

// Serves reports whether a target knows the key.
func (k Key) Serves(db string) bool {
	return len(k.Targets) == 0 || slices.Contains(k.Targets, db)
}
