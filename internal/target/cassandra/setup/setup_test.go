package setup

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/workload"
)

func TestTheTableIsThatOfYCSB(t *testing.T) {
	s := cassandraspec.Settings{Keyspace: "ycsb", Table: "usertable"}
	fields := Fields(workload.Config{FieldCount: 2, FieldNamePrefix: "Field"})
	require.Equal(t, `CREATE TABLE IF NOT EXISTS "ycsb"."usertable" ("y_id" varchar PRIMARY KEY, "field0" varchar, "field1" varchar) WITH comment = 'created by benchd: S.1'`,
		Statement(s, s.Table, fields, "varchar", "S.1"))
	s.Compaction, s.Compression, s.SpeculativeRetry = "LeveledCompactionStrategy", "none", "NONE"
	require.Contains(t, Statement(s, s.Table, fields, "varchar", "S.1"),
		` AND compaction = {'class': 'LeveledCompactionStrategy'} AND compression = {'enabled': 'false'} AND speculative_retry = 'NONE'`)
	s.Compression = "ZstdCompressor"
	require.Contains(t, Statement(s, s.Table, fields, "varchar", "S.1"), `compression = {'class': 'ZstdCompressor'}`)
}

func TestOtherTablesAreRefused(t *testing.T) {
	key, field := cluster.Column{Name: "y_id", Type: "text", Kind: "partition_key"}, cluster.Column{Name: "field0", Type: "text", Kind: "regular"}
	for want, columnsOf := range map[string][]cluster.Column{
		"has id as partition key: the only key of YCSB's schema is y_id":  {{Name: "id", Type: "int", Kind: "partition_key"}, field},
		"has field0 as clustering":                                        {key, {Name: "field0", Type: "text", Kind: "clustering"}},
		"has no column field0 (it has other)":                             {key, {Name: "other", Type: "text", Kind: "regular"}},
		"has column field0 of type int: YCSB's schema has varchar":        {key, {Name: "field0", Type: "int", Kind: "regular"}},
		"has column y_id of type int: YCSB's schema has varchar; set tab": {{Name: "y_id", Type: "int", Kind: "partition_key"}, field},
	} {
		require.ErrorContains(t, columns(cluster.Table{Keyspace: "ycsb", Name: "t", Columns: columnsOf}, []string{"field0"}), "table ycsb.t "+want)
	}
	require.NoError(t, columns(cluster.Table{Columns: []cluster.Column{key, field}}, []string{"field0"}))
}
