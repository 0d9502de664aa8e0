package cassandraspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The names of properties. Those of YCSB's binding have its names and defaults.
const (
	hostsKey            = "hosts"
	portKey             = "port"
	keyspaceKey         = "cassandra.keyspace"
	usernameKey         = "cassandra.username"
	PasswordKey         = "cassandra.password" // a secret
	readLevelKey        = "cassandra.readconsistencylevel"
	writeLevelKey       = "cassandra.writeconsistencylevel"
	maxConnectionsKey   = "cassandra.maxconnections"
	coreConnectionsKey  = "cassandra.coreconnections"
	connectTimeoutKey   = "cassandra.connecttimeoutmillis"
	readTimeoutKey      = "cassandra.readtimeoutmillis"
	tracingKey          = "cassandra.tracing"
	tlsKey              = "cassandra.useSSL"
	verifyKey           = "cassandra.tls.verifyhost"
	datacenterKey       = "cassandra.datacenter"
	protocolKey         = "cassandra.protocol"
	coalesceKey         = "cassandra.coalesce"
	pageSizeKey         = "cassandra.pagesize"
	batchBytesKey       = "cassandra.batchbytes"
	createKey           = "cassandra.table.create"
	replicationKey      = "cassandra.replication"
	durableWritesKey    = "cassandra.durablewrites"
	compactionKey       = "cassandra.table.compaction"
	compressionKey      = "cassandra.table.compression"
	speculativeRetryKey = "cassandra.table.speculativeretry"
	jolokiaPortKey      = "cassandra.jolokia.port"
	jolokiaPathKey      = "cassandra.jolokia.path"
	jolokiaTLSKey       = "cassandra.jolokia.tls"
	jolokiaUserKey      = "cassandra.jolokia.username"
	JolokiaPasswordKey  = "cassandra.jolokia.password" // a secret
)

// readLevels and writeLevels are the consistency levels of Cassandra's reads and writes.
func readLevels() []string {
	return []string{"ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "LOCAL_ONE", "SERIAL", "LOCAL_SERIAL"}
}

func writeLevels() []string {
	return []string{"ANY", "ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM", "LOCAL_ONE"}
}

// keys lists the properties of Cassandra.
func keys() []property.Key {
	const day = 86400_000
	return []property.Key{
		{Name: hostsKey, Kind: property.List, Default: "127.0.0.1", Check: checkHosts, Doc: "host[:port] of some nodes, separated by commas; the driver asks them for the others"},
		{Name: portKey, Kind: property.Int, Default: "9042", Min: 1, Max: 65535, Doc: "the port of hosts without one"},
		{Name: keyspaceKey, Kind: property.Text, Default: "ycsb", Check: checkName("keyspace"), Doc: "the keyspace of the table"},
		{Name: usernameKey, Kind: property.Text, Doc: "user name for password authentication"},
		{Name: PasswordKey, Kind: property.Secret, Doc: "its password, by reference: file:cassandra/password"},
		{Name: readLevelKey, Kind: property.Enum, Default: "QUORUM", Values: readLevels(), Doc: "consistency level of reads"},
		{Name: writeLevelKey, Kind: property.Enum, Default: "QUORUM", Values: writeLevels(), Doc: "consistency level of writes"},
		{Name: maxConnectionsKey, Kind: property.Int, Default: "1", Min: 1, Max: 256, Doc: "connections of each agent to each node, which its workers share"},
		{Name: coreConnectionsKey, Kind: property.Int, Default: "1", Min: 1, Max: 256, Doc: "the same; the larger of the two counts, because the pool of the Go driver does not grow"},
		{Name: connectTimeoutKey, Kind: property.Int, Default: "5000", Min: 10, Max: day, Doc: "milliseconds after which an attempt to connect to a node is given up"},
		{Name: readTimeoutKey, Kind: property.Int, Default: "12000", Min: 10, Max: day, Doc: "milliseconds after which a request without an answer ends as TIMEOUT"},
		{Name: tracingKey, Kind: property.Bool, Default: "false", Doc: "have the nodes trace every operation, which costs them more than the operation"},
		{Name: tlsKey, Kind: property.Bool, Default: "false", Doc: "TLS to the nodes, with the certificates that the agents have (--target-tls-ca, --target-tls-cert)"},
		{Name: verifyKey, Kind: property.Bool, Default: "true", Doc: "check that the certificate of a node, with TLS, is for its name or address"},
		{Name: datacenterKey, Kind: property.Text, Doc: "the datacenter whose nodes are asked; by default those of all datacenters"},
		{Name: protocolKey, Kind: property.Int, Default: "4", Min: 3, Max: 5, Doc: "version of the native protocol; YCSB's binding has 4, and 5 adds checksums"},
		{Name: coalesceKey, Kind: property.Duration, Default: "0s", Max: 0.01, Doc: "how long the driver collects requests of several workers before it writes them; 0s sends each at once"},
		{Name: pageSizeKey, Kind: property.Int, Default: "5000", Min: 1, Max: 1e6, Doc: "rows of a page of a scan"},
		{Name: batchBytesKey, Kind: property.Int, Default: "0", Max: 1 << 30, Doc: "bytes of an unlogged batch at most, with batchsize above 1; 0 is what the node accepts (batch_size_fail_threshold)"},

		{Name: createKey, Kind: property.Enum, Values: descriptor.Creations(), Doc: "whether to create keyspace and table; by default missing in a load, and otherwise never; recreate drops the table, and keeps the keyspace"},
		{Name: replicationKey, Kind: property.Text, Default: "1", Check: checkReplication, Doc: "copies of each row in a keyspace that is created: a number (SimpleStrategy), or one for each datacenter, such as dc1:3,dc2:2 (NetworkTopologyStrategy)"},
		{Name: durableWritesKey, Kind: property.Bool, Default: "true", Doc: "whether writes to a keyspace that is created go into the commit log"},
		{Name: compactionKey, Kind: property.Enum, Values: []string{"SizeTieredCompactionStrategy", "LeveledCompactionStrategy", "UnifiedCompactionStrategy"}, Doc: "compaction strategy of a table that is created; by default that of the servers"},
		{Name: compressionKey, Kind: property.Enum, Values: []string{"none", "LZ4Compressor", "SnappyCompressor", "ZstdCompressor", "DeflateCompressor"}, Doc: "how the files of a table that is created are compressed; by default as the servers do"},
		{Name: speculativeRetryKey, Kind: property.Text, Check: checkSpeculativeRetry, Doc: "when a node asks a further replica for a slow read (speculative_retry of a table that is created): NONE, ALWAYS, 99p, 50ms; by default 99p, the servers' own"},

		{Name: jolokiaPortKey, Kind: property.Int, Default: "0", Max: 65535, Doc: "the port of the Jolokia agent in each node, which gives actions and telemetry access to JMX over HTTP; 0 is none"},
		{Name: jolokiaPathKey, Kind: property.Text, Default: "/jolokia", Check: checkPath, Doc: "its path"},
		{Name: jolokiaTLSKey, Kind: property.Bool, Default: "false", Doc: "HTTPS to it, with the certificates that the agents have"},
		{Name: jolokiaUserKey, Kind: property.Text, Doc: "user name for HTTP basic authentication at it"},
		{Name: JolokiaPasswordKey, Kind: property.Secret, Doc: "its password, by reference: file:cassandra/jolokia"},

		{Name: "debug", Kind: property.Bool, Status: property.Idle, Reason: "the first message of each kind of error is always in the result"},
	}
}
