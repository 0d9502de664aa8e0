package cassandra

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/cassandra/action"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/watch"
)

// Target is Apache Cassandra as a target.
func Target() target.Target {
	return target.Target{Target: cassandraspec.Target(), Open: Open, Act: action.Open, Watch: watch.Open}
}
