package workload

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

var update = flag.Bool("update", false, "write the table of distributions in docs/suites.md")

// The table of distributions in the documentation is that of the code.
func TestDistributionsAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Distribution", "Draws", "Meaning"}}
	for _, d := range Distributions() {
		var draws []string
		for _, use := range []struct {
			drawn bool
			name  string
		}{{d.DrawsRequests(), "`requestdistribution`"}, {d.DrawsFields(), "`fieldlengthdistribution`"}, {d.DrawsScans(), "`scanlengthdistribution`"}} {
			if use.drawn {
				draws = append(draws, use.name)
			}
		}
		table.Rows = append(table.Rows, []string{"`" + string(d.Name) + "`", strings.Join(draws, ", "), d.Meaning})
	}
	doctable.Generated(t, "docs/suites.md", "distributions", table, *update)
}

// Each distribution of scan lengths draws field lengths with the same function.
func TestDistributionsOfScansDrawLengths(t *testing.T) {
	for _, d := range Distributions() {
		require.True(t, d.DrawsRequests() || d.DrawsFields(), "%s draws something", d.Name)
		require.True(t, d.DrawsFields() || !d.DrawsScans(), "%s has a function for lengths", d.Name)
	}
}
