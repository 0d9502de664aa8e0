package testcluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// many is a number of operations of which each agent certainly has some.
const many = 50

// RequireConsistent checks the invariants of every good result.
func RequireConsistent(t *testing.T, r result.Run, agents int) {
	t.Helper()
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, 1, r.Schema)
	require.Equal(t, "run", r.Kind)
	require.Empty(t, r.Missing)
	require.True(t, r.Reconcile.OK)
	require.Equal(t, r.Reconcile.Issued, r.Reconcile.Recorded)
	require.Equal(t, r.Reconcile.Recorded, r.Reconcile.Merged)
	require.NotZero(t, r.Reconcile.Merged)
	require.Len(t, r.Provenance.Agents, agents)
	require.NotNil(t, r.Start)
	require.NotEmpty(t, r.Resolved["recordcount"])
	var all uint64
	for _, p := range r.Phases {
		var ops, inSeries uint64
		for _, o := range p.Operations {
			if o.Outcome == "OK" && o.Count >= many { // failures and a few operations may be at one agent only
				require.Len(t, o.Agents, agents, o.Op)
			}
			var shares uint64
			for _, a := range o.Agents {
				shares += a.Count
			}
			require.Equal(t, o.Count, shares, "%s: the agents' counts add up", o.Op)
			if o.PartOf == nil {
				ops += o.Count
			}
		}
		for _, point := range p.Series {
			inSeries += point.Ops
		}
		require.Equal(t, p.Ops, ops, "operations add up")
		require.Equal(t, p.Ops, inSeries, "the series adds up")
		all += ops
	}
	require.Equal(t, r.Reconcile.Merged, all)
}
