package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/property"
)

// The names of targets, as property db spells them.
const (
	NullTarget  = "null" // serves any operation at once, or after a simulated time
	HBaseTarget = "hbase"
	Sandbox     = "sandbox" // an embedded server that speaks HBase's protocol
	Cassandra   = "cassandra"
	MongoDB     = "mongodb"
	SequoiaDB   = "sequoiadb"
)

func targets() []string {
	return []string{NullTarget, HBaseTarget, Sandbox, Cassandra, MongoDB, SequoiaDB}
}

// targetKeys are the properties that one target or another knows.
func targetKeys() []property.Key {
	null := []property.Key{
		{Name: "null.service", Kind: property.Text, Default: "0", Check: checkService, Doc: "simulated service time: " + serviceForms},
		{Name: "null.capacity", Kind: property.Float, Default: "0", Max: 1e9, Doc: "operations per second that the null target of one agent takes; what comes faster queues up; 0 is no bound"},
		{Name: "null.log", Kind: property.Text, Doc: "a file on the agent's machine that gets a line for every operation; it must be below the folder of --write-below"},
		{Name: "null.error.share", Kind: property.Percent, Default: "0", Doc: "share of operations that end in ERROR"},
		{Name: "null.notfound.share", Kind: property.Percent, Default: "0", Doc: "share of reads that end in NOT_FOUND"},
		{Name: "null.seed", Kind: property.Int, Default: "0", Check: checkSeed, Doc: "of service times and outcomes; 0 is the run's seed"},
	}
	for i := range null {
		null[i].Targets = []string{NullTarget}
	}
	hbase := hbaseKeys()
	for i := range hbase {
		hbase[i].Targets = []string{HBaseTarget, Sandbox}
	}
	return slices.Concat(null, hbase, sandboxKeys())
}
