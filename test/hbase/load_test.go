//go:build hbase

package hbase

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// soon bounds a benchmark that takes seconds on an idle machine.
const soon = 4 * time.Minute

// Three agents load 200 000 rows of 1 KB into a table with 20 split points, YCSB's workloads a to f run on them, and
// HBase's own client confirms the results.
func TestLoadAndYCSBsWorkloads(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, splits, agents = 200_000, 20, 3
		h := testcluster.New(t)
		h.Agents("a", "b", "c")
		table := "ycsb"

		r := submit(t, h, agents, s, table, append(property("recordcount", records, "hbase.splits", splits,
			"hbase.table.create", "recreate"), "--phase", "load", "--threads", "16")...)
		faultless(t, r)
		require.EqualValues(t, records, count(r, "INSERT", "OK"))
		t.Logf("loaded %.0f rows/s", r.Phases[0].Throughput)
		regions, err := s.admin(t).Regions(t.Context(), table)
		require.NoError(t, err)
		require.Len(t, regions, splits+1)
		require.EqualValues(t, records, s.rows(t, table), "each row exists once")

		there, next := uint64(records), uint64(records) // rows, and the first unused row number
		for _, w := range []string{"a", "b", "c", "d", "f", "e"} {
			ops := 30_000
			if w == "e" {
				ops = 3000 // scans
			}
			r := submit(t, h, agents, s, table, append(property("recordcount", records, "operationcount", ops,
				"insertbase", next), "-P", testcluster.Workload("workload"+w), "--threads", "8")...)
			faultless(t, r)
			require.EqualValues(t, ops, r.Phases[0].Ops)
			there += count(r, "INSERT", "OK")
			next += agents * count(r, "INSERT", "OK") // each agent takes every third number, at its own pace
			t.Logf("workload%s: %.0f ops/s", w, r.Phases[0].Throughput)
		}
		require.Equal(t, there, s.rows(t, table), "the rows of workloads d and e add to those of the load")
	})
}

// Batched inserts leave all their rows.
func TestBulkInsert(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records = 50_000
		h := testcluster.New(t)
		h.Agents("a", "b", "c")
		for name, settings := range map[string][]string{
			"batches": property("batchsize", 100),
			"buffers": property("clientbuffering", true, "writebuffersize", 100_000),
		} {
			table := "bulk_" + name
			r := submit(t, h, 3, s, table, slices.Concat(settings, property("recordcount", records, "hbase.splits", 5,
				"hbase.table.create", "recreate"), []string{"--phase", "load", "--threads", "4"})...)
			faultless(t, r)
			require.EqualValues(t, records, r.Phases[0].Rows, name)
			require.EqualValues(t, records, s.rows(t, table), name)
		}
	})
}
