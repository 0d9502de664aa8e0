package hbasespec

import "github.com/benchd/benchd/internal/descriptor"

// bottlenecks lists the rules that recognize the limits of a cluster in its telemetry.
func bottlenecks() []descriptor.Bottleneck {
	const server, region = "hbase.regionserver.", "hbase.region."
	of := func(figure, unit string, limit float64) descriptor.Measure {
		return descriptor.Measure{Figure: server + figure, Unit: unit, Limit: limit}
	}
	// The hits are those of all blocks, and some calls need none.
	missing := descriptor.Measure{Figure: server + "block_cache_misses", Per: server + "calls", Limit: 0.1}
	return []descriptor.Bottleneck{
		{
			Name: "hot_region", Measure: descriptor.Measure{Figure: region + "requests", Limit: 3}, Uneven: true, LeastShare: 25,
			Whole: server + "table_requests", Parts: server + "table_regions",
			Sentence: "region {source} received {value} of the requests to its table; an even share is {even}",
		},
		{
			Name: "hot_server", Measure: of("table_requests", "", 3), Uneven: true,
			Sentence: "region server {source} received {value} of the requests to the table; an even share is {even}",
		},
		{
			Name: "compaction", Measure: of("updates_blocked", "ms/s", 50),
			Sentence: "updates of region server {source} were blocked for {value}, until flushes and compactions had made room",
		},
		{
			Name: "cache_misses", With: []descriptor.Measure{missing},
			Measure:  descriptor.Measure{Figure: server + "block_cache_hit_percent", Unit: "percent", Below: true, Limit: 80},
			Sentence: "region server {source} found only {value} of the blocks in its block cache",
		},
		{
			Name: "gc", Measure: of("gc_time", "ms/s", 100),
			Sentence: "region server {source} was in garbage collection for {value}",
		},
		{
			Name:    "wal_sync",
			Measure: descriptor.Measure{Figure: server + "wal_sync_mean", Times: server + "wal_syncs", Unit: "ms/s", Limit: 500},

			Sentence: "region server {source} synced its WAL for {value}",
		},
		{
			Name: "handler_queue", With: []descriptor.Measure{{Figure: server + "cpu_percent", Unit: "percent", Below: true, Limit: 80}},
			Measure:  descriptor.Measure{Figure: server + "call_queue", Per: server + "handlers", Limit: 1},
			Sentence: "on region server {source}, {value} calls waited for each handler, while its process used less than 80 % of the processors",
		},
		{
			Name: "server_cpu", Measure: of("cpu_percent", "percent", 80),
			Sentence: "the process of region server {source} used {value} of the processors that it may use",
		},
	}
}
