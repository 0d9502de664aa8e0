package cassandraspec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
)

// The names of facts.
const (
	FactVersion     = "cassandra.version"
	FactCluster     = "cassandra.cluster"
	FactNodes       = "cassandra.nodes"
	FactDatacenters = "cassandra.datacenters"
	FactReplication = "cassandra.replication"
	FactDurable     = "cassandra.durable_writes"
	FactCommitLog   = "cassandra.commitlog_sync"
	FactPeriod      = "cassandra.commitlog_sync_period"
	FactReadLevel   = "cassandra.consistency.read"
	FactWriteLevel  = "cassandra.consistency.write"
	FactTLS         = "cassandra.tls"
	FactGroup       = "cassandra.commitlog_sync_group_window"
	FactCopies      = "cassandra.copies"
)

// inReports describes what reports show of a cluster.
func inReports() descriptor.Report {
	const node = "cassandra.node."
	return descriptor.Report{
		Facts: []descriptor.TitledFact{
			{Name: FactVersion, Title: "version"},
			{Name: FactCluster, Title: "cluster"},
			{Name: FactNodes, Title: "nodes"},
			{Name: FactReplication, Title: "replication"},
			{Name: FactReadLevel, Title: "reads"},
			{Name: FactWriteLevel, Title: "writes"},
			{Name: FactCommitLog, Title: "commit log"},
			{Name: FactTLS, Title: "TLS"},
		},
		Telemetry: []descriptor.TelemetryColumn{
			{Title: "nodes", Figure: "cassandra.nodes_up"},
			{Title: "requests/s", Figure: node + "requests", Form: descriptor.Rate, Each: true},
			{Title: "cache hits", Figure: node + "chunk_cache_hit_percent", Form: descriptor.Percent},
			{Title: "longest compaction queue", Figure: node + "compactions_waiting", Form: descriptor.Greatest},
			{Title: "GC", Figure: node + "gc_time", Form: descriptor.Pauses},
		},
		Servers: descriptor.Servers{
			Text: "Each node during the measured phase: its connections of clients at the start and at the end, and its heap, if cassandra.jolokia.port gives access to it.",
			Columns: []descriptor.TelemetryColumn{
				{Title: "clients", Figure: node + "clients"},
				{Title: "heap", Figure: node + "heap_used", Form: descriptor.MeanAndMost},
			},
		},
	}
}

// columns lists the figures of a run that come from the facts and the telemetry of a cluster.
func columns() []descriptor.Column {
	return []descriptor.Column{
		{Name: "cassandra_nodes", Read: descriptor.Fact(FactNodes)},
		{Name: "cassandra_nodes_up_after", Read: descriptor.Last("cassandra.nodes_up")},
	}
}

// examine returns doctor's finding about the facts of a cluster.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if version := facts[FactVersion]; version != "" {
		f.Found += fmt.Sprintf(", Cassandra %s with %s nodes", version, facts[FactNodes])
	}
	if tls := facts[FactTLS]; tls != "" {
		f.Found += ", " + tls
	}
	return f
}
