package watch

import (
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

// figure is a number of a snapshot: the sum of its fields.
type figure struct {
	name, unit string
	kind       observe.Kind
	scale      float64 // 0 is 1
	fields     [][]string
}

func one(path ...string) [][]string { return [][]string{path} }

func several(names ...string) [][]string {
	all := make([][]string, len(names))
	for i, name := range names {
		all[i] = []string{name}
	}
	return all
}

// nodeFigures are the figures of a node, from the snapshot of the database.
func nodeFigures() []figure {
	const level, counter = observe.Level, observe.Counter
	return []figure{
		{name: "inserts", unit: "1/s", kind: counter, fields: one("TotalInsert")},
		{name: "updates", unit: "1/s", kind: counter, fields: one("TotalUpdate")},
		{name: "deletes", unit: "1/s", kind: counter, fields: one("TotalDelete")},
		{name: "selects", unit: "1/s", kind: counter, fields: one("TotalSelect")},
		{name: "reads", unit: "1/s", kind: counter, fields: one("TotalRead")},
		{name: "data_reads", unit: "1/s", kind: counter, fields: one("TotalDataRead")},
		{name: "index_reads", unit: "1/s", kind: counter, fields: one("TotalIndexRead")},
		{name: "data_writes", unit: "1/s", kind: counter, fields: one("TotalDataWrite")},
		{name: "index_writes", unit: "1/s", kind: counter, fields: one("TotalIndexWrite")},
		{name: "replicated", unit: "1/s", kind: counter, fields: several("ReplInsert", "ReplUpdate", "ReplDelete")},
		{name: "replication_queue", unit: "1", kind: level, fields: one("LSNQueSize")},
		{name: "active_sessions", unit: "1", kind: level, fields: one("CurrentActiveSessions")},
		{name: "contexts", unit: "1", kind: level, fields: one("CurrentContexts")},
		{name: "cpu_percent", unit: "percent", kind: counter, scale: 100, fields: several("UserCPU", "SysCPU")},
		{name: "rss", unit: "bytes", kind: level, fields: one("rss")},
		{name: "mapped", unit: "bytes", kind: level, fields: one("TotalMapped")},
		{name: "log_free", unit: "bytes", kind: level, fields: one("freeLogSpace")},
		{name: "net_received", unit: "bytes/s", kind: counter, fields: several("svcNetIn", "shardNetIn", "replNetIn")},
		{name: "net_sent", unit: "bytes/s", kind: counter, fields: several("svcNetOut", "shardNetOut", "replNetOut")},
	}
}

// hostFigures are the figures of a machine, from the snapshot of the system.
func hostFigures() []figure {
	return []figure{
		{name: "memory_used_percent", unit: "percent", fields: one("Memory", "LoadPercent")},
		{name: "memory_free", unit: "bytes", fields: one("Memory", "FreeRAM")},
		{name: "disk_used_percent", unit: "percent", fields: one("Disk", "LoadPercent")},
		{name: "disk_free", unit: "bytes", fields: one("Disk", "FreeSpace")},
	}
}

// read returns the figures that a document has. A sum needs its first field.
func read(d wire.Document, prefix string, figures []figure) []observe.Reading {
	readings := make([]observe.Reading, 0, len(figures))
	for _, f := range figures {
		sum, has := d.Number(f.fields[0]...)
		if !has {
			continue
		}
		for _, more := range f.fields[1:] {
			n, _ := d.Number(more...)
			sum += n
		}
		if f.scale != 0 {
			sum *= f.scale
		}
		readings = append(readings, observe.Reading{Name: prefix + f.name, Unit: f.unit, Kind: f.kind, Value: sum})
	}
	return readings
}

// busy returns the share of time in which the processors of a machine worked.
func busy(d wire.Document) (observe.Reading, bool) {
	var used, all float64
	for _, part := range []string{"User", "Sys", "Other", "Idle"} {
		n, has := d.Number("CPU", part)
		if !has {
			return observe.Reading{}, false
		}
		all += n
		if part != "Idle" {
			used += n
		}
	}
	return observe.Reading{Name: sequoiadbspec.Host + "cpu_busy_percent", Unit: "percent", Kind: observe.Share, Value: used, Of: all}, true
}
