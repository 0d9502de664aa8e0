package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// mixed is a run with an open group of reads, at 120 a second, and a closed group of scans.
func mixed() result.BuilderConfig {
	cfg := config(2)
	cfg.Phases[0].Loop = "mixed"
	cfg.Phases[0].Groups = []result.GroupInfo{
		{Name: "reads", Loop: "open", Workers: 4, Intended: func(d time.Duration) float64 { return 120 * d.Seconds() }},
		{Name: "scans", Loop: "closed", Workers: 2},
	}
	return cfg
}

// grouped adds windows of ten seconds: each agent has 50 reads and 10 scans a second, and 10 reads more in its backlog.
func grouped(t *testing.T, b *result.Builder) {
	t.Helper()
	for shard := range 2 {
		ws := of("measure", shard)
		for second := range 10 {
			w := ws.next(series("reads.READ", "OK", same(50, 2)...), series("scans.SCAN", "OK", same(10, 30)...))
			w.Last = second == 9
			n := uint64(second + 1)
			w.Health.Backlog = 10 * n
			w.Groups = []latency.GroupCount{
				{Name: "reads", Issued: 50 * n, Recorded: 50 * n, Rows: 50, Bytes: 500, LateSends: 1, Backlog: 10 * n},
				{Name: "scans", Issued: 10 * n, Recorded: 10 * n, Rows: 1000},
			}
			add(t, b, w)
		}
	}
}

// An open and a closed group share a throughput and nothing else: no figure of a latency is of both (law 2).
func TestGroupsOfBothLoopsAreNotMerged(t *testing.T) {
	b := result.NewBuilder(mixed())
	grouped(t, b)
	run := document(t, b)
	p := run.Phases[0]
	require.Equal(t, "mixed", p.Loop)
	require.Nil(t, p.Offered)
	require.InDelta(t, 120, p.Throughput, 1e-9)
	require.Len(t, p.Operations, 2)
	require.Equal(t, "open", p.LoopOf("reads.READ"))
	require.Equal(t, "closed", p.LoopOf("scans.SCAN"))

	require.Len(t, p.Groups, 2)
	reads, scans := p.Groups[0], p.Groups[1]
	require.InDelta(t, 100, reads.Throughput, 1e-9)
	require.InDelta(t, 120, *reads.Offered, 1e-9)
	require.EqualValues(t, 1000, reads.Rows)
	require.EqualValues(t, 10_000, reads.Bytes)
	require.EqualValues(t, 20, reads.LateSends)
	require.EqualValues(t, 200, reads.Unsent)
	require.Equal(t, "READ", reads.Operations[0].Op)
	require.InEpsilon(t, 2, *reads.Operations[0].P99, 0.002)
	require.InDelta(t, 20, scans.Throughput, 1e-9)
	require.Nil(t, scans.Offered)
	require.InEpsilon(t, 30, scans.Operations[0].Mean, 0.002)

	for _, a := range b.Live().Agents {
		require.Nil(t, a.P99, "of operations of both loops")
	}
	m := run.Measurement()
	require.Len(t, m.Operations, 2)
	require.NotNil(t, m.Operations[0].Service, "of an open loop")
	require.Nil(t, m.Operations[1].Service)

	over := verdict(t, run, "overloaded")
	require.True(t, over.Value)
	require.Equal(t, "measure, group reads: offered 120 ops/s, achieved 100 ops/s, backlog at most 200 operations, 200 at the end", over.Because)
}

func TestCountsAreReconciledByGroup(t *testing.T) {
	b := result.NewBuilder(mixed())
	grouped(t, b)
	r := document(t, b).Reconcile
	require.True(t, r.OK)
	require.Equal(t, []result.GroupReconcile{
		{Name: "reads", Issued: 1000, Recorded: 1000, Merged: 1000, OK: true}, {Name: "scans", Issued: 200, Recorded: 200, Merged: 200, OK: true},
	}, r.Groups)

	// A read that is counted as a scan leaves the sums right, and is found.
	b = result.NewBuilder(mixed())
	w := of("measure", 0).last(series("reads.READ", "OK", same(5, 2)...), series("scans.SCAN", "OK", same(5, 2)...))
	w.Groups = []latency.GroupCount{{Name: "reads", Issued: 6, Recorded: 6}, {Name: "scans", Issued: 4, Recorded: 4}}
	add(t, b, w)
	r = document(t, b).Reconcile
	require.Equal(t, r.Issued, r.Merged)
	require.False(t, r.OK)
	require.False(t, r.Groups[0].OK)
}

func TestARunWithoutGroupsHasNone(t *testing.T) {
	b := result.NewBuilder(config(1))
	add(t, b, of("measure", 0).last(series("READ", "OK", 1)))
	run := document(t, b)
	require.Nil(t, run.Phases[0].Groups)
	require.Nil(t, run.Reconcile.Groups)
}
