//go:build hbase

package hbase

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// Time series are on HBase what YCSB's binding makes of them: a row for each key, which each data point overwrites, with the tags, a
// timestamp and a value as fields; and reads of fields that no row has.
func TestTimeSeriesAreRowsOfKeys(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const table, keys = "series", 16
		stdout, stderr, code := testcluster.Run(t, 3*time.Minute, "benchctl", append(s.flags(table), "run", "-q", "-o", "json", "--phase", "load,run", "--agents", "2", "--threads", "4",
			"-p", "hbase.table.create=recreate", "-p", "workload=site.ycsb.workloads.TimeSeriesWorkload", "-p", "fieldcount=16", "-p", "fieldlength=8", "-p", "tagcardinality=1,2,4,2",
			"-p", "recordcount=4000", "-p", "operationcount=2000", "-p", "readproportion=0.1", "-p", "insertproportion=0.9", "-p", "updateproportion=0",
			"-p", "querytimespan=3600", "-p", "limit.notfound=1")...)
		require.Zero(t, code, stderr)
		var run result.Run
		require.NoError(t, json.Unmarshal([]byte(stdout), &run))
		require.True(t, run.Reconcile.OK)
		i := slices.IndexFunc(run.Phases, func(p result.Phase) bool { return p.Name == string(plan.Measure) })
		require.GreaterOrEqual(t, i, 0)
		for _, o := range run.Phases[i].Operations {
			if o.Count > 0 && o.PartOf == nil && o.Op != "CLEANUP" {
				require.Contains(t, []string{"INSERT OK", "READ NOT_FOUND"}, o.Op+" "+o.Outcome)
			}
		}
		found := s.sum(t, table)
		require.EqualValues(t, keys, found.rows)
		require.EqualValues(t, keys*6, found.cells, "four tags, a timestamp and a value")
		require.EqualValues(t, keys*(4*8+2*8), found.bytes)
	})
}
