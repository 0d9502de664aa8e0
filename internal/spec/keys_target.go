package spec

// The names of targets, as property db spells them.
const (
	NullTarget = "null" // serves any operation at once, or after a simulated time
	HBase      = "hbase"
	Sandbox    = "sandbox" // an embedded server that speaks HBase's protocol
	Cassandra  = "cassandra"
	MongoDB    = "mongodb"
	SequoiaDB  = "sequoiadb"
)

func targets() []string {
	return []string{NullTarget, HBase, Sandbox, Cassandra, MongoDB, SequoiaDB}
}

// targetKeys are the properties that one target or another knows.
func targetKeys() []Key {
	null := []Key{
		{Name: "null.service", Kind: Text, Default: "0", check: checkService, Doc: "simulated service time: " + serviceForms},
		{Name: "null.capacity", Kind: Float, Default: "0", Max: 1e9, Doc: "operations per second that the null target of one agent takes; what comes faster queues up; 0 is no bound"},
		{Name: "null.log", Kind: Text, Doc: "a file on the agent's machine that gets a line for every operation"},
		{Name: "null.error.share", Kind: Percent, Default: "0", Doc: "share of operations that end in ERROR"},
		{Name: "null.notfound.share", Kind: Percent, Default: "0", Doc: "share of reads that end in NOT_FOUND"},
		{Name: "null.seed", Kind: Int, Default: "0", check: checkSeed, Doc: "of service times and outcomes; 0 is the run's seed"},
	}
	for i := range null {
		null[i].Targets = []string{NullTarget}
	}
	const kerberos = "the HBase client in benchd has simple authentication only, no Kerberos"
	hbase := []Key{
		{Name: "columnfamily", Kind: Text, Doc: "the column family"},
		{Name: "durability", Kind: Enum, Default: "USE_DEFAULT", Values: []string{"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"}, Doc: "how safe a write is before it is acknowledged"},
		{Name: "clientbuffering", Kind: Bool, Default: "false", Doc: "collect writes and send them together"},
		{Name: "writebuffersize", Kind: Int, Default: "12582912", Min: 1, Max: 1 << 32, Doc: "bytes collected before they are sent"},
		{Name: "hbase.zookeeper.quorum", Kind: Text, Default: "127.0.0.1", Doc: "host[:port] of ZooKeeper's servers, with commas"},
		{Name: "hbase.zookeeper.property.clientPort", Kind: Int, Default: "2181", Min: 1, Max: 65535, Doc: "the port where hbase.zookeeper.quorum names none"},
		{Name: "zookeeper.znode.parent", Kind: Text, Default: "/hbase", Doc: "where HBase is in ZooKeeper"},
		{Name: "hbase.table.create", Kind: Enum, Values: []string{"missing", "never", "recreate"}, Doc: "whether to create the table; when not given, missing in a load and never else"},
		{Name: "hbase.splits", Kind: Int, Default: "0", Max: 1e5, Doc: "split points of a table that is created"},
		{Name: "hbase.usepagefilter", Kind: Bool, Default: "true", Doc: "bound scans on the server"},
		{Name: "hbase.usescanvaluefiltering", Kind: Bool, Default: "false", Doc: "filter scans by value on the server"},
		{Name: "hbase.scanfilteroperator", Kind: Enum, Default: "less_or_equal", Values: []string{"less", "less_or_equal", "equal", "not_equal", "greater_or_equal", "greater", "no_op"}, Doc: "how such a filter compares"},
		{Name: "hbase.scanfiltervalue", Kind: Text, Doc: "with what, in hexadecimal; when not given, with a value above all"},
		{Name: "hbase.security.authentication", Kind: Enum, Default: "simple", Values: []string{"simple"}, Doc: "how the client proves who it is: " + kerberos},
		{Name: "principal", Kind: Text, Status: Refused, Reason: kerberos},
		{Name: "keytab", Kind: Text, Status: Refused, Reason: kerberos},
		{Name: "debug", Kind: Bool, Status: Idle, Reason: "the first message of each kind of error is always in the result"},
	}
	for i := range hbase {
		hbase[i].Targets = []string{HBase, Sandbox}
	}
	return append(null, hbase...)
}
