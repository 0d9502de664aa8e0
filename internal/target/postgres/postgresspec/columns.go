package postgresspec

import "github.com/benchd/benchd/internal/descriptor"

// columns lists the figures of a run that come from the facts and the telemetry of a server.
func columns() []descriptor.Column {
	return []descriptor.Column{
		{Name: "table_size_before", Unit: "bytes", Read: descriptor.First("postgres.table.size")},
		{Name: "table_size_after", Unit: "bytes", Read: descriptor.Last("postgres.table.size")},
		{Name: "dead_rows_after", Unit: "rows", Read: descriptor.Last("postgres.table.dead_rows")},
	}
}
