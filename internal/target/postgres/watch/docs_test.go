package watch

import (
	"flag"
	"strings"
	"testing"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/observe"
)

var update = flag.Bool("update", false, "write the tables in docs/postgres.md")

func TestFiguresAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"figure", "unit", "made as", "source"}}
	made := map[observe.Kind]string{observe.Level: "level", observe.Counter: "rate", observe.Share: "share"}
	for _, f := range figures() {
		from := "`pg_stat_" + f.view + "." + f.column + "`"
		if f.view == own {
			from = sources()[f.column]
		}
		if len(f.of) > 0 {
			from += " of `" + strings.Join(f.of, "` and `") + "`"
		}
		row := []string{"`" + f.name + "`", f.unit, made[f.kind], from}
		if n := len(table.Rows); n > 0 && table.Rows[n-1][0] == row[0] {
			table.Rows[n-1][3] += ", or " + from
			continue
		}
		table.Rows = append(table.Rows, row)
	}
	doctable.Generated(t, "docs/postgres.md", "figures", table, *update)
}

// sources describes the figures that are no column of a view.
func sources() map[string]string {
	const activity = "`pg_stat_activity`: other connections of clients"
	return map[string]string{
		"size":        "`pg_total_relation_size` of the table",
		"connections": activity,
		"active":      activity + " whose state is `active`",
		"waiting":     activity + " that are active and wait for a lock, a buffer or I/O",
		"lag":         "`pg_stat_replication`: WAL that the slowest standby has not applied",
	}
}
