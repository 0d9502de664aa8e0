package hbasespec

import (
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// inReports describes what reports show of a cluster.
func inReports() descriptor.Report {
	const server, master = "hbase.regionserver.", "hbase.master."
	return descriptor.Report{
		Caution: caution,
		Facts: []descriptor.TitledFact{
			{Name: "hbase.version", Title: "version"},
			{Name: "hbase.servers", Title: "region servers"},
			{Name: "hbase.cluster.id", Title: "cluster"},
			{Name: "hbase.zookeeper.quorum", Title: "quorum"},
			{Name: registryKey, Title: "registry"},
			{Name: "consistency", Title: "consistency"},
			{Name: LoadMethodFact, Title: "load method"},
			{Name: authenticationKey, Title: "authentication"},
			{Name: protectionKey, Title: "protection"},
			{Name: "hbase.tls", Title: "TLS"},
		},
		Telemetry: []descriptor.TelemetryColumn{
			{Title: "servers", Figure: master + "servers"},
			{Title: "regions", Figure: master + "regions"},
			{Title: "requests/s", Figure: server + "requests", Form: descriptor.Rate, Each: true},
			{Title: "cache hits", Figure: server + "block_cache_hit_percent", Form: descriptor.Percent},
			{Title: "store files", Figure: server + "store_files"},
			{Title: "flushed/s", Figure: server + "flushed", Form: descriptor.BytesRate},
			{Title: "compacted/s", Figure: server + "compacted", Form: descriptor.BytesRate},
			{Title: "longest compaction queue", Figure: server + "compaction_queue", Form: descriptor.Greatest},
			{Title: "GC", Figure: server + "gc_time", Form: descriptor.Pauses},
		},
		Servers: descriptor.Servers{
			Text: "Each region server during the measured phase: its regions at the start and at the end, its heap and its memstore.",
			Columns: []descriptor.TelemetryColumn{
				{Title: "regions", Figure: server + "regions"},
				{Title: "heap", Figure: server + "heap_used", Form: descriptor.MeanAndMost},
				{Title: "memstore", Figure: server + "memstore_size", Form: descriptor.MeanAndMost},
			},
		},
	}
}

// cautionOfSandbox is shown above figures that were measured on a sandbox.
const cautionOfSandbox = "Measured on benchd's sandbox, which is not HBase: never publish its speed as HBase's."

// cautionOfBulkLoad is shown above the figures of a bulk load.
const cautionOfBulkLoad = "A bulk load: the latency of an INSERT is the time of collecting rows, or of writing and loading a whole HFile, and not that of an operation. Read its rows per second."

// caution returns what a reader of the figures has to know: that a target hbase is in fact a sandbox, or that its rows were loaded in bulk.
func caution(facts map[string]string) string {
	if isSandbox(facts) {
		return cautionOfSandbox
	}
	if facts[LoadMethodFact] != "" {
		return cautionOfBulkLoad
	}
	return ""
}

// isSandbox reports whether the facts are those of a sandbox.
func isSandbox(facts map[string]string) bool {
	return facts["target"] == SandboxName || strings.Contains(facts["hbase.version"], SandboxName)
}
