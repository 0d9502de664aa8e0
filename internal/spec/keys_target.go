package spec

import "github.com/benchd/benchd/internal/descriptor"

// The names of targets, as property db spells them.
const (
	HBaseTarget = "hbase"
	Sandbox     = "sandbox" // an embedded server that speaks HBase's protocol
	Cassandra   = "cassandra"
	MongoDB     = "mongodb"
	SequoiaDB   = "sequoiadb"
)

// others describes the targets whose descriptions are in this package.
func others() []descriptor.Target {
	hbase := descriptor.Target{
		Name: HBaseTarget, Aliases: []string{"site.ycsb.db.HBaseClient"},
		Address: []string{"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent"},
		Stores:  true, Filling: []string{"hbase.table.create", "hbase.after.load"}, Empties: recreates, Splits: splitsOf, Watched: true,
		Actions: hbaseActions(), Between: afterLoad(),
		Keys: hbaseKeys(), Exclusive: [][2]string{{"hbase.splits", SplitKeys}}, Check: checkHBase,
		Attachments: []descriptor.Attachment{{File: "hbase.splits.file", Into: SplitKeys, Parse: readSplits}},
	}
	sandbox := hbase
	sandbox.Name, sandbox.Aliases, sandbox.Keys = Sandbox, nil, append(hbaseKeys(), sandboxKeys()...)
	sandbox.Actions = append(hbaseActions(), sandboxActions()...)
	sandbox.Embedded = true
	sandbox.Supplied = map[string]string{"columnfamily": "family"} // it has the tables that runs make in it
	for _, v := range []string{"094", "098", "1", "10", "12", "14", "2", "20"} {
		hbase.Aliases = append(hbase.Aliases, "hbase"+v, "site.ycsb.db.hbase"+v+".HBaseClient"+v, "site.ycsb.db.HBaseClient"+v)
	}
	return []descriptor.Target{
		hbase, sandbox,
		{Name: Cassandra, Aliases: []string{"site.ycsb.db.CassandraCQLClient", "cassandra-cql", "cassandra2-cql"}},
		{Name: MongoDB, Aliases: []string{"site.ycsb.db.MongoDbClient", "site.ycsb.db.AsyncMongoDbClient", "mongodb-async"}},
		{Name: SequoiaDB, Aliases: []string{"site.ycsb.db.SequoiadbClient"}},
	}
}
