package workload

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of distributions in the documentation is that of the code.
func TestDistributionsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Distribution | Draws | Meaning |\n| --- | --- | --- |\n")
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
		b.WriteString("| `" + string(d.Name) + "` | " + strings.Join(draws, ", ") + " | " + d.Meaning + " |\n")
	}
	content, err := os.ReadFile("../../docs/suites.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(content), "\n## Distributions\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	require.Contains(t, section, b.String())
}

// Whatever draws the lengths of scans draws those of fields by the same function.
func TestDistributionsOfScansDrawLengths(t *testing.T) {
	for _, d := range Distributions() {
		require.True(t, d.DrawsRequests() || d.DrawsFields(), "%s draws something", d.Name)
		require.True(t, d.DrawsFields() || !d.DrawsScans(), "%s has a function for lengths", d.Name)
	}
}
