//go:build hbase

package hbase_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/workload"
)

// largeRows has rows of 10 000 columns, of 1 MB and of 10 MB, and a value of 1 MB. The largest row exceeds every limit of a page.
func largeRows() map[string]*workload.Op {
	rows := map[string]*workload.Op{
		"k1": wideOp(10_000, 100), "k2": wideOp(1, 1<<20), "k3": wideOp(10_000, 1000), "k4": wideOp(1, 100), "k5": wideOp(10_000, 100),
	}
	for key, op := range rows {
		op.Kind, op.Key = workload.Insert, []byte(key)
	}
	return rows
}

// Values of 1 MB and rows of 10 000 columns arrive byte by byte in HBase and back, from memory and from files. A scan counts each
// cell once, although HBase ends its pages within rows.
func TestLargeValuesAndWideRowsOnHBase(t *testing.T) {
	c, properties := realTable(t, "benchd_large", "k3")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	_, s := realOpen(t, properties)
	rows, total := largeRows(), 0
	for key, op := range rows {
		require.NoError(t, s.Do(ctx, op).Err, key)
		total += len(key)
		for _, v := range op.Values {
			total += len(v)
		}
	}
	verify := func(s load.Session) {
		t.Helper()
		for key, op := range rows {
			got := make(map[string][]byte, len(op.Fields))
			out := s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte(key), Collect: func(field, value []byte) {
				got[string(field)] = bytes.Clone(value)
			}})
			require.NoError(t, out.Err, key)
			require.Len(t, got, len(op.Fields), key)
			for i, f := range op.Fields {
				require.True(t, bytes.Equal(op.Values[i], got[string(f)]), "row %s, column %s", key, f)
			}
		}
		out := s.Do(ctx, &workload.Op{Kind: workload.MultiGet, Keys: b("k1", "k2", "k3", "k4", "k5")})
		require.NoError(t, out.Err)
		require.EqualValues(t, total, out.Bytes)
	}
	scan := func(pairs ...string) {
		t.Helper()
		_, s := realOpen(t, properties, pairs...)
		out := s.Do(ctx, &workload.Op{Kind: workload.Scan, Key: []byte("k1"), ScanLength: 10})
		require.NoError(t, out.Err, "%v", pairs)
		require.EqualValues(t, len(rows), out.Rows, "%v", pairs)
		require.EqualValues(t, total, out.Bytes, "%v", pairs)
		out = s.Do(ctx, &workload.Op{Kind: workload.Scan, Key: []byte("k2"), ScanLength: 2})
		require.NoError(t, out.Err, "%v", pairs)
		require.EqualValues(t, 2, out.Rows, "%v", pairs)
	}
	for range 2 {
		verify(s)
		scan()
		scan("hbase.client.scanner.caching", "1")
		scan("hbase.client.scanner.caching", "0", "hbase.client.scanner.max.result.size", "300000")
		scan("hbase.client.scanner.max.result.size", "100000000")
		delete(properties, "hbase.client.scanner.max.result.size")
		n, err := c.Count(ctx, "benchd_large")
		require.NoError(t, err)
		require.EqualValues(t, len(rows), n)
		_, _, err = c.Flush(ctx, "benchd_large") // then again from files
		require.NoError(t, err)
	}
	for name, pairs := range map[string][]string{
		"buffered": {"clientbuffering", "true"},
		"batched":  {"clientbuffering", "false", "hbase.batch.size", "4"},
		"snappy":   {"hbase.batch.size", "1", "hbase.client.rpc.compressor", "snappy"},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := realOpen(t, properties, pairs...)
			for key, op := range rows {
				require.NoError(t, s.Do(ctx, op).Err, key)
			}
			require.NoError(t, s.Close(ctx))
			_, s = realOpen(t, properties, "clientbuffering", "false")
			verify(s)
		})
	}
}

// A value above hbase.server.keyvalue.maxsize (10 MB) is one clear error at once, not a series of retries.
func TestAValueAboveTheServersLimitIsRefusedAtOnce(t *testing.T) {
	_, properties := realTable(t, "benchd_toolarge")
	_, s := realOpen(t, properties)
	began := time.Now()
	op := wideOp(1, 11<<20)
	out := s.Do(t.Context(), op)
	require.ErrorContains(t, out.Err, "10485760")
	require.Less(t, time.Since(began), 10*time.Second)
	t.Log(out.Err)
}
