// Package postgresspec describes target postgres: its properties, settings and actions.
package postgresspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/workload"
)

// Name is the name of the target.
const Name = "postgres"

// Target describes PostgreSQL.
func Target() descriptor.Target {
	return descriptor.Target{
		Name: Name,
		Aliases: []string{
			"postgresql", "jdbc", "site.ycsb.db.JdbcDBClient", "postgrenosql", "site.ycsb.postgrenosql.PostgreNoSQLDBClient",
		},
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.Increment,
			workload.Append, workload.MultiGet, workload.CheckAndPut,
		},
		Keys:       keys(),
		Exclusive:  [][2]string{{hostKey, urlKey}, {databaseKey, urlKey}},
		Check:      check,
		Address:    []string{hostKey, databaseKey, urlKey, sslModeKey, userKey, passwordKey},
		Where:      hostKey + "=db1:5432",
		Stores:     true,
		Filling:    []string{createKey},
		Empties:    recreates,
		TextValues: "PostgreSQL's columns are text",
		Watched:    true,
		Columns:    columns(),
		Report:     inReports(),
		Actions:    Actions(),
		Between:    []string{"analyze", "checkpoint", "vacuum"},
		Probe:      "servers",
		Examine:    examine,
		Terms:      terms,
		Admin:      admin(),
	}
}
