//go:build databases

package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

// difficult is a value with what JSON, SQL and arrays escape.
const difficult = `a "b" \c\ 'd', {e} ` + "\t\x01 NULL ünï"

func forms() []string { return []string{"columns", "jsonb"} }

func TestEveryOperation(t *testing.T) {
	for _, form := range forms() {
		t.Run(form, func(t *testing.T) {
			table := "every_" + form
			_, s := open(t, properties("postgres.form", form, "table", table, "fieldcount", "3", "postgres.table.create", "missing",
				"readproportion", "0.5", "incrementproportion", "0.5"))
			all := b("field0", "field1", "field2")
			insert := func(key string, values ...string) {
				out := do(t, s, &workload.Op{Kind: workload.Insert, Key: []byte(key), Fields: all, Values: b(values...)})
				require.EqualValues(t, 1, out.Rows)
				require.EqualValues(t, len(key)+len(strings.Join(values, "")), out.Bytes)
			}
			insert("user1", "one", difficult, "")
			insert("user3", "1", "2", "3")
			do(t, s, &workload.Op{Kind: workload.Insert, Keys: b("user2", "user0"), Fields: all, Values: b("a", "b", "c", "d", difficult, "f")})

			require.Equal(t, map[string]string{"field0": "one", "field1": difficult, "field2": ""}, fields(t, s, "user1"))
			require.Equal(t, map[string]string{"field0": "d", "field1": difficult, "field2": "f"}, fields(t, s, "user0"))
			require.Equal(t, map[string]string{"field1": "b"}, fields(t, s, "user2", "field1"))
			require.Equal(t, map[string]string{"field2": "c", "field0": "a"}, fields(t, s, "user2", "field2", "field0"))

			do(t, s, &workload.Op{Kind: workload.Update, Key: []byte("user2"), Fields: b("field1"), Values: b("B")})
			do(t, s, &workload.Op{Kind: workload.Append, Key: []byte("user2"), Fields: b("field1"), Values: b("'x'")})
			require.Equal(t, map[string]string{"field0": "a", "field1": "B'x'", "field2": "c"}, fields(t, s, "user2"))

			for range 2 {
				do(t, s, &workload.Op{Kind: workload.Increment, Key: []byte("user2"), Fields: b("counter"), Delta: -21})
			}
			require.Equal(t, map[string]string{"counter": "-42"}, fields(t, s, "user2", "counter"))
			require.Equal(t, "-42", fields(t, s, "user2")["counter"], "it is one of all fields")

			out := do(t, s, &workload.Op{Kind: workload.Scan, Key: []byte("user1"), ScanLength: 2})
			require.EqualValues(t, 2, out.Rows)
			require.Greater(t, out.Bytes, int64(10))
			out = do(t, s, &workload.Op{Kind: workload.Scan, Key: []byte("user1"), ScanLength: 10, Fields: b("field0")})
			require.EqualValues(t, 3, out.Rows)
			require.EqualValues(t, len("user1user2user3")+len("onea1"), out.Bytes)
			out = do(t, s, &workload.Op{Kind: workload.Scan, Key: []byte("v"), ScanLength: 10})
			require.Zero(t, out.Rows, "a scan may find nothing")

			out = do(t, s, &workload.Op{Kind: workload.MultiGet, Keys: b("user1", "user0", "user1")})
			require.EqualValues(t, 2, out.Rows)
			out = do(t, s, &workload.Op{Kind: workload.MultiGet, Keys: b("user1", "user3"), Fields: b("field0")})
			require.EqualValues(t, len("user1user3")+len("one1"), out.Bytes)

			do(t, s, &workload.Op{Kind: workload.CheckAndPut, Key: []byte("user3"), Fields: b("field0"), Values: b("put")})
			require.Equal(t, map[string]string{"field0": "put"}, fields(t, s, "user3", "field0"))
			do(t, s, &workload.Op{Kind: workload.Delete, Key: []byte("user3")})

			for _, op := range []workload.Op{
				{Kind: workload.Read, Key: []byte("user3")},
				{Kind: workload.Update, Key: []byte("user3"), Fields: b("field0"), Values: b("x")},
				{Kind: workload.Append, Key: []byte("user3"), Fields: b("field0"), Values: b("x")},
				{Kind: workload.Increment, Key: []byte("user3"), Fields: b("counter"), Delta: 1},
				{Kind: workload.CheckAndPut, Key: []byte("user3"), Fields: b("field0"), Values: b("x")},
				{Kind: workload.Delete, Key: []byte("user3")},
				{Kind: workload.MultiGet, Keys: b("user1", "user3")},
			} {
				out := s.Do(context.Background(), &op)
				require.Equal(t, workload.NotFound, out.Code, op.Kind)
				require.Error(t, out.Err)
			}
			rows, err := server.Count(table)
			require.NoError(t, err)
			require.Equal(t, 3, rows)
		})
	}
}

// A row that exists is not overwritten, unless postgres.upsert allows it. A batch is written as a whole or not at all.
func TestInsertsOfExistingRows(t *testing.T) {
	for _, form := range forms() {
		t.Run(form, func(t *testing.T) {
			p := properties("postgres.form", form, "table", "upserts_"+form, "fieldcount", "1", "phase", "load")
			_, s := open(t, p)
			one := &workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: b("field0"), Values: b("old")}
			do(t, s, one)
			for _, op := range []*workload.Op{one, {Kind: workload.Insert, Keys: b("user2", "user1"), Fields: b("field0"), Values: b("x", "y")}} {
				out := s.Do(context.Background(), op)
				require.Equal(t, workload.UnexpectedState, out.Code)
				require.ErrorContains(t, out.Err, "duplicate key")
				require.ErrorContains(t, out.Err, "postgres.upsert=true")
			}
			require.Equal(t, workload.NotFound, s.Do(context.Background(), &workload.Op{Kind: workload.Read, Key: []byte("user2")}).Code)

			p["postgres.upsert"] = "true"
			_, s = open(t, p)
			do(t, s, &workload.Op{Kind: workload.Insert, Key: []byte("user1"), Fields: b("field0"), Values: b("new")})
			require.Equal(t, map[string]string{"field0": "new"}, fields(t, s, "user1"))
			do(t, s, &workload.Op{Kind: workload.Insert, Keys: b("user2", "user1"), Fields: b("field0"), Values: b("x", "newer")})
			require.Equal(t, map[string]string{"field0": "newer"}, fields(t, s, "user1"))
		})
	}
}

// Large rows and batches fit into one request.
func TestLargeOperations(t *testing.T) {
	for _, form := range forms() {
		t.Run(form, func(t *testing.T) {
			_, s := open(t, properties("postgres.form", form, "table", "large_"+form, "fieldcount", "2", "phase", "load"))
			large := strings.Repeat("x", 3<<20)
			do(t, s, &workload.Op{Kind: workload.Insert, Key: []byte("large"), Fields: b("field0", "field1"), Values: b(large, "1")})
			require.Equal(t, map[string]string{"field0": large, "field1": "1"}, fields(t, s, "large"))
			const rows = 5000
			op := &workload.Op{Kind: workload.Insert, Fields: b("field0", "field1")}
			for i := range rows {
				op.Keys = append(op.Keys, []byte(fmt.Sprintf("many%04d", i)))
				op.Values = append(op.Values, b(strconv.Itoa(i), difficult)...)
			}
			require.EqualValues(t, rows, do(t, s, op).Rows)
			require.Equal(t, map[string]string{"field0": "4321", "field1": difficult}, fields(t, s, "many4321"))
			require.EqualValues(t, rows, do(t, s, &workload.Op{Kind: workload.Scan, Key: []byte("many"), ScanLength: 2 * rows}).Rows)
			require.EqualValues(t, rows, do(t, s, &workload.Op{Kind: workload.MultiGet, Keys: op.Keys}).Rows)
		})
	}
}
