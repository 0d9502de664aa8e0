//go:build hbase

package hbase

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// Increments, appends, deletes, conditional puts and multi-gets leave the expected contents in the table.
func TestOperationsThatYCSBLacks(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, ops, fields, length = 3000, 9000, 3, 40
		const table = "beyond"
		h := testcluster.New(t)
		h.Agents("a", "b", "c")
		base := property("recordcount", records, "fieldcount", fields, "fieldlength", length, "readproportion", 0, "updateproportion", 0)
		do := func(settings ...any) {
			t.Helper()
			r := submit(t, h, 3, s, table, slices.Concat(base, property(settings...), []string{"--threads", "8"})...)
			faultless(t, r)
			require.EqualValues(t, ops, r.Phases[0].Ops)
		}
		faultless(t, submit(t, h, 3, s, table, slices.Concat(base, property("hbase.splits", 4, "hbase.table.create", "recreate"),
			[]string{"--phase", "load", "--threads", "8"})...))
		whole := sums{rows: records, cells: records * fields, bytes: records * fields * length}
		require.Equal(t, whole, s.sum(t, table))

		do("incrementproportion", 1, "increment.by", 7, "operationcount", ops, "requestdistribution", "zipfian")
		whole.counters = 7 * ops
		require.Equal(t, whole, s.sum(t, table), "increments add up")

		do("appendproportion", 1, "operationcount", ops, "requestdistribution", "zipfian")
		whole.bytes += ops * length
		require.Equal(t, whole, s.sum(t, table), "appends add up")

		do("multigetproportion", 1, "multiget.size", 25, "operationcount", ops)
		do("checkandputproportion", 1, "operationcount", ops)
		after := s.sum(t, table)
		require.Equal(t, sums{whole.rows, whole.cells, after.bytes, whole.counters}, after, "conditional puts make no new cells")
	})
}

// A delete removes the whole row that it names and no other.
func TestDeletes(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, deleted, fields, length = 4000, 1500, 2, 50
		const table = "deleted"
		base := property("recordcount", records, "fieldcount", fields, "fieldlength", length, "dataintegrity", true)
		faultless(t, run(t, s, table, slices.Concat(base, property("hbase.splits", 3, "hbase.table.create", "recreate"),
			[]string{"--phase", "load", "--threads", "8"})...))
		// One agent draws the numbers from 0 on, in order.
		faultless(t, run(t, s, table, slices.Concat(base, property("readproportion", 0, "updateproportion", 0,
			"deleteproportion", 1, "operationcount", deleted, "requestdistribution", "sequential"), []string{"--threads", "8"})...))
		require.EqualValues(t, records-deleted, s.rows(t, table))
		require.Equal(t, "rows=2500 not_found=0 mismatches=0",
			s.fixture(t, "verify", table, deleted, records-deleted, fields, length), "the other rows are intact")
	})
}
