package mongodbspec

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// The prefixes of figures: of a server, and of a shard.
const (
	ServerFigures = "mongodb.server."
	ShardFigures  = "mongodb.shard."
)

// columns lists the figures of a run that come from the facts and the telemetry.
func columns() []descriptor.Column {
	return []descriptor.Column{
		{Name: "mongodb_shards", Read: descriptor.Fact(ShardsFact)},
		{Name: "mongodb_chunks", Read: descriptor.Fact(ChunksFact)},
	}
}

// The facts that other parts read.
const (
	VersionFact     = "mongodb.version"
	ShardsFact      = "mongodb.shards"
	ChunksFact      = "mongodb.chunks"
	MembersFact     = "mongodb.members"
	TopologyFact    = "mongodb.topology"
	EngineFact      = "mongodb.storage.engine"
	WriteFact       = "mongodb.write.concern"
	ReadFact        = "mongodb.read.concern"
	PreferenceFact  = "mongodb.read.preference"
	DefaultWrite    = "mongodb.default.write.concern"
	DefaultRead     = "mongodb.default.read.concern"
	ShardKeyFact    = "mongodb.shard.key"
	BalancerFact    = "mongodb.balancer"
	CommitFact      = "mongodb.journal.commit.interval"
	MajorityJournal = "mongodb.majority.journal"
	ProductFact     = "mongodb.product"
)

// product is the value of ProductFact for MongoDB itself.
const product = "MongoDB"

// The kinds of installations, the values of TopologyFact.
const (
	Standalone = "standalone"
	ReplicaSet = "replica set"
	Sharded    = "sharded cluster"
)

// inReports describes what reports show of a MongoDB.
func inReports() descriptor.Report {
	return descriptor.Report{
		Caution: caution,
		Facts: []descriptor.TitledFact{
			{Name: VersionFact, Title: "version"},
			{Name: TopologyFact, Title: "topology"},
			{Name: ShardsFact, Title: "shards"},
			{Name: MembersFact, Title: "members"},
			{Name: EngineFact, Title: "storage engine"},
			{Name: WriteFact, Title: "write concern"},
			{Name: ReadFact, Title: "read concern"},
			{Name: PreferenceFact, Title: "read preference"},
			{Name: "mongodb.tls", Title: "TLS"},
		},
		Telemetry: []descriptor.TelemetryColumn{
			{Title: "operations/s", Figure: ServerFigures + "operations", Form: descriptor.Rate, Each: true},
			{Title: "cache hits", Figure: ServerFigures + "cache_hit_percent", Form: descriptor.Percent},
			{Title: "connections", Figure: ServerFigures + "connections"},
			{Title: "read into cache/s", Figure: ServerFigures + "cache_read", Form: descriptor.BytesRate},
			{Title: "written from cache/s", Figure: ServerFigures + "cache_written", Form: descriptor.BytesRate},
			{Title: "longest queue", Figure: ServerFigures + "queue", Form: descriptor.Greatest},
		},
		Servers: descriptor.Servers{
			Text: "Each server of MongoDB during the measured phase: its connections, memory and cache.",
			Columns: []descriptor.TelemetryColumn{
				{Title: "connections", Figure: ServerFigures + "connections"},
				{Title: "memory", Figure: ServerFigures + "memory", Form: descriptor.MeanAndMost},
				{Title: "cache", Figure: ServerFigures + "cache_used", Form: descriptor.MeanAndMost},
			},
		},
	}
}

// caution returns the caution about a server that only speaks MongoDB's protocol.
func caution(facts map[string]string) string {
	if name := facts[ProductFact]; name != "" && name != product {
		return "Measured on " + name + ", which is not MongoDB: never publish its speed as MongoDB's."
	}
	return ""
}

// examine returns doctor's finding about the facts of a MongoDB.
func examine(facts map[string]string) descriptor.Finding {
	var f descriptor.Finding
	if version := facts[VersionFact]; version != "" {
		f.Found = fmt.Sprintf(", MongoDB %s, %s", version, facts[TopologyFact])
	}
	if name := facts[ProductFact]; name != "" && name != product {
		f.Found = strings.Replace(f.Found, "MongoDB", name+" with the protocol of MongoDB", 1)
	}
	if n := facts[ShardsFact]; n != "" {
		f.Found += " of " + n + " shards"
	}
	return f
}

// bottlenecks lists the rules that recognize the limits of a MongoDB in its telemetry.
func bottlenecks() []descriptor.Bottleneck {
	of := func(figure, unit string, limit float64) descriptor.Measure {
		return descriptor.Measure{Figure: ServerFigures + figure, Unit: unit, Limit: limit}
	}
	misses := descriptor.Measure{Figure: ServerFigures + "cache_misses", Per: ServerFigures + "operations", Limit: 0.1}
	return []descriptor.Bottleneck{
		{
			Name: "hot_server", Measure: descriptor.Measure{Figure: ShardFigures + "operations", Limit: 3}, Uneven: true,
			Sentence: "shard {source} received {value} of the operations; an even share is {even}",
		},
		{
			Name: "cache_misses", With: []descriptor.Measure{misses},
			Measure:  descriptor.Measure{Figure: ServerFigures + "cache_hit_percent", Unit: "percent", Below: true, Limit: 80},
			Sentence: "server {source} found only {value} of the pages in the cache of WiredTiger",
		},
		{
			Name: "wal_sync", Measure: of("journal_sync", "ms/s", 500),
			Sentence: "server {source} synced its journal for {value}",
		},
		{
			Name: "handler_queue", Measure: of("queue", "", 64), With: []descriptor.Measure{{Figure: ServerFigures + "cpu_percent", Unit: "percent", Below: true, Limit: 80}},
			Sentence: "on server {source}, {value} operations waited for a ticket, while its process used less than 80 % of the processors",
		},
		{
			Name: "server_cpu", Measure: of("cpu_percent", "percent", 80),
			Sentence: "the process of server {source} used {value} of the processors of its machine",
		},
	}
}
