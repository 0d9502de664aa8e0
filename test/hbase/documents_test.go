//go:build hbase

package hbase

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The getting-started page takes its reader from an empty folder to results on a real HBase: of one process, and of several client
// machines. HBase's own client finds the rows.
func TestGettingStarted(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const rows = 2000 // what a Reader makes of each recordcount
		r := testcluster.NewReader(t, t.TempDir())
		r.Quorum = s.quorum
		r.Skip = func(command string) string {
			switch {
			case strings.HasPrefix(command, "make hbase-"):
				return "the HBase of the tests runs already"
			case strings.Contains(command, "--db sandbox"), strings.Contains(command, " -f "), strings.Contains(command, " report "):
				return "test/e2e runs it"
			}
			return ""
		}
		tables := make(map[string]bool)
		results := 0
		r.Result = func(_ string, runs ...result.Run) {
			for _, run := range runs {
				faultless(t, run)
				results++
				tables[run.Resolved["table"]] = true
			}
		}
		r.Follow("docs/getting-started.md")
		require.GreaterOrEqual(t, results, 3, "one with a cluster of one's own, one with that of the checkout, one of several machines")
		client := s.admin(t)
		for table := range tables {
			require.EqualValues(t, rows, s.rows(t, table), "rows of %s", table)
			require.NoError(t, client.Disable(t.Context(), table))
			require.NoError(t, client.Drop(t.Context(), table))
		}
	})
}
