//go:build hbase

package hbase

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// submit runs a benchmark on the agents of a cluster to its end and requires success.
func submit(t *testing.T, h *testcluster.Cluster, agents int, s *server, table string, args ...string) result.Run {
	t.Helper()
	args = append(append([]string{"submit", "--wait", "-o", "json"}, s.flags(table)...), args...)
	stdout, stderr, code := h.Ctl(args...)
	require.Zero(t, code, "%v: %s%s", args, stderr, stdout)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, agents)
	return r
}

// run runs a benchmark in one process to its end and requires success.
func run(t *testing.T, s *server, table string, args ...string) result.Run {
	t.Helper()
	args = append(append([]string{"run", "-q", "-o", "json"}, s.flags(table)...), args...)
	stdout, stderr, code := testcluster.Run(t, soon, "benchctl", args...)
	require.Zero(t, code, "%v: %s%s", args, stderr, stdout)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, 1)
	return r
}

// count returns how many operations of a kind had an outcome, in all phases.
func count(r result.Run, op, outcome string) uint64 {
	var n uint64
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			if o.Op == op && o.Outcome == outcome {
				n += o.Count
			}
		}
	}
	return n
}

// faultless requires that every operation succeeded: no error, no NOT_FOUND.
func faultless(t *testing.T, r result.Run) {
	t.Helper()
	require.True(t, r.Reconcile.OK)
	for _, p := range r.Phases {
		require.Empty(t, p.Errors, "errors of phase %s", p.Name)
		for _, o := range p.Operations {
			require.Contains(t, []string{"OK", "BATCHED_OK"}, o.Outcome, "%d operations %s", o.Count, o.Op)
		}
	}
}

// property makes property flags.
func property(pairs ...any) []string {
	var args []string
	for i := 0; i < len(pairs); i += 2 {
		args = append(args, "-p", fmt.Sprintf("%v=%v", pairs[i], pairs[i+1]))
	}
	return args
}
