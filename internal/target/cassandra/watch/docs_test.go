package watch

import (
	"flag"
	"maps"
	"slices"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
)

var update = flag.Bool("update", false, "write the table of figures in docs/cassandra.md")

func TestFiguresAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Figure", "Unit", "Made as", "From"}}
	add := func(figure, unit, made, from string) {
		table.Rows = append(table.Rows, []string{"`" + figure + "`", unit, made, from})
	}
	add("cassandra.nodes", "1", "level", "nodes that the driver knows, of source `cluster`")
	add("cassandra.nodes_up", "1", "level", "those to which it has connections")
	pools := poolFigures()
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		f := pools[name]
		if f.completed != "" {
			add(prefix+f.completed, "1/s", "rate", "`thread_pools` "+name+", completed_tasks")
		}
		add(prefix+f.active, "1", "level", "`thread_pools` "+name+", active_tasks")
		add(prefix+f.waiting, "1", "level", "`thread_pools` "+name+", pending_tasks")
	}
	for _, name := range slices.Sorted(maps.Keys(cacheFigures())) {
		figure := cacheFigures()[name]
		add(prefix+figure+"_hit_percent", percent, "share", "`caches` "+name+", hit_count of request_count")
		add(prefix+figure+"_size", "bytes", "level", "`caches` "+name+", size_bytes")
	}
	for _, table := range []string{"read", "write", "scan"} {
		add(prefix+"table_"+table+"s", "1/s", "rate", "`coordinator_"+table+"_latency` of the run's table, count")
	}
	add(prefix+"table_size", "bytes", "level", "`disk_usage` of the run's table, mebibytes")
	add(prefix+"clients", "1", "level", "`clients`, rows")
	for _, f := range [][3]string{
		{"heap_used", "bytes", "Memory, HeapMemoryUsage.used"},
		{"heap_max", "bytes", "Memory, HeapMemoryUsage.max"},
		{"gc_time", "ms/s", "GarbageCollector, CollectionTime of all"},
		{"gcs", "1/s", "GarbageCollector, CollectionCount of all"},
		{"cpu_percent", percent, "OperatingSystem, ProcessCpuLoad"},
	} {
		made := "level"
		if f[1] == "ms/s" || f[1] == "1/s" {
			made = "rate"
		}
		add(prefix+f[0], f[1], made, "JMX: java.lang "+f[2])
	}
	doctable.Generated(t, "docs/cassandra.md", "figures", table, *update)
}
