package postgres

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/postgres/action"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/target/postgres/watch"
)

// Target is PostgreSQL as a target.
func Target() target.Target {
	return target.Target{Target: postgresspec.Target(), Open: Open, Act: action.Open, Watch: watch.Open}
}
