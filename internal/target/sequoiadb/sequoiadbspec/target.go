// Package sequoiadbspec describes target sequoiadb: its properties, settings and actions.
package sequoiadbspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Name is the target's name.
const Name = "sequoiadb"

// Target describes SequoiaDB.
func Target() descriptor.Target {
	return descriptor.Target{
		Name:    Name,
		Aliases: []string{"site.ycsb.db.SequoiaDbClient"},
		Operations: []workload.Kind{
			workload.Read, workload.Update, workload.Insert, workload.Scan, workload.ReadModifyWrite, workload.Delete, workload.Increment,
			workload.MultiGet, workload.CheckAndPut,
		},
		Keys:      keys(),
		Exclusive: [][2]string{{urlKey, hostKey}, {urlKey, portKey}},
		Check:     check,
		Address:   []string{urlKey, hostKey, portKey, spaceKey},
		Where:     urlKey + "=sdb1:11810,sdb2:11810",
		Stores:    true,
		Filling:   []string{createKey},
		Empties:   func(v property.Values) bool { return descriptor.CreationOf(v, createKey) == descriptor.Recreate },
		Watched:   true,
		Report:    inReports(),
		Terms:     terms,
		Actions:   Actions(),
		Between:   []string{"sync"},
		Probe:     "servers",
		Examine:   examine,
		Admin:     admin(),
	}
}
