//go:build hbase

package hbase

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// With the default settings a lone worker does not wait for others to fill a batch, which would take milliseconds: half
// of its reads take less than 0.3 ms on the sandbox, and less than 1 ms on servers that share the machine with four
// more Java processes. A busy machine gets another attempt.
func TestALoneWorkerDoesNotWait(t *testing.T) {
	limits := map[string]float64{three: 1000, sandbox: 300} // microseconds
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, attempts = 10_000, 3
		limit := limits[s.name]
		const table = "lone"
		run(t, s, table, append(property("recordcount", records, "hbase.table.create", "recreate"), "--phase", "load", "--threads", "8")...)
		var p50 float64
		for range attempts {
			r := run(t, s, table, append(property("recordcount", records, "readproportion", 1, "updateproportion", 0, "operationcount", 0),
				"--warmup", "3s", "--duration", "5s")...)
			faultless(t, r)
			measured := r.Phases[len(r.Phases)-1]
			require.Equal(t, "measure", measured.Name)
			i := slices.IndexFunc(measured.Operations, func(o result.Operation) bool { return o.Op == "READ" })
			require.GreaterOrEqual(t, i, 0)
			require.NotNil(t, measured.Operations[i].P50)
			p50 = *measured.Operations[i].P50
			t.Logf("p50 %.0f us at %.0f reads/s", p50, measured.Throughput)
			if p50 < limit {
				return
			}
		}
		require.Less(t, p50, limit)
	})
}
