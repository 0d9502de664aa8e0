package sequoiadbspec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
)

// The facts that a target reports.
const (
	FactVersion      = "sequoiadb.version"
	FactCoordinators = "sequoiadb.coordinators"
	FactCollection   = "sequoiadb.collection"
	FactGroups       = "sequoiadb.groups"       // of the collection
	FactSharding     = "sequoiadb.sharding"     // hash, range or none
	FactReplSize     = "sequoiadb.replsize"     // of the collection
	FactNodes        = "sequoiadb.nodes"        // data nodes of the cluster
	FactReplicas     = "sequoiadb.replicas"     // nodes in each group of the collection
	FactSyncInterval = "sequoiadb.syncinterval" // of the nodes, in milliseconds
	FactSyncRecords  = "sequoiadb.syncrecordnum"
	FactSyncDeep     = "sequoiadb.syncdeep"
	FactTransactions = "sequoiadb.transactionon"
	FactPreferred    = "sequoiadb.preferredinstance"
	FactCompression  = "sequoiadb.compression"
	FactUpsert       = "sequoiadb.upsert"
	FactAuth         = "sequoiadb.authentication"
)

// Figure is the prefix of the figures of a node; Host that of its machine.
const (
	Figure = "sequoiadb.node."
	Host   = "sequoiadb.host."
)

// inReports describes what reports show of a cluster.
func inReports() descriptor.Report {
	return descriptor.Report{
		Facts: []descriptor.TitledFact{
			{Name: FactVersion, Title: "version"},
			{Name: FactCoordinators, Title: "coordinators"},
			{Name: FactGroups, Title: "replication groups"},
			{Name: FactSharding, Title: "sharding"},
			{Name: FactReplSize, Title: "ReplSize"},
		},
		Telemetry: []descriptor.TelemetryColumn{
			{Title: "documents read/s", Figure: Figure + "selects", Form: descriptor.Rate, Each: true},
			{Title: "inserts/s", Figure: Figure + "inserts", Form: descriptor.Rate},
			{Title: "updates/s", Figure: Figure + "updates", Form: descriptor.Rate},
			{Title: "active sessions", Figure: Figure + "active_sessions", Form: descriptor.Greatest},
			{Title: "replication queue", Figure: Figure + "replication_queue", Form: descriptor.Greatest},
		},
		Servers: descriptor.Servers{
			Text: "Each node of SequoiaDB during the measured phase: its sessions at the start and at the end, and its memory.",
			Columns: []descriptor.TelemetryColumn{
				{Title: "sessions", Figure: Figure + "active_sessions"},
				{Title: "memory", Figure: Figure + "rss", Form: descriptor.MeanAndMost},
			},
		},
	}
}

// examine returns doctor's finding about the facts of a cluster.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if v := facts[FactVersion]; v != "" {
		f.Found = ", SequoiaDB " + v
	}
	if nodes := facts[FactNodes]; nodes != "" {
		f.Found += fmt.Sprintf(" with %s nodes", nodes)
	}
	if a := facts[FactAuth]; a != "" {
		f.Found += ", authentication by " + a
	}
	return f
}
