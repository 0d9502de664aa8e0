//go:build hbase

package hbase

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// limited returns the bottleneck of a run's measured phase, and logs it with its evidence.
func limited(t *testing.T, r result.Run) result.Bottleneck {
	t.Helper()
	p := r.Phases[len(r.Phases)-1]
	require.NotNil(t, p.Bottleneck)
	t.Logf("%.0f operations/s: %s", p.Throughput, p.Bottleneck.Sentence)
	for _, e := range p.Bottleneck.Evidence {
		t.Logf("  %s %t: %s of %s is %.4g %s, limit %.4g, in %.0f %% of %d points; %s",
			e.Rule, e.Holds, e.Figure, e.Source, e.Value, e.Unit, e.Limit, 100*e.Share, e.Points, e.Note)
	}
	return *p.Bottleneck
}

// evidence returns the evidence of a rule of a limit; the rule must have been tested.
func evidence(t *testing.T, b result.Bottleneck, rule string) result.Evidence {
	t.Helper()
	for _, e := range b.Evidence {
		if e.Rule == rule {
			return e
		}
	}
	require.Fail(t, "the rule was not tested", "%s: %v", rule, b.Evidence)
	return result.Evidence{}
}

// closedLoop returns the properties of a phase that sends as fast as its threads can.
func closedLoop(read, scan int, more ...any) []string {
	return append(property("operationcount", 0, "requestdistribution", "uniform", "readproportion", read, "updateproportion", 0, "scanproportion", scan),
		property(more...)...)
}

// lone starts a real HBase of one region server, with a setting of its own, that ends with the test.
func lone(t *testing.T, name, setting string) *server {
	t.Helper()
	s := launchHBase(t, name, 1, "--set", setting)
	t.Cleanup(func() {
		s.logStatus(t)
		s.stop()
	})
	return s
}

// The table has 22 MB, the block cache 5 MB.
func TestASmallBlockCacheIsNamed(t *testing.T) {
	const records = 20_000
	const table = "cold"
	s := lone(t, "a small block cache", "hfile.block.cache.size=0.005")
	run(t, s, table, append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", 2, "hbase.after.load", "flush"),
		"--phase", "load", "--threads", "4")...)
	b := limited(t, run(t, s, table, append(closedLoop(1, 0, "recordcount", records), "--threads", "4", "--duration", "60s")...))
	require.Equal(t, "cache_misses", b.Name, b.Sentence)
	require.InDelta(t, 58, evidence(t, b, "cache_misses").Value, 15)
}

// Scans need more time of a server than of the agent. HBase 2.6 can leave calls in the queue of a lone idle handler until the next
// one comes: with sixteen workers it comes soon.
func TestALoneHandlerIsNamed(t *testing.T) {
	const records = 20_000
	const table = "queue"
	rows := property("recordcount", records, "fieldcount", 1, "fieldlength", 10)
	s := lone(t, "one handler", "hbase.regionserver.handler.count=1")
	run(t, s, table, append(append(property("hbase.table.create", "recreate", "hbase.splits", 2), rows...), "--phase", "load", "--threads", "4")...)
	b := limited(t, run(t, s, table, append(append(closedLoop(0, 1, "minscanlength", 1000, "maxscanlength", 1000), rows...),
		"--threads", "16", "--duration", "35s")...))
	require.Equal(t, "handler_queue", b.Name, b.Sentence)
	require.Greater(t, evidence(t, b, "handler_queue").Value, 2.0, "calls waited for it")
}

// The keys of the requests decide whether a region is hot; table, servers and threads are the same.
func TestAHotRegionIsNamed(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records, regions = 12_000, 6
		const table = "hot"
		keys := property("zeropadding", 10, "insertorder", "ordered")
		run(t, s, table, append(append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", regions-1, "hbase.after.load", "flush"),
			keys...), "--phase", "load", "--threads", "4")...)

		requests := slices.Concat(keys, []string{"--threads", "8", "--duration"})
		hot := limited(t, run(t, s, table, append(closedLoop(1, 0, "recordcount", records/regions-100), append(requests, "25s")...)...))
		require.Equal(t, "hot_region", hot.Name, hot.Sentence)
		e := evidence(t, hot, "hot_region")
		require.Equal(t, table+",", e.Source, "the first region has the lowest keys")
		require.InDelta(t, 100, e.Value, 1)
		require.Contains(t, hot.Sentence, "region "+table+",")
		require.Contains(t, hot.Sentence, "an even share is 16.7 %")

		// The same table with its blocks in the cache, even requests, and thirty handlers: none of the limits holds.
		even := limited(t, run(t, s, table, append(closedLoop(1, 0, "recordcount", records), append(requests, "60s")...)...))
		for _, rule := range []string{"hot_region", "hot_server", "cache_misses", "handler_queue"} {
			require.False(t, evidence(t, even, rule).Holds, rule)
		}
		require.InDelta(t, 16.7, evidence(t, even, "hot_region").Value, 2, "the share of the busiest region")
	})
}
