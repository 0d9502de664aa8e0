// Package all lists the targets of benchd. A new one is an import and an entry of the list, here and nowhere else.
package all

import (
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/cassandra"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/mongodb"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/postgres"
	"github.com/benchd/benchd/internal/target/sequoiadb"
)

// Targets lists the targets of this build, in the order in which messages name them.
func Targets() target.List {
	return target.List{
		null.Target(),
		hbase.Target(),
		hbase.Sandbox(),
		cassandra.Target(),
		mongodb.Target(),
		postgres.Target(),
		sequoiadb.Target(),
	}
}
