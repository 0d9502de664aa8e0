//go:build hbase

package hbase

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// version is HBase's version under test.
func version() string { return cmp.Or(os.Getenv("BENCHD_HBASE_VERSION"), "2.6.4") }

// All kinds of work are done on a version of HBase: a load, YCSB's workloads a to f with every value checked, deletes, telemetry, and
// all actions. make test-versions does them on each supported version; docs/hbase.md has the table.
func TestAVersionDoesAllKindsOfWork(t *testing.T) {
	const records, ops, fields, length, rate = 3000, 4000, 3, 50, 2000 // each phase has several samples of telemetry
	const table = "version"
	s := share(t, three)
	h := testcluster.New(t)
	h.Agents("a")
	base := property("recordcount", records, "fieldcount", fields, "fieldlength", length, "dataintegrity", true, "maxscanlength", 20,
		"telemetry.interval", "250ms", "target", rate)
	do := func(args ...string) result.Run {
		t.Helper()
		r := submit(t, h, 1, s, table, slices.Concat(base, []string{"--threads", "8"}, args)...)
		faultless(t, r)
		require.Contains(t, r.Provenance.Target["hbase.version"], version(), "the result names the version")
		for _, w := range r.Warnings { // pages may lack a bean while HBase renews its own list
			require.False(t, strings.Contains(w, "cannot be read") && !strings.Contains(w, "no bean"), w)
		}
		return r
	}
	r := do(append(property("hbase.splits", 4, "hbase.table.create", "recreate", "after.load", "flush,major_compact,wait_for_quiet"), "--phase", "load")...)
	require.EqualValues(t, records, count(r, "INSERT", "OK"))
	rows := records
	for _, w := range []string{"a", "b", "c", "d", "f", "e"} {
		r := do(append(property("operationcount", ops, "insertbase", rows), "-P", testcluster.Workload("workload"+w))...)
		require.EqualValues(t, ops, r.Phases[0].Ops, w)
		if w != "e" {
			require.NotZero(t, count(r, "VERIFY", "OK"), "values are checked")
		}
		rows += int(count(r, "INSERT", "OK"))
	}
	// The servers renew their figures every ten seconds.
	r = do(append(property("operationcount", 0), "-P", testcluster.Workload("workloada"), "--duration", "25s")...)
	figures(t, r.Phases[0])
	const deleted = 500
	do(property("operationcount", deleted, "readproportion", 0, "updateproportion", 0, "deleteproportion", 1, "requestdistribution", "sequential")...)
	h.AdministerHBase(s.flags(table)[2:], table, rows-deleted) // without --db

	stdout, stderr, code := testcluster.Run(t, soon, "benchd", append([]string{"doctor", "--coordinator", h.Address}, s.flags(table)...)...)
	require.Contains(t, []int{0, 1, 5}, code, stderr)
	require.Contains(t, stdout, "HBase "+version(), "doctor names the version")
}

// figures checks the figures of servers that were under load in a phase.
func figures(t *testing.T, p result.Phase) {
	t.Helper()
	positive := []string{
		"requests", "requests_read", "requests_write", "table_requests", "table_regions", "regions", "calls", "connections", "received", "sent",
		"memstore_size", "store_file_size", "store_files", "heap_used", "cpu_percent", "wal_written", "wal_files", "handlers",
	}
	names := make(map[string]bool)
	for _, o := range p.Observations {
		names[o.Name] = true
	}
	for _, name := range positive {
		points := observed(p, "hbase.regionserver."+name)
		require.NotEmpty(t, points, "hbase.regionserver.%s", name)
		require.Positive(t, total(points, true), "hbase.regionserver.%s", name)
	}
	for _, name := range []string{
		"hbase.regionserver.compaction_queue", "hbase.regionserver.flush_queue", "hbase.regionserver.call_queue", "hbase.regionserver.handlers_active",
		"hbase.regionserver.process_time_mean", "hbase.regionserver.queue_time_mean", "hbase.regionserver.wal_sync_mean", "hbase.regionserver.gc_time",
		"hbase.master.servers", "hbase.master.regions", "hbase.master.regions_in_transition", "hbase.master.average_load", "hbase.master.heap_used",
	} {
		require.True(t, names[name], name)
	}
	require.Equal(t, lacksGeneralHandlers(version()), !names["hbase.regionserver.handlers_active_general"], "handlers_active_general")
}

// lacksGeneralHandlers reports whether a version has no figure of the handlers of the general queue.
func lacksGeneralHandlers(version string) bool {
	return strings.HasPrefix(version, "1.4.") || strings.HasPrefix(version, "2.1.")
}
