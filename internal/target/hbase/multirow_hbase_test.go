//go:build hbase

package hbase_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// Readers with another client see all rows of a mutation or none, also while regions split.
func TestMultiRowsAreAtomicOnHBase(t *testing.T) {
	c, properties := realTable(t, "benchd_multirow", "k5")
	require.NoError(t, c.Drop(t.Context(), "benchd_multirow"))
	name, value := admin.MultiRowAttribute()
	require.NoError(t, c.Create(t.Context(), admin.Table{
		Name: "benchd_multirow", Families: []admin.Family{{Name: "cf"}}, Attributes: map[string]string{name: value},
	}, b("k5")))
	target, _ := realOpen(t, properties)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	rows := b("k30", "k31", "k32", "k33", "k34")
	write := func(s load.Session, text string) workload.Outcome {
		op := &workload.Op{
			Kind: workload.MultiRow, Keys: rows, Fields: b("f0", "f1"),
			Gather: func(func([]byte) bool) bool { return false }, // splits never part these rows
		}
		for range len(rows) * 2 {
			op.Values = append(op.Values, []byte(text))
		}
		return s.Do(ctx, op)
	}
	first, err := target.Open(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, workload.OK, write(first, "begin").Code)
	require.NoError(t, first.Close(ctx))

	var end atomic.Bool
	var written, read atomic.Int64
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			s, err := target.Open(ctx, w+1)
			if err != nil {
				t.Error(err)
				return
			}
			for i := 0; !end.Load() && ctx.Err() == nil; i++ {
				out := write(s, fmt.Sprintf("w%d-%06d", w, i))
				if out.Code != workload.OK {
					t.Errorf("write: %v", out.Err)
					return
				}
				written.Add(1)
			}
			if err := s.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	some := func(t *testing.T) {
		t.Helper()
		w, r := written.Load(), read.Load()
		require.Eventually(t, func() bool { return written.Load() > w+50 && read.Load() > r+50 || ctx.Err() != nil || t.Failed() }, time.Minute, 10*time.Millisecond)
	}
	client := gohbase.NewClient(quorum())
	defer client.Close()
	for range 2 {
		work.Go(func() {
			for !end.Load() && ctx.Err() == nil {
				values, err := scanned(ctx, client, "benchd_multirow", "k3", "k4")
				if err != nil {
					continue // gohbase's scans do not survive a split
				}
				if len(values) != 10 {
					t.Errorf("read %d cells", len(values))
					return
				}
				for _, v := range values {
					if v != values[0] {
						t.Errorf("half a mutation: %v", values)
						return
					}
				}
				read.Add(1)
			}
		})
	}
	for _, at := range []string{"k40", "k7", "k20", "k38"} {
		some(t)
		require.Eventually(t, func() bool { // a region that still references files of its parent does not split
			r, err := c.RegionOf(ctx, "benchd_multirow", []byte(at))
			if err == nil {
				err = c.Split(ctx, r.Encoded, []byte(at))
			}
			if err != nil {
				t.Logf("split at %s: %v", at, err)
				_, _ = c.Compact(ctx, "benchd_multirow", true)
			}
			return err == nil
		}, 40*time.Second, 500*time.Millisecond, at)
	}
	some(t)
	end.Store(true)
	work.Wait()
	regions, err := c.Regions(ctx, "benchd_multirow")
	require.NoError(t, err)
	require.Len(t, regions, 6)
	t.Logf("%d mutations of five rows and %d reads of them while four regions split", written.Load(), read.Load())
	require.Greater(t, written.Load(), int64(100))
	require.Greater(t, read.Load(), int64(100))

	s, err := target.Open(ctx, 9)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(ctx)) }()
	apart := &workload.Op{Kind: workload.MultiRow, Keys: b("k1", "k9"), Fields: b("f0"), Values: b("x", "x"), Gather: func(func([]byte) bool) bool { return false }}
	require.Equal(t, workload.BadRequest, s.Do(ctx, apart).Code)
	n, err := c.Count(ctx, "benchd_multirow")
	require.NoError(t, err)
	require.EqualValues(t, 5, n, "nothing was written of a mutation across regions")
}

// scanned returns the values of some rows, which one answer of the server has.
func scanned(ctx context.Context, client gohbase.Client, table, from, to string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	scan, err := hrpc.NewScanRangeStr(ctx, table, from, to, hrpc.NumberOfRows(100))
	if err != nil {
		return nil, err
	}
	var values []string
	scanner := client.Scan(scan)
	defer func() { _ = scanner.Close() }()
	for {
		row, err := scanner.Next()
		if err != nil {
			if err.Error() == "EOF" {
				return values, nil
			}
			return nil, err
		}
		for _, cell := range row.Cells {
			values = append(values, string(bytes.Clone(cell.Value)))
		}
	}
}

// A table that benchd creates has the plug-in, and an existing table without it is refused before the run.
func TestTablesOfMultiRowsOnHBase(t *testing.T) {
	c, properties := realTable(t, "benchd_multirow_setup")
	maps.Copy(properties, map[string]string{
		"recordcount": "1000", "multirowproportion": "1", "readproportion": "0", "updateproportion": "0", "phase": "load,run", "operationcount": "10",
	})
	err := realPrepare(t, properties)
	require.EqualError(t, err, "table benchd_multirow_setup cannot write several rows at once, which multirowproportion needs: its regions do not have HBase's org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint. "+
		"Add it in HBase's shell with `alter 'benchd_multirow_setup', METHOD => 'table_att', 'coprocessor' => '|org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint|1073741823|'`, or let benchd create the table (hbase.table.create=recreate)")
	properties["hbase.table.create"] = "recreate"
	require.NoError(t, realPrepare(t, properties))
	properties["hbase.table.create"] = "never"
	require.NoError(t, realPrepare(t, properties), "an existing table with the plug-in")
	found, err := c.Describe(t.Context(), "benchd_multirow_setup")
	require.NoError(t, err)
	require.Equal(t, "|org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint|1073741823|", found.Attributes["coprocessor$1"])
}
