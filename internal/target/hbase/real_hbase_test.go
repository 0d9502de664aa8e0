//go:build hbase

package hbase_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

func quorum() string { return cmp.Or(os.Getenv("BENCHD_HBASE"), "127.0.0.1:2181") }

// realTable creates a table with one split point and drops it afterwards.
func realTable(tb testing.TB, name string, splits ...string) (*admin.Client, map[string]string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := admin.Connect(ctx, admin.Config{Quorum: quorum()})
	require.NoError(tb, err)
	if there, err := c.Exists(ctx, name); err == nil && there {
		require.NoError(tb, c.Drop(ctx, name))
	}
	require.NoError(tb, c.Create(ctx, admin.Table{Name: name, Families: []admin.Family{{Name: "cf"}}}, b(splits...)))
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(tb, c.Drop(ctx, name))
		c.Close()
	})
	return c, map[string]string{
		"db": "hbase", "table": name, "columnfamily": "cf", "hbase.zookeeper.quorum": quorum(), "hbase.client.operation.timeout": "20000",
	}
}

func realOpen(tb testing.TB, properties map[string]string, pairs ...string) (load.Target, load.Session) {
	tb.Helper()
	for i := 0; i < len(pairs); i += 2 {
		properties[pairs[i]] = pairs[i+1]
	}
	target, err := hbase.Open(context.Background(), load.Settings{Properties: properties})
	require.NoError(tb, err)
	session, err := target.Open(context.Background(), 0)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, target.Close()) })
	return target, session
}

// realPrepare prepares the table as a run does.
func realPrepare(t *testing.T, properties map[string]string) error {
	t.Helper()
	began := time.Now()
	properties["db"] = "hbase"
	keys, err := spec.Workload(properties)
	require.NoError(t, err)
	target, err := hbase.Open(t.Context(), load.Settings{Properties: properties, Workload: keys, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = errors.Join(target.(load.Admin).Prepare(t.Context()), target.Close())
	}
	require.Less(t, time.Since(began), 10*time.Second)
	return err
}

func TestEveryOperationOnHBase(t *testing.T) {
	for name, pairs := range map[string][]string{
		"plain":  nil,
		"snappy": {"hbase.client.rpc.compressor", "snappy"},
		"skip":   {"durability", "SKIP_WAL", "hbase.connections", "2"},
		"fsync":  {"durability", "FSYNC_WAL"},
		"async":  {"durability", "ASYNC_WAL"},
		"sync":   {"durability", "SYNC_WAL"},
		"paged":  {"hbase.client.scanner.caching", "3", "hbase.usepagefilter", "false"},
		"small":  {"hbase.client.scanner.max.result.size", "100"},
		"both":   {"hbase.usescanvaluefiltering", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			_, properties := realTable(t, "benchd_ops:"+name, "k3", "k6")
			_, s := realOpen(t, properties, pairs...)
			do := func(op workload.Op) workload.Outcome { return s.Do(t.Context(), &op) }
			good := func(rows int, op workload.Op) workload.Outcome {
				t.Helper()
				out := do(op)
				require.NoError(t, out.Err)
				require.Equal(t, workload.OK, out.Code)
				require.EqualValues(t, rows, out.Rows)
				return out
			}
			value := strings.Repeat("v", 100)
			if v := os.Getenv("BENCHD_HBASE_VERSION"); name == "snappy" && v != "" && !strings.HasPrefix(v, "2.6.") {
				// These are fetched with Hadoop 2, which needs a native library for it. The refusal names that.
				out := do(workload.Op{Kind: workload.Insert, Key: []byte("k0"), Fields: b("f0"), Values: b(value)})
				require.Error(t, out.Err)
				require.Regexp(t, "(?i)snappy", out.Err.Error())
				return
			}
			for i := range 10 {
				good(1, workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f0", "f1"), Values: b(value, "w")})
			}
			read := map[string]string{}
			out := good(1, workload.Op{Kind: workload.Read, Key: []byte("k4"), Collect: func(f, v []byte) { read[string(f)] = string(v) }})
			require.Equal(t, map[string]string{"f0": value, "f1": "w"}, read)
			require.EqualValues(t, 2+100+1, out.Bytes)
			good(1, workload.Op{Kind: workload.Read, Key: []byte("k4"), Fields: b("f1")})
			require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.Read, Key: []byte("none")}).Code)

			good(10, workload.Op{Kind: workload.Scan, Key: []byte("k0"), ScanLength: 100})
			good(5, workload.Op{Kind: workload.Scan, Key: []byte("k2"), ScanLength: 5})
			good(1, workload.Op{Kind: workload.Scan, Key: []byte("k9"), ScanLength: 5})
			good(0, workload.Op{Kind: workload.Scan, Key: []byte("zz"), ScanLength: 5})

			for range 5 {
				good(1, workload.Op{Kind: workload.Increment, Key: []byte("k1"), Fields: b("n"), Delta: 7})
			}
			read = map[string]string{}
			good(1, workload.Op{Kind: workload.Read, Key: []byte("k1"), Fields: b("n"), Collect: func(f, v []byte) { read[string(f)] = string(v) }})
			require.EqualValues(t, 35, binary.BigEndian.Uint64([]byte(read["n"])))
			good(1, workload.Op{Kind: workload.Append, Key: []byte("k2"), Fields: b("f1"), Values: b("xyz")})
			good(1, workload.Op{Kind: workload.Read, Key: []byte("k2"), Fields: b("f1"), Collect: func(f, v []byte) { read[string(f)] = string(v) }})
			require.Equal(t, "wxyz", read["f1"])

			good(1, workload.Op{Kind: workload.CheckAndPut, Key: []byte("k2"), Fields: b("f1"), Values: b("new")})
			require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.CheckAndPut, Key: []byte("k2"), Fields: b("none"), Values: b("new")}).Code)
			require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.CheckAndPut, Key: []byte("none"), Fields: b("f1"), Values: b("new")}).Code)

			good(4, workload.Op{Kind: workload.Insert, Keys: b("b1", "k5a", "z1", "k2a"), Fields: b("f0"), Values: b("1", "2", "3", "4")})
			good(3, workload.Op{Kind: workload.MultiGet, Keys: b("z1", "b1", "k5a")})
			require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.MultiGet, Keys: b("z1", "none")}).Code)
			good(1, workload.Op{Kind: workload.Delete, Key: []byte("z1")})
			require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.Read, Key: []byte("z1")}).Code)
			require.NoError(t, s.Close(t.Context()))
		})
	}
}

func TestRefusalsOfTheServerHaveNames(t *testing.T) {
	c, properties := realTable(t, "benchd_refused")
	_, s := realOpen(t, properties)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, c.Disable(ctx, "benchd_refused"))
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")})
	require.Equal(t, workload.ServiceUnavailable, out.Code)
	require.ErrorContains(t, out.Err, "TableNotEnabledException")
	t.Log(out.Err)

	for name, test := range map[string]struct{ key, value, want string }{
		"disabled":  {"table", "benchd_refused", "table benchd_refused: the table is disabled: enable it with"},
		"no table":  {"table", "benchd_none", "table benchd_none does not exist: load it first"},
		"namespace": {"table", "none:t", "table none:t does not exist: load it first"},
		"no znode":  {"zookeeper.znode.parent", "/nowhere", "znode /nowhere does not exist in ZooKeeper at " + quorum()},
		"quorum":    {"hbase.zookeeper.quorum", "127.0.0.1:1", "no ZooKeeper server of hbase.zookeeper.quorum=127.0.0.1:1 accepts connections"},
	} {
		t.Run(name, func(t *testing.T) {
			p := map[string]string{"table": "benchd_refused", "columnfamily": "cf", "hbase.zookeeper.quorum": quorum()}
			p[test.key] = test.value
			require.ErrorContains(t, realPrepare(t, p), test.want)
		})
	}
	require.NoError(t, c.Enable(ctx, "benchd_refused"))
	err := realPrepare(t, map[string]string{"table": "benchd_refused", "columnfamily": "none", "hbase.zookeeper.quorum": quorum()})
	require.ErrorContains(t, err, `table benchd_refused has no column family "none": set columnfamily to one of its families (cf)`)
}

func TestScansAreWholeWhileRegionsSplit(t *testing.T) {
	c, properties := realTable(t, "benchd_split", "k05000")
	const rows = 10_000
	target, s := realOpen(t, properties, "hbase.client.scanner.caching", "50", "clientbuffering", "true")
	for i := range rows {
		out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%05d", i), Fields: b("f0"), Values: b("v")})
		require.Equal(t, workload.BatchedOK, out.Code)
	}
	require.NoError(t, s.Close(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	var scanners sync.WaitGroup
	for w := range 4 {
		scanner, err := target.Open(t.Context(), w)
		require.NoError(t, err)
		scanners.Go(func() {
			for {
				out := scanner.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte("k"), ScanLength: 2 * rows})
				if out.Err != nil || out.Rows != rows {
					t.Errorf("a scan found %d rows: %v", out.Rows, out.Err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	var problems []error
	for _, key := range []string{"k02500", "k07500"} {
		_, err := c.SplitTable(ctx, "benchd_split", []byte(key))
		problems = append(problems, err)
	}
	close(done)
	scanners.Wait()
	require.NoError(t, errors.Join(problems...))
	t.Log(target.(load.Retrier).Retries())
}
