//go:build databases

package cassandra_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/cassandra"
	"github.com/benchd/benchd/internal/target/cassandra/cassandratest"
	"github.com/benchd/benchd/internal/workload"
)

// settings are the settings of a run against a server, with further properties.
func settings(s *cassandratest.Server, w workload.Config, properties ...string) load.Settings {
	all := s.Properties()
	all["phase"] = "load,run"
	for i := 0; i < len(properties); i += 2 {
		all[properties[i]] = properties[i+1]
	}
	return load.Settings{Properties: all, Workload: w, Run: "S.1", Secrets: secrets()}
}

// secrets releases the password of the test's server.
func secrets() secret.Resolver {
	return secret.Resolver{Variables: map[string]secret.Value{"BENCHD_SECRET_CASSANDRA": secret.NewValue(cassandratest.Password)}}
}

func workloadOf(fields int) workload.Config {
	return workload.Config{FieldCount: fields, FieldNamePrefix: "field", RecordCount: 100, Proportions: workload.Proportions{Read: 1, Increment: 1}}
}

// open opens a prepared target with a session.
func open(t *testing.T, s load.Settings) (load.Target, load.Session) {
	t.Helper()
	target, err := cassandra.Open(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	require.NoError(t, target.(load.Admin).Prepare(t.Context()))
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	return target, session
}

func bytesOf(texts ...string) [][]byte {
	var all [][]byte
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

func TestSmokeEveryKindOfOperation(t *testing.T) {
	target, session := open(t, settings(shared, workloadOf(3), "table", "operations"))
	do := func(op *workload.Op) workload.Outcome { return session.Do(t.Context(), op) }
	fields := bytesOf("field0", "field1", "field2")
	out := do(&workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: fields, Values: bytesOf("a", "bb", "ccc")})
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 11}, out)

	got := make(map[string]string)
	collect := func(field, value []byte) { got[string(field)] = string(value) }
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 11}, do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Collect: collect}))
	require.Equal(t, map[string]string{"field0": "a", "field1": "bb", "field2": "ccc"}, got)
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 7}, do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Fields: bytesOf("field1")}))
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Read, Key: []byte("user9")}).Code)

	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 9}, do(&workload.Op{Kind: workload.Update, Key: []byte("user1"), Fields: bytesOf("field2"), Values: bytesOf("dddd")}))
	clear(got)
	do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Collect: collect})
	require.Equal(t, "dddd", got["field2"])

	applied := do(&workload.Op{Kind: workload.CheckAndPut, Key: []byte("user1"), Fields: bytesOf("field0"), Values: bytesOf("e")})
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 6}, applied)
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.CheckAndPut, Key: []byte("user9"), Fields: bytesOf("field0"), Values: bytesOf("e")}).Code)

	for range 2 {
		require.Equal(t, workload.OK, do(&workload.Op{Kind: workload.Increment, Key: []byte("user1"), Fields: bytesOf("counter"), Delta: 21}).Code)
	}
	printed, err := shared.CQL(t.Context(), "SELECT counter FROM ycsb.operations_counters WHERE y_id = 'user1'")
	require.NoError(t, err)
	require.Contains(t, printed, " 42")

	many := &workload.Op{Kind: workload.Insert, Fields: fields}
	for i := range 500 { // 150 kB: several batches
		many.Keys = append(many.Keys, fmt.Appendf(nil, "batch%d", i))
		for range fields {
			many.Values = append(many.Values, make([]byte, 100))
		}
	}
	for i := range many.Values {
		for k := range many.Values[i] {
			many.Values[i][k] = 'x'
		}
	}
	out = do(many)
	require.NoError(t, out.Err)
	require.EqualValues(t, 500, out.Rows)
	n, err := shared.Count(t.Context(), "ycsb.operations")
	require.NoError(t, err)
	require.Equal(t, 501, n)

	out = do(&workload.Op{Kind: workload.MultiGet, Keys: bytesOf("batch1", "batch2", "batch1")})
	require.Equal(t, workload.Outcome{Rows: 2, Bytes: 612}, out)
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.MultiGet, Keys: bytesOf("batch1", "none")}).Code)

	out = do(&workload.Op{Kind: workload.Scan, Key: []byte("batch7"), ScanLength: 10})
	require.NoError(t, out.Err)
	require.LessOrEqual(t, out.Rows, int32(10))
	require.Positive(t, out.Rows)

	require.Equal(t, workload.OK, do(&workload.Op{Kind: workload.Delete, Key: []byte("user1")}).Code)
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Read, Key: []byte("user1")}).Code)
	require.Equal(t, workload.NotImplemented, do(&workload.Op{Kind: workload.Append, Key: []byte("user1")}).Code)

	facts, err := target.(load.Observer).Facts(t.Context())
	require.NoError(t, err)
	require.Equal(t, "SimpleStrategy 1", facts["cassandra.replication"])
	require.Equal(t, cassandratest.Version, facts["cassandra.version"])
	require.Equal(t, "periodic", facts["cassandra.commitlog_sync"])
	require.Equal(t, "10000ms", facts["cassandra.commitlog_sync_period"])
	require.Equal(t, "S.1", facts["cassandra.table.created_by"])
}

// A scan of pages returns each row once, in the order of the tokens.
func TestAScanHasPages(t *testing.T) {
	_, session := open(t, settings(shared, workloadOf(1), "table", "pages", "cassandra.pagesize", "7"))
	for i := range 100 {
		out := session.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "user%d", i), Fields: bytesOf("field0"), Values: bytesOf("v")})
		require.NoError(t, out.Err)
	}
	most := int32(0)
	for i := range 100 {
		out := session.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: fmt.Appendf(nil, "user%d", i), ScanLength: 1000})
		require.NoError(t, out.Err)
		most = max(most, out.Rows)
	}
	require.EqualValues(t, 100, most, "from the lowest token on")
}
