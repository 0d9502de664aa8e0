package cassandra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

// The statements are those of YCSB's binding where that has one.
func TestStatements(t *testing.T) {
	s := cassandraspec.Settings{Keyspace: "ycsb", Table: "usertable"}
	const table = `"ycsb"."usertable"`
	for name, test := range map[string]struct {
		form   form
		fields []string
		rows   int
		want   string
		places int
	}{
		"read":          {formRead, nil, 0, `SELECT * FROM ` + table + ` WHERE "y_id" = ? LIMIT 1`, 1},
		"read fields":   {formRead, []string{`"a"`, `"b"`}, 0, `SELECT "a", "b" FROM ` + table + ` WHERE "y_id" = ? LIMIT 1`, 1},
		"scan":          {formScan, nil, 0, `SELECT * FROM ` + table + ` WHERE token("y_id") >= token(?) LIMIT ?`, 2},
		"multi-get":     {formMultiGet, nil, 3, `SELECT * FROM ` + table + ` WHERE "y_id" IN (?, ?, ?)`, 3},
		"update":        {formUpdate, []string{`"a"`, `"b"`}, 0, `UPDATE ` + table + ` SET "a" = ?, "b" = ? WHERE "y_id" = ?`, 3},
		"insert":        {formInsert, []string{`"a"`, `"b"`}, 0, `INSERT INTO ` + table + ` ("y_id", "a", "b") VALUES (?, ?, ?)`, 3},
		"delete":        {formDelete, nil, 0, `DELETE FROM ` + table + ` WHERE "y_id" = ?`, 1},
		"increment":     {formIncrement, []string{`"counter"`}, 0, `UPDATE "ycsb"."usertable_counters" SET "counter" = "counter" + ? WHERE "y_id" = ?`, 2},
		"check-and-put": {formCheckAndPut, []string{`"a"`}, 0, `UPDATE ` + table + ` SET "a" = ? WHERE "y_id" = ? IF "a" != null`, 2},
	} {
		text, places := textOf(s, test.form, test.fields, test.rows)
		require.Equal(t, test.want, text, name)
		require.Equal(t, test.places, places, name)
	}
}

func TestAKeyThatComesTwiceIsOneRow(t *testing.T) {
	require.Equal(t, 2, distinct([][]byte{[]byte("a"), []byte("b"), []byte("a")}))
	require.Zero(t, distinct(nil))
}

func TestTheLimitOfBatchesHasUnits(t *testing.T) {
	for want, settings := range map[int]map[string]string{
		50 << 10: {"batch_size_fail_threshold": "50KiB"},
		2 << 20:  {"batch_size_fail_threshold": "2MiB", "batch_size_fail_threshold_in_kb": "1"},
		64 << 10: {"batch_size_fail_threshold_in_kb": "64"},
		700:      {"batch_size_fail_threshold": "700B"},
		0:        {},
	} {
		require.Equal(t, want, sizeOf(settings), settings)
	}
}
