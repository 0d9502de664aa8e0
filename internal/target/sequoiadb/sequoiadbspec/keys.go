package sequoiadbspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// keys lists the properties of SequoiaDB: those of its YCSB binding under their names, and ours, which begin with sequoiadb.
func keys() []property.Key {
	const pool = "each worker has a connection of its own, as each thread of YCSB has: there is no pool to configure"
	return []property.Key{
		{Name: urlKey, Kind: property.List, Check: checkURL, Doc: "HOST:PORT of coordinators, separated by commas; the workers are spread over them"},
		{Name: hostKey, Kind: property.Text, Default: "localhost", Check: checkHosts, Doc: "hosts of coordinators, separated by commas, if sequoiadb.url is not set"},
		{Name: portKey, Kind: property.Int, Default: "11810", Min: 1, Max: 65535, Doc: "their port"},
		{Name: userKey, Kind: property.Text, Default: "sdbadmin", Doc: "the user; a server without users accepts any"},
		{Name: PasswordKey, Kind: property.Secret, Doc: "the user's password: a reference to a secret of the agents, file:NAME or env:NAME"},
		{Name: spaceKey, Kind: property.Text, Default: "ycsb", Check: checkSpace, Doc: "the collection space; the collection is the property table"},
		{Name: "sequoiadb.space", Status: property.Alias, Of: spaceKey, Doc: "another name of database"},
		{Name: "sequoiadb.keyfield", Kind: property.Enum, Default: "_id", Values: []string{"_id"}, Doc: "the field with the key"},
		{Name: timeoutKey, Kind: property.Duration, Default: "30s", Min: 0.01, Max: 86400, Doc: "how long an operation may wait for its answers before it ends as TIMEOUT; it may take a sixteenth longer"},
		{Name: tlsKey, Kind: property.Bool, Default: "false", Doc: "TLS to the coordinators (usessl), with the certificates that the agents have (--target-tls-ca, --target-tls-cert)"},
		{Name: upsertKey, Kind: property.Bool, Default: "false", Doc: "let updates insert a missing document, and inserts replace an existing one"},

		{Name: createKey, Kind: property.Enum, Values: descriptor.Creations(), Doc: "whether to create the collection and its space; by default missing in a load, and otherwise never; recreate drops the collection first"},
		{Name: shardingKey, Kind: property.Enum, Default: Hash, Values: []string{Hash, None}, Doc: "how a collection that is created is sharded: by the hash of _id, or not at all"},
		{Name: splitKey, Kind: property.Bool, Default: "true", Doc: "spread its partitions over all groups of its domain at once (AutoSplit), with sequoiadb.sharding=hash"},
		{Name: partsKey, Kind: property.Int, Default: "4096", Min: 8, Max: 1 << 20, Check: checkPartitions, Doc: "its number of partitions, a power of 2, with sequoiadb.sharding=hash"},
		{Name: replicasKey, Kind: property.Int, Default: "1", Min: -1, Max: 7, Doc: "how many nodes of a group have a write before it is acknowledged (ReplSize): 1 is the primary alone, 0 all, -1 all that are reachable"},
		{Name: compressKey, Kind: property.Enum, Default: None, Values: []string{None, "snappy", "lzw"}, Doc: "how its documents are compressed"},
		{Name: domainKey, Kind: property.Text, Check: checkDomain, Doc: "the domain in which its collection space is created; by default all groups"},
		{Name: groupsKey, Kind: property.List, Check: checkGroups, Doc: "the replication groups of that domain, separated by commas, if it does not exist yet"},

		{Name: "sequoiadb.maxConnectionnum", Kind: property.Int, Status: property.Idle, Reason: pool},
		{Name: "sequoiadb.maxIdleConnectionnum", Kind: property.Int, Status: property.Idle, Reason: pool},
		{Name: "sequoiadb.checkInterval", Kind: property.Int, Status: property.Idle, Reason: pool},
		{Name: "sequoiadb.subCollectionNum", Kind: property.Int, Status: property.Idle, Reason: "a collection that is created is sharded by the hash of _id; to measure a main collection with sub-collections, create it first and set sequoiadb.table.create=never"},
	}
}
