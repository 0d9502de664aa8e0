package hbasespec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// ofAgent is the cure for properties that name keys of an agent's machine.
const ofAgent = "a keytab belongs to the machine of an agent and is never archived: give it to the agents with --kerberos-keytab and --kerberos-principal, and set hbase.security.authentication=kerberos here"

// SplitKeys is the property that carries the keys of an hbase.splits.file to the agents, which cannot read the user's disk.
const SplitKeys = "hbase.splits.list"

// The properties of retries.
const (
	retriesKey = "hbase.client.retries.number"
	pauseKey   = "hbase.client.pause"
)

// ignoredKey is the property with the names of settings in a client's configuration files that have no effect.
const ignoredKey = "hbase.conf.ignored"

// keys lists the properties of HBase. Each has its name in HBase's own configuration or in YCSB's binding, or else one that
// begins with hbase.
func keys() []property.Key {
	const day, gigabyte = 86400_000, 1 << 30
	return []property.Key{
		{Name: "columnfamily", Kind: property.Text, Doc: "the column family"},
		{Name: "durability", Kind: property.Enum, Default: "USE_DEFAULT", Values: []string{"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"}, Doc: "durability of a write before it is acknowledged"},
		{Name: "clientbuffering", Kind: property.Bool, Default: "false", Doc: "collect the puts and deletes of a worker and send them together; each counts when the server has acknowledged it, with the latency of collecting it"},
		{Name: "writebuffersize", Kind: property.Int, Default: "12582912", Min: 1, Max: gigabyte, Doc: "bytes that a worker collects before it sends them, with clientbuffering"},

		{Name: methodKey, Kind: property.Enum, Default: methodPut, Values: []string{methodPut, methodBulk}, Doc: "how a load writes rows: put, by operations; bulkload, agents write HFiles and the servers load them"},
		{Name: bulkKey, Kind: property.Text, Check: checkBulk, Doc: "folder of the HFiles of a bulk load, which the agents and all region servers share under the same path: hdfs://HOST:PORT/PATH, or file:///PATH on a local or mounted file system"},
		{Name: namenodesKey, Kind: property.List, Check: checkNamenodes, Doc: "namenodes of the name services that hbase.bulkload.directory may name, SERVICE/HOST:PORT separated by commas; --hbase-conf takes them from hdfs-site.xml"},
		{Name: hostnamesKey, Kind: property.Bool, Default: "false", Doc: "connect to HDFS's datanodes by the names that they report, not by their addresses, in a bulk load"},
		{Name: bulkBufferKey, Kind: property.Int, Default: "33554432", Min: 1 << 10, Max: gigabyte, Doc: "bytes of rows that a worker of a bulk load collects and sorts in memory; they become one HFile for each region"},

		{Name: "hbase.zookeeper.quorum", Kind: property.Text, Default: "127.0.0.1", Check: checkQuorum, Doc: "host[:port] of ZooKeeper's servers, separated by commas"},
		{Name: "hbase.zookeeper.property.clientPort", Kind: property.Int, Default: "2181", Min: 1, Max: 65535, Doc: "the port of servers in hbase.zookeeper.quorum without one"},
		{Name: "zookeeper.znode.parent", Kind: property.Text, Default: "/hbase", Check: checkZnode, Doc: "HBase's root znode in ZooKeeper"},
		{Name: registryKey, Kind: property.Enum, Default: RegistryZooKeeper, Values: registries(), Check: checkClass, Doc: "where the client asks for the master and for hbase:meta: ZooKeeper, or HBase's own servers (the RPC registry, without ZooKeeper)"},
		{Name: bootstrapKey, Kind: property.Text, Check: checkBootstrap, Doc: "host:port of the region servers (HBase 2.5) or masters that are asked first with RpcConnectionRegistry, separated by commas; by default those of hbase.masters"},
		{Name: mastersKey, Kind: property.Text, Check: checkMasters, Doc: "host[:port] of the masters that are asked with MasterRegistry (HBase 2.3), separated by commas"},
		{Name: masterPortKey, Kind: property.Int, Default: "16000", Min: 1, Max: 65535, Doc: "the port of servers in hbase.masters without one"},
		{Name: replicasKey, Kind: property.Enum, Default: replicasNone, Values: []string{replicasNone, replicasHedged}, Check: checkReplicas, Doc: "whether look-ups of regions read a replica of hbase:meta, if it has some, while its server does not serve it"},
		{Name: hedgedKey, Kind: property.Bool, Default: "false", Doc: "the older name of hbase.locator.meta.replicas.mode=HedgedRead"},
		{Name: "hbase.connections", Kind: property.Int, Default: "1", Min: 1, Max: 256, Doc: "connections of each agent to each region server, which its workers share in turn"},
		{Name: "hbase.client.operation.timeout", Kind: property.Int, Default: "60000", Min: 10, Max: day, Doc: "milliseconds after which an operation, including its retries, ends as TIMEOUT"},
		{Name: "hbase.rpc.timeout", Kind: property.Int, Default: "30000", Min: 10, Max: day, Doc: "milliseconds after which an unanswered call is abandoned and sent again"},
		{Name: priorityKey, Kind: property.Int, Default: "0", Max: 1000, Doc: "priority in the header of each call of an operation: from 200 on a region server takes it by its handlers for high priority (hbase.regionserver.metahandler.count), and 0 leaves the choice to the server"},
		{Name: "hbase.client.rpc.compressor", Kind: property.Enum, Default: "none", Values: []string{"none", "snappy"}, Check: checkCompressor, Doc: "how cells are compressed on the wire"},
		{Name: "hadoop.user.name", Kind: property.Text, Doc: "the user that HBase sees; by default the one that the agent runs as"},
		{Name: "hbase.batch.size", Kind: property.Int, Default: "1", Min: 1, Max: 10_000, Doc: "operations of different workers that may share one request to a region server; 1 is no batching"},
		{Name: "hbase.batch.delay", Kind: property.Duration, Default: "0s", Max: 10, Doc: "how long a batch that is not full waits for more; 0s is while another request of its connection is under way, at most 10 ms"},

		{Name: ClientProperty, Kind: property.Enum, Default: ClientNative, Values: []string{ClientNative, ClientGohbase}, Doc: "the client that executes operations: benchd's own, or the Go library gohbase, which some applications use"},
		{Name: "gohbase.rpcQueueSize", Kind: property.Int, Default: "1", Min: 1, Max: 10_000, Doc: "gohbase's option RpcQueueSize, with hbase.client=gohbase: calls that may share one request to a region server; with 1 each call is sent alone, and gohbase's own default is 100"},
		{Name: "gohbase.flushInterval", Kind: property.Duration, Default: "20ms", Max: 60_000, Doc: "gohbase's option FlushInterval: how long a batch that is not full waits for more calls"},

		{Name: consistencyKey, Kind: property.Enum, Default: strong, Values: []string{strong, timelineReads}, Doc: "consistency of reads: strong asks the region itself; timeline also asks its replicas if it does not answer in time, and takes the first answer, which may be older"},
		{Name: primaryGetKey, Kind: property.Int, Default: "10000", Min: 1, Max: 1000 * day, Doc: "microseconds that a region has to answer a Get before its replicas are asked, with hbase.consistency=timeline"},
		{Name: primaryScanKey, Kind: property.Int, Default: "1000000", Min: 1, Max: 1000 * day, Doc: "microseconds that a region has to answer a page of a scan before its replicas are asked, with hbase.consistency=timeline"},
		{Name: "hbase.client.scanner.caching", Kind: property.Int, Default: "0", Max: 1e9, Doc: "rows that a scan fetches at a time; 0 is the length of the scan, as in YCSB's binding"},
		{Name: "hbase.client.scanner.max.result.size", Kind: property.Int, Default: "2097152", Min: 1, Max: gigabyte, Doc: "bytes that a scan fetches at a time"},
		{Name: "hbase.usepagefilter", Kind: property.Bool, Default: "true", Doc: "limit scans on the server with a page filter"},
		{Name: "hbase.usescanvaluefiltering", Kind: property.Bool, Default: "false", Doc: "filter scans by value on the server"},
		{Name: "hbase.scanfilteroperator", Kind: property.Enum, Default: "less_or_equal", Values: []string{"less", "less_or_equal", "equal", "not_equal", "greater_or_equal", "greater", "no_op"}, Doc: "operator of the value filter"},
		{Name: "hbase.scanfiltervalue", Kind: property.Text, Check: checkHexadecimal, Doc: "operand of the value filter, in hexadecimal; by default a value above all others"},

		{Name: "hbase.table.create", Kind: property.Enum, Values: descriptor.Creations(), Doc: "whether to create the table; by default missing in a load, and otherwise never"},
		{Name: "hbase.splits", Kind: property.Int, Default: "0", Max: 1e5, Doc: "number of split points of a table that is created"},
		{Name: "hbase.splits.formula", Kind: property.Enum, Default: "quantiles", Values: []string{"quantiles", "1000-9999", "10000-99999"}, Doc: "where they are: evenly among the keys as they are hashed (or ordered), or keyprefix with numbers spread over 1000 to 9999 or 10000 to 99999, as published reports have them"},
		{Name: SplitKeys, Kind: property.List, Check: checkSplits, Doc: `the split points, separated by commas; commas and bytes that cannot be printed are written as in HBase's shell: \x2C, \x00`},
		{Name: "hbase.splits.file", Kind: property.Text, File: true, Doc: "a file of split points, one per line"},
		{Name: "hbase.table.filesize", Kind: property.Int, Default: "0", Max: 1 << 50, Doc: "bytes of a region's files at which a table that is created splits it (MAX_FILESIZE); 0 is the servers' default"},
		{Name: "hbase.table.flushsize", Kind: property.Int, Default: "0", Max: 1 << 40, Doc: "bytes in memory at which it flushes a region (MEMSTORE_FLUSHSIZE); 0 is the servers' default"},
		{Name: replicationKey, Kind: property.Int, Default: "1", Min: 1, Max: MostReplicas, Doc: "copies of each region of a table that is created (REGION_REPLICATION), on different region servers; 1 is the region alone"},
		{Name: "hbase.family.versions", Kind: property.Int, Default: "1", Min: 1, Max: 1e6, Doc: "versions that a table that is created keeps of a cell"},
		{Name: "hbase.family.compression", Kind: property.Enum, Default: "NONE", Values: []string{"NONE", "SNAPPY", "LZ4", "LZO", "GZ", "ZSTD", "BZIP2", "LZMA", "BROTLI"}, Doc: "how the files of a table that is created are compressed"},
		{Name: "hbase.family.blocksize", Kind: property.Int, Default: "65536", Min: 64, Max: gigabyte, Doc: "block size of its files, in bytes"},
		{Name: "hbase.family.bloomfilter", Kind: property.Enum, Default: "ROW", Values: []string{"NONE", "ROW", "ROWCOL"}, Doc: "its bloom filter"},
		{Name: "hbase.family.inmemory", Kind: property.Bool, Default: "false", Doc: "prefer to keep its blocks in the cache"},
		{Name: "hbase.family.ttl", Kind: property.Int, Default: "0", Max: 2147483646, Doc: "seconds after which its cells expire; 0 is never"},
		{Name: "hbase.family.encoding", Kind: property.Enum, Default: "NONE", Values: []string{"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"}, Doc: "how keys are encoded in its blocks"},

		{Name: "hbase.after.load", Status: property.Alias, Of: plan.AfterLoadProperty, Doc: "another name of after.load"},
		{Name: "hbase.before.run", Status: property.Alias, Of: plan.BeforeRunProperty, Doc: "another name of before.run"},
		{Name: "hbase.action.timeout", Status: property.Alias, Of: plan.ActionTimeoutProperty, Doc: "another name of action.timeout"},

		{Name: authenticationKey, Kind: property.Enum, Default: simple, Values: []string{simple, kerberos}, Check: lowerOneOf(simple, kerberos), Doc: "how the client proves who it is; with kerberos the agents need a keytab or a credential cache (--kerberos-keytab, --kerberos-cache)"},
		{Name: protectionKey, Kind: property.List, Default: "authentication", Check: checkProtection, Doc: "protection of requests with kerberos, in the order of preference, the first one that the server offers: authentication (none), integrity (signed), privacy (encrypted)"},
		{Name: masterPrincipalKey, Kind: property.Text, Check: checkPrincipal, Doc: "Kerberos principal of the masters, such as hbase/_HOST@EXAMPLE.COM; _HOST is the name of the server"},
		{Name: serverPrincipalKey, Kind: property.Text, Check: checkPrincipal, Doc: "Kerberos principal of the region servers, such as hbase/_HOST@EXAMPLE.COM"},
		{Name: aesKey, Kind: property.Bool, Default: "false", Doc: "encrypt with AES in counter mode in place of the cipher of Kerberos, with privacy"},
		{Name: fallbackKey, Kind: property.Bool, Default: "false", Doc: "go on without authentication and protection if a server has no Kerberos"},
		{Name: noReverseKey, Kind: property.Bool, Default: "false", Doc: "take the name of a server as HBase reports it for _HOST, and do not look up the name of its address"},
		{Name: tlsKey, Kind: property.Bool, Default: "false", Doc: "TLS to the masters and region servers (HBase 2.6), with the certificates that the agents have (--target-tls-ca, --target-tls-cert)"},
		{Name: verifyKey, Kind: property.Bool, Default: "true", Doc: "check that the certificate of a server, with TLS, is for its name or address"},
		{Name: protocolsKey, Kind: property.List, Default: "TLSv1.2,TLSv1.3", Check: checkProtocols, Doc: "versions of TLS to the masters and region servers"},
		{Name: protocolKey, Kind: property.Text, Status: property.Alias, Of: protocolsKey, Doc: "another name of hbase.rpc.tls.enabledProtocols"},
		{Name: zooKeeperTLSKey, Kind: property.Bool, Default: "false", Doc: "TLS to ZooKeeper, whose port is then the secure one"},
		{Name: httpsKey, Kind: property.Bool, Default: "false", Doc: "read the pages of the masters and region servers over HTTPS"},
		{Name: spnegoKey, Kind: property.Enum, Default: simple, Values: []string{simple, kerberos}, Check: lowerOneOf(simple, kerberos), Doc: "how the pages of the masters and region servers authenticate: kerberos is SPNEGO"},
		{Name: ignoredKey, Kind: property.List, Check: checkIgnored, Doc: "names of settings in the client's configuration files that HBase's own client obeys and benchd does not; --hbase-conf and --hbase-site set it"},
		{Name: retriesKey, Kind: property.Int, Default: "2147483647", Max: 2147483647, Doc: "how often an operation is retried at most; hbase.client.operation.timeout limits it in any case"},
		{Name: pauseKey, Kind: property.Int, Default: "5", Min: 1, Max: 60_000, Doc: "milliseconds of the first pause between tries; it doubles with each retry, up to 1000 or, if that is longer, this pause"},
		{Name: "hbase.client.write.buffer", Kind: property.Text, Status: property.Refused, Reason: "as in YCSB's binding, the buffer's size is writebuffersize, with clientbuffering=true; set that"},
		{Name: "principal", Kind: property.Text, Status: property.Refused, Reason: ofAgent},
		{Name: "keytab", Kind: property.Text, Status: property.Refused, Reason: ofAgent},
		{Name: "debug", Kind: property.Bool, Status: property.Idle, Reason: "the first message of each kind of error is always in the result"},
	}
}
