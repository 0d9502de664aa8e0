//go:build hbase

package hbase

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/test/testcluster"
)

// Two searches for the number of threads with the highest throughput agree: the 95 % intervals of the throughput at their
// answers overlap.
func TestTwoSearchesOnHBaseAgree(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const table = "searched"
		run(t, s, table, "--phase", "load", "-p", "recordcount=20000", "-p", "hbase.splits=6", "--threads", "16")
		var found []*result.Capacity
		for range 2 {
			begin := time.Now()
			args := append([]string{"run", "-q", "-o", "json"}, s.flags(table)...)
			args = append(args, "-p", "recordcount=20000", "-p", "readproportion=1", "-p", "updateproportion=0", "--duration", "4s", "--warmup", "2s",
				"-p", "search.tolerance=10%", "--search", "threads 1..32 keep errors < 1%")
			stdout, stderr, code := testcluster.Run(t, 15*time.Minute, "benchctl", args...)
			require.Zero(t, code, stderr)
			var suite result.Suite
			require.NoError(t, json.Unmarshal([]byte(stdout), &suite))
			require.Equal(t, result.Complete, suite.Status)
			c := suite.Cases[0].Capacity
			require.NotNil(t, c)
			t.Logf("%s; %d probes, %v", c.Text, len(c.Probes), time.Since(begin).Round(time.Second))
			for _, p := range c.Probes {
				t.Logf("%s at %v threads: %.0f ops/s, %s", p.Purpose, p.Value, p.Throughput, p.Outcome)
				require.Equal(t, search.Kept, p.Outcome, p.Because)
			}
			require.NotNil(t, c.Throughput, "it was confirmed")
			require.NotNil(t, c.Throughput.Low)
			found = append(found, c)
		}
		a, b := found[0].Throughput, found[1].Throughput
		t.Logf("intervals %.0f to %.0f and %.0f to %.0f ops/s", *a.Low, *a.High, *b.Low, *b.High)
		require.LessOrEqual(t, *a.Low, *b.High)
		require.LessOrEqual(t, *b.Low, *a.High)
	})
}
