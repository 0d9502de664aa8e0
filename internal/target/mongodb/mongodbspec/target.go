package mongodbspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/workload"
)

// Name is the name of the target.
const Name = "mongodb"

// Target describes MongoDB, and servers that speak its protocol.
func Target() descriptor.Target {
	return descriptor.Target{
		Name: Name,
		Aliases: []string{
			"mongodb-async", "site.ycsb.db.MongoDbClient", "site.ycsb.db.AsyncMongoDbClient",
		},
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.Increment,
			workload.MultiGet, workload.CheckAndPut,
		},
		Keys:        keys(),
		Check:       check,
		Address:     []string{urlKey},
		Where:       "mongodb.url=mongodb://db1:27017/ycsb",
		Stores:      true,
		Filling:     []string{createKey, shardKey, chunksKey, upsertKey},
		Empties:     recreates,
		Splits:      splitsOf,
		Watched:     true,
		Columns:     columns(),
		Bottlenecks: bottlenecks(),
		Report:      inReports(),
		Actions:     Actions(),
		Between:     []string{"flush", "compact", "wait_for_quiet"},
		Probe:       "servers",
		Examine:     examine,
		Admin:       admin(),
		Terms:       terms,
	}
}
