// Package cassandraspec describes target cassandra: its properties, settings and actions.
package cassandraspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/workload"
)

// Name is the name of the target.
const Name = "cassandra"

// Target describes Apache Cassandra.
func Target() descriptor.Target {
	return descriptor.Target{
		Name: Name,
		Aliases: []string{
			"cassandra-cql", "cassandra2-cql", "site.ycsb.db.CassandraCQLClient",
		},
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.Increment,
			workload.MultiGet, workload.CheckAndPut,
		},
		Keys:    keys(),
		Check:   check,
		Address: []string{hostsKey, portKey, keyspaceKey},
		Where:   "hosts=c1,c2",
		Stores:  true,
		Filling: []string{createKey},
		Empties: recreates, TextValues: "Cassandra's columns are varchar, as in YCSB's schema",
		Watched: true,
		Columns: columns(),
		Report:  inReports(),
		Actions: Actions(),
		Between: []string{"flush", "compact", "major_compact", "wait_for_quiet"},
		Probe:   "servers",
		Examine: examine,
		Admin:   admin(),
		Terms:   terms,
	}
}
