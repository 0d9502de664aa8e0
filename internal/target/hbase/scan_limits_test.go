package hbase_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// scansGoOn asserts that scans whose value filter passes few cells find all of these, however often a limit of the server ends a
// page without a row or within one. Size is that of values, for the limit in bytes; small is the number of small rows, for the
// limit in time. Flush is called now and then while rows are written, and at the end.
func scansGoOn(t *testing.T, properties map[string]string, size, small int, flush func()) {
	t.Helper()
	session := func(pairs ...string) load.Session {
		p := maps.Clone(properties)
		for i := 0; i < len(pairs); i += 2 {
			p[pairs[i]] = pairs[i+1]
		}
		target, err := hbase.Open(t.Context(), load.Settings{Properties: p})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, target.Close()) })
		s, err := target.Open(t.Context(), 0)
		require.NoError(t, err)
		return s
	}
	writer, large, written := session(), strings.Repeat("x", size), 0
	write := func(key, field, value string) {
		t.Helper()
		require.NoError(t, writer.Do(t.Context(), &workload.Op{
			Kind: workload.Insert, Key: []byte(key), Fields: b(field), Values: b(value),
		}).Err)
		if written++; written%32 == 0 {
			flush()
		}
	}
	const rows = 120
	for i := range rows {
		write(fmt.Sprintf("k%03d", i), "f", large)
		write("k070", fmt.Sprintf("w%03d", i), large) // one row is as large as all others
	}
	for i := 0; i < small; i += 1000 {
		var keys, values []string
		for j := range 1000 {
			keys, values = append(keys, fmt.Sprintf("k040%06d", i+j)), append(values, "x")
		}
		require.NoError(t, writer.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: b(keys...), Fields: b("f"), Values: b(values...)}).Err)
	}
	found := []string{"k003", "k060", "k070", "k071", "k072", "k095", "k119"}
	for _, key := range found {
		write(key, "g", "few")
	}
	flush()
	for name, pairs := range map[string][]string{
		"page filter":    nil,
		"no page filter": {"hbase.usepagefilter", "false"},
		"one row a page": {"hbase.usepagefilter", "false", "hbase.client.scanner.caching", "1"},
		"time":           {"hbase.rpc.timeout", "100", "hbase.client.scanner.max.result.size", "1000000000"},
		"bytes":          {"hbase.usepagefilter", "false", "hbase.client.scanner.max.result.size", "10"},
	} {
		t.Run(name, func(t *testing.T) {
			filtered := func(value string) load.Session {
				return session(append(pairs, "hbase.usescanvaluefiltering", "true", "hbase.scanfilteroperator", "equal",
					"hbase.scanfiltervalue", hex.EncodeToString([]byte(value)))...)
			}
			few := filtered("few")
			for _, n := range []int{1, 3, len(found), rows} {
				out := few.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k"), ScanLength: n})
				require.NoError(t, out.Err)
				require.EqualValues(t, min(n, len(found)), out.Rows)
				require.EqualValues(t, min(n, len(found))*len("k000few"), out.Bytes)
			}
			out := filtered("none").Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k"), ScanLength: 5})
			require.NoError(t, out.Err)
			require.Zero(t, out.Rows)
		})
	}
	t.Run("all rows", func(t *testing.T) {
		all := session("hbase.usepagefilter", "false", "hbase.client.scanner.max.result.size", strconv.Itoa(2*size+size/2))
		out := all.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k"), ScanLength: 2 * (rows + small)})
		require.NoError(t, out.Err)
		require.EqualValues(t, rows+small, out.Rows)
		require.EqualValues(t, rows*(len("k000")+2*size)+len(found)*len("few")+small*len("k040000000x"), out.Bytes)
	})
}

// The sandbox ends a page after half the lease of a scanner.
func TestScansGoOnBehindTheLimitsOfTheSandbox(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	box, _ := sandboxTable(t, ctx, sandbox.Options{Lease: time.Microsecond}, "t", "k100")
	scansGoOn(t, map[string]string{"table": "t", "columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum()}, 1000, 20_000, func() {})
}
