package hbase_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

// engines are the clients that execute operations.
func engines() []string { return []string{hbasespec.ClientNative, hbasespec.ClientGohbase} }

// ycsb returns the properties of a workload of YCSB.
func ycsb(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "spec", "testdata", "ycsb", "workload"+name))
	require.NoError(t, err)
	properties := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			properties[key] = value
		}
	}
	return properties
}

// trace executes the operations of a worker, and returns what each was and came to: its keys, outcome, rows, bytes and cells.
func trace(t *testing.T, properties map[string]string, phase string) (lines []string) {
	t.Helper()
	properties["phase"], properties["seed"] = phase, "7"
	w, err := spec.Workload(properties)
	require.NoError(t, err)
	target, err := hbase.Open(t.Context(), load.Settings{Properties: properties, Workload: w})
	require.NoError(t, err)
	defer func() { require.NoError(t, target.Close()) }()
	require.NoError(t, target.(load.Admin).Prepare(t.Context()))
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	shard, err := workload.NewShard(w, phase == "load", 0, 1, []int{1})
	require.NoError(t, err)
	do := func(op *workload.Op) workload.Outcome {
		line := fmt.Sprintf("%s %s %s %q", op.Kind, op.Key, op.Fields, op.Values)
		if op.Kind == workload.Read {
			op.Collect = func(f, v []byte) { line += fmt.Sprintf(" %s=%q", f, v) }
		}
		out := session.Do(t.Context(), op)
		require.NoError(t, out.Err, line)
		lines = append(lines, fmt.Sprintf("%s: %s, %d rows, %d bytes", line, out.Code, out.Rows, out.Bytes))
		return out
	}
	generator := shard.Generator(0)
	var op, part workload.Op
	for generator.Next(&op) {
		if op.Kind == workload.ReadModifyWrite {
			op.ReadPart(&part)
			do(&part)
			op.UpdatePart(&part)
			generator.Done(&op, do(&part))
			continue
		}
		generator.Done(&op, do(&op))
	}
	require.NoError(t, session.Close(t.Context()))
	return lines
}

// compared are YCSB's workloads that both clients execute.
func compared() []string { return []string{"a", "b", "c", "d", "e", "f"} }

// clientTable is the table of a client for a workload.
func clientTable(client, name string) string { return "benchd_" + client + "_" + name }

// sameOnBoth loads a table for each client and runs YCSB's workloads a to f on it, with one seed.
func sameOnBoth(t *testing.T, properties map[string]string, operations int) {
	t.Helper()
	for _, name := range compared() {
		t.Run(name, func(t *testing.T) {
			var of [2]map[string][]string
			for i, client := range engines() {
				of[i] = make(map[string][]string)
				for _, phase := range []string{"load", "run"} {
					p := ycsb(t, name)
					maps.Copy(p, properties)
					p["recordcount"], p["operationcount"] = "300", strconv.Itoa(operations)
					p["hbase.client"], p["table"], p["hbase.splits"] = client, clientTable(client, name), "3"
					if phase == "load" {
						p["hbase.table.create"] = "recreate"
					}
					of[i][phase] = trace(t, p, phase)
				}
			}
			require.Len(t, of[0]["load"], 300)
			require.Len(t, of[0]["run"], len(of[1]["run"]))
			for _, phase := range []string{"load", "run"} {
				for i, line := range of[0][phase] {
					require.Equal(t, line, of[1][phase][i], "operation %d of phase %s", i, phase)
				}
			}
		})
	}
}

func TestBothClientsDoTheSame(t *testing.T) {
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	for name, properties := range map[string]map[string]string{
		"plain":        {},
		"snappy":       {"hbase.client.rpc.compressor": "snappy"},
		"small pages":  {"hbase.client.scanner.caching": "7", "hbase.usepagefilter": "false"},
		"value filter": {"hbase.usescanvaluefiltering": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			properties["db"], properties["columnfamily"], properties["hbase.zookeeper.quorum"] = "hbase", "cf", box.Quorum()
			sameOnBoth(t, properties, 300)
		})
	}
}

// The operations that YCSB's workloads do not have.
func TestOperationsOfBothClients(t *testing.T) {
	for _, client := range engines() {
		t.Run(client, func(t *testing.T) {
			box, _ := sandboxTable(t, t.Context(), sandbox.Options{}, "usertable", "k5")
			target, err := hbase.Open(t.Context(), load.Settings{Properties: map[string]string{
				"columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum(), "hbase.client": client, "hadoop.user.name": "somebody",
			}})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, target.Close()) })
			s, err := target.Open(t.Context(), 0)
			require.NoError(t, err)
			operationsOf(t, s)
			require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 2, Bytes: 2 * (2 + 3)}, s.Do(t.Context(),
				&workload.Op{Kind: workload.Scan, Key: []byte("p"), ScanLength: 2, Fields: b("f0")}))
			require.NoError(t, s.Close(t.Context()))
			facts, err := target.(load.Observer).Facts(t.Context())
			require.NoError(t, err)
			require.Equal(t, client, facts["client"])
		})
	}
}

// operationsOf checks the operations that both clients have. It leaves the rows p1 to p3.
func operationsOf(t *testing.T, s load.Session) {
	t.Helper()
	do := func(op workload.Op) workload.Outcome { return s.Do(t.Context(), &op) }
	good := func(rows, bytes int, op workload.Op) {
		t.Helper()
		out := do(op)
		require.NoError(t, out.Err)
		require.Equal(t, workload.Outcome{Code: workload.OK, Rows: int32(rows), Bytes: int64(bytes)}, out)
	}
	cells := func(key string, fields ...string) map[string]string {
		t.Helper()
		got := map[string]string{}
		out := do(workload.Op{Kind: workload.Read, Key: []byte(key), Fields: b(fields...), Collect: func(f, v []byte) { got[string(f)] = string(v) }})
		require.NoError(t, out.Err)
		return got
	}
	for _, k := range []string{"k1", "p1", "p2", "p3"} {
		good(1, 8, workload.Op{Kind: workload.Insert, Key: []byte(k), Fields: b("f0", "f1"), Values: b("abc", "def")})
	}
	good(1, 6, workload.Op{Kind: workload.Update, Key: []byte("k1"), Fields: b("f1"), Values: b("wxyz")})
	require.Equal(t, map[string]string{"f0": "abc", "f1": "wxyz"}, cells("k1"))
	require.Equal(t, map[string]string{"f1": "wxyz"}, cells("k1", "f1"))
	missing := do(workload.Op{Kind: workload.Read, Key: []byte("none")})
	require.Equal(t, workload.NotFound, missing.Code)
	require.EqualError(t, missing.Err, "the row does not exist")

	for range 3 {
		good(1, 11, workload.Op{Kind: workload.Increment, Key: []byte("sum"), Fields: b("n"), Delta: -2})
	}
	require.Equal(t, "\xff\xff\xff\xff\xff\xff\xff\xfa", cells("sum")["n"])
	good(1, 4, workload.Op{Kind: workload.Append, Key: []byte("k1"), Fields: b("f0"), Values: b("de")})
	require.Equal(t, "abcde", cells("k1", "f0")["f0"])

	good(1, 4, workload.Op{Kind: workload.CheckAndPut, Key: []byte("k1"), Fields: b("f0"), Values: b("no")})
	require.Equal(t, "no", cells("k1", "f0")["f0"])
	for _, op := range []workload.Op{{Key: []byte("k1"), Fields: b("none")}, {Key: []byte("none"), Fields: b("f0")}} {
		op.Kind, op.Values = workload.CheckAndPut, b("no")
		out := do(op)
		require.Equal(t, workload.NotFound, out.Code)
		require.EqualError(t, out.Err, fmt.Sprintf("the row does not exist, or has no value in column %s", op.Fields[0]))
	}
	good(1, 2, workload.Op{Kind: workload.Delete, Key: []byte("k1")})
	require.Equal(t, workload.NotFound, do(workload.Op{Kind: workload.Read, Key: []byte("k1")}).Code)
	good(0, 0, workload.Op{Kind: workload.Scan, Key: []byte("zzz"), ScanLength: 2})
	require.Equal(t, workload.NotImplemented, do(workload.Op{Kind: workload.Verify}).Code)
	refused := do(workload.Op{Kind: workload.Update, Key: []byte("k1"), Fields: b(""), Values: b("v")})
	require.NoError(t, refused.Err, "an empty column is a column")
}
