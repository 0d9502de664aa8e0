//go:build databases

package mongodb_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/internal/workload"
)

// open connects to a server and prepares an empty collection.
func open(t *testing.T, s *mongodbtest.Server, more map[string]string) load.Target {
	t.Helper()
	properties := s.Properties()
	properties["mongodb.collection.create"] = "recreate"
	maps.Copy(properties, more)
	target, err := mongodb.Open(t.Context(), load.Settings{Properties: properties, Workload: workload.Config{KeyPrefix: "user", RecordCount: 100}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	require.NoError(t, target.(load.Admin).Prepare(t.Context()))
	return target
}

func session(t *testing.T, target load.Target) load.Session {
	t.Helper()
	s, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
	return s
}

func bytesOf(texts ...string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

func TestSmokeEveryOperationHasItsOutcome(t *testing.T) {
	server, err := mongodbtest.Start(t.Context(), t.TempDir(), mongodbtest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	s := session(t, open(t, server, nil))
	do := func(op *workload.Op) workload.Outcome { return s.Do(t.Context(), op) }

	fields := bytesOf("field0", "field1")
	insert := &workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: fields, Values: bytesOf("a", "bb")}
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 8}, do(insert))
	again := do(insert)
	require.Equal(t, workload.Error, again.Code)
	require.ErrorContains(t, again.Err, "duplicate key")

	keys := make([][]byte, 20)
	values := make([][]byte, 0, 40)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "user2%02d", i)
		values = append(values, []byte("x"), []byte("yy"))
	}
	require.Equal(t, workload.Outcome{Rows: 20, Bytes: 20 * 10}, do(&workload.Op{Kind: workload.Insert, Keys: keys, Fields: fields, Values: values}))
	partly := do(&workload.Op{Kind: workload.Insert, Keys: [][]byte{[]byte("user300"), keys[3], []byte("user301")}, Fields: fields, Values: values[:6]})
	require.Equal(t, workload.Error, partly.Code)
	require.EqualValues(t, 2, partly.Rows, "the others of the batch are written")
	require.ErrorContains(t, partly.Err, "1 of 3 documents were not written")

	read := map[string]string{}
	collect := func(field, value []byte) { read[string(field)] = string(value) }
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 8}, do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Collect: collect}))
	require.Equal(t, map[string]string{"field0": "a", "field1": "bb"}, read)
	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 7}, do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Fields: fields[1:]}))
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Read, Key: []byte("none")}).Code)

	require.Equal(t, workload.Outcome{Rows: 1, Bytes: 8}, do(&workload.Op{Kind: workload.Update, Key: []byte("user1"), Fields: fields[:1], Values: bytesOf("ccc")}))
	clear(read)
	do(&workload.Op{Kind: workload.Read, Key: []byte("user1"), Collect: collect})
	require.Equal(t, map[string]string{"field0": "ccc", "field1": "bb"}, read)
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Update, Key: []byte("none"), Fields: fields[:1], Values: bytesOf("c")}).Code)

	require.EqualValues(t, 5, do(&workload.Op{Kind: workload.Scan, Key: []byte("user2"), ScanLength: 5}).Rows)
	require.EqualValues(t, 22, do(&workload.Op{Kind: workload.Scan, Key: []byte("user2"), ScanLength: 100}).Rows)
	require.EqualValues(t, 0, do(&workload.Op{Kind: workload.Scan, Key: []byte("v"), ScanLength: 100}).Rows)

	require.EqualValues(t, 20, do(&workload.Op{Kind: workload.MultiGet, Keys: keys}).Rows)
	some := do(&workload.Op{Kind: workload.MultiGet, Keys: append(bytesOf("none"), keys[:2]...)})
	require.Equal(t, workload.NotFound, some.Code)
	require.EqualValues(t, 2, some.Rows)

	increment := &workload.Op{Kind: workload.Increment, Key: []byte("user1"), Fields: bytesOf(workload.CounterField), Delta: 3}
	require.Equal(t, workload.OK, do(increment).Code)
	require.Equal(t, workload.OK, do(increment).Code)
	counter, err := server.Eval(`print(db.usertable.findOne({_id: "user1"}).counter)`)
	require.NoError(t, err)
	require.Equal(t, "Long('6')", counter)

	check := &workload.Op{Kind: workload.CheckAndPut, Key: []byte("user1"), Fields: fields, Values: bytesOf("1", "2")}
	require.Equal(t, workload.OK, do(check).Code)
	check.Fields = bytesOf("other", "field1")
	require.Equal(t, workload.NotFound, do(check).Code)

	require.Equal(t, workload.OK, do(&workload.Op{Kind: workload.Delete, Key: []byte("user1")}).Code)
	require.Equal(t, workload.NotFound, do(&workload.Op{Kind: workload.Delete, Key: []byte("user1")}).Code)
	require.Equal(t, workload.NotImplemented, do(&workload.Op{Kind: workload.Append, Key: []byte("user1")}).Code)
	n, err := server.Count("usertable")
	require.NoError(t, err)
	require.Equal(t, 22, n)
}

func TestMistakesAreReportedBeforeAnythingIsMeasured(t *testing.T) {
	server, err := mongodbtest.Start(t.Context(), t.TempDir(), mongodbtest.Options{ReplicaSet: "rs0"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	host := server.Address()
	for want, properties := range map[string]map[string]string{
		"no MongoDB answers at 127.0.0.1:1": {"mongodb.url": "mongodb://127.0.0.1:1/ycsb"},
		`is a member of "rs0"`:              {"mongodb.url": "mongodb://" + host + "/ycsb?replicaSet=other"},
		"needs a sharded cluster":           {"mongodb.url": "mongodb://" + host + "/ycsb?directConnection=true", "mongodb.shard.key": "hashed"},
	} {
		begin := time.Now()
		_, err := mongodb.Open(t.Context(), load.Settings{Properties: properties})
		require.ErrorContains(t, err, want)
		require.Less(t, time.Since(begin), 10*time.Second)
		t.Log(time.Since(begin), err)
	}
}
