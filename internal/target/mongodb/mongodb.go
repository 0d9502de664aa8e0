package mongodb

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/mongodb/action"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/target/mongodb/watch"
)

// Target returns MongoDB with all of its parts.
func Target() target.Target {
	return target.Target{Target: mongodbspec.Target(), Open: Open, Act: action.Open, Watch: watch.Open}
}
