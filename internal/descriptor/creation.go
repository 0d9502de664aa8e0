package descriptor

import "github.com/benchd/benchd/internal/property"

// Creation is what set-up does about the table of a run.
type Creation string

// The values of a property of the kind.
const (
	CreateMissing Creation = "missing"  // create the table if it does not exist
	CreateNever   Creation = "never"    // the table must exist
	Recreate      Creation = "recreate" // drop the table if it exists, and create it
)

// Creations lists the values.
func Creations() []string {
	return []string{string(CreateMissing), string(CreateNever), string(Recreate)}
}

// CreationOf returns the value of such a property, which is missing by default in a load, and otherwise never.
func CreationOf(v property.Values, name string) Creation {
	switch given := v.Text(name); {
	case given != "":
		return Creation(given)
	case v.Text("phase") == "run":
		return CreateNever
	}
	return CreateMissing
}
