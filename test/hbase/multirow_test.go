//go:build hbase

package hbase

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// Mutations of several rows are one operation of so many rows; they change existing rows only, and their values can be verified.
func TestMultiRowMutations(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records, ops, fields, length = 3000, 6000, 3, 40
		const table = "multirow"
		h := testcluster.New(t)
		h.Agents("a", "b")
		base := property("recordcount", records, "fieldcount", fields, "fieldlength", length, "readproportion", 0.5, "updateproportion", 0,
			"multirowproportion", 0.5, "multirow.size", 7, "dataintegrity", true, "requestdistribution", "zipfian", "operationcount", ops)
		base = append(base, "--threads", "8")
		faultless(t, submit(t, h, 2, s, table, slices.Concat(base, property("hbase.splits", 9, "hbase.table.create", "recreate"), []string{"--phase", "load"})...))
		whole := sums{rows: records, cells: records * fields, bytes: records * fields * length}
		require.Equal(t, whole, s.sum(t, table))
		r := submit(t, h, 2, s, table, slices.Concat(base, property("after.load", "", "writeallfields", true))...)
		faultless(t, r)
		n := count(r, "MULTI-ROW", "OK")
		require.InDelta(t, ops/2, n, 300)
		require.Equal(t, ops-n, count(r, "VERIFY", "OK"), "each read returned what a mutation or the load had written")
		require.Equal(t, whole, s.sum(t, table), "mutations make no new rows and cells")
	})
}
