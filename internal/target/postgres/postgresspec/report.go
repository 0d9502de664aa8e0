package postgresspec

import "github.com/benchd/benchd/internal/descriptor"

// inReports describes what reports show of a server.
func inReports() descriptor.Report {
	const database, table, wal = "postgres.database.", "postgres.table.", "postgres.wal."
	return descriptor.Report{
		Caution: caution,
		Facts: []descriptor.TitledFact{
			{Name: "postgres.version", Title: "version"},
			{Name: "postgres.database", Title: "database"},
			{Name: formKey, Title: "form"},
			{Name: "synchronous_commit", Title: "synchronous_commit"},
			{Name: "fsync", Title: "fsync"},
			{Name: "shared_buffers", Title: "shared_buffers"},
			{Name: "postgres.tls", Title: "TLS"},
		},
		Telemetry: []descriptor.TelemetryColumn{
			{Title: "commits/s", Figure: database + "commits", Form: descriptor.Rate},
			{Title: "cache hits", Figure: database + "cache_hit_percent", Form: descriptor.Percent},
			{Title: "WAL/s", Figure: wal + "bytes", Form: descriptor.BytesRate},
			{Title: "dead rows", Figure: table + "dead_rows"},
			{Title: "table size", Figure: table + "size"},
			{Title: "connections that wait", Figure: "postgres.connections_waiting", Form: descriptor.Greatest},
		},
	}
}

// caution returns a caution about a server whose acknowledged writes do not survive a crash.
func caution(facts map[string]string) string {
	switch {
	case facts["target"] != Name:
		return ""
	case facts["fsync"] == "off":
		return "Measured with fsync=off: a crash of the machine can destroy the whole database. Do not compare it with durable writes."
	case facts["postgres.table.unlogged"] == "true":
		return "Measured on an UNLOGGED table: a crash of the server empties it. Do not compare it with durable writes."
	}
	return ""
}
