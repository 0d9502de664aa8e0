package hbasespec

import (
	"slices"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
)

// ClientProperty selects the client that executes operations.
const ClientProperty = "hbase.client"

// The values of hbase.client.
const (
	ClientNative  = "native"
	ClientGohbase = "gohbase"
)

// priorityKey is the property for the priority of calls.
const priorityKey = "hbase.rpc.priority"

// checkPriority refuses a priority that the sandbox would not obey.
func checkPriority(c descriptor.Case) {
	if c.Value("db") == SandboxName && c.Changed(priorityKey) && c.Sound(priorityKey) {
		c.Fail(priorityKey, "the sandbox serves calls in the order in which they come, and knows no priority; remove it, or measure HBase (db=hbase)")
	}
}

// Gohbase has the options of gohbase's client.
type Gohbase struct {
	QueueSize     int // calls in a request, at most
	FlushInterval time.Duration
}

// checkClient reports settings that the chosen client does not have.
func checkClient(c descriptor.Case) {
	if !c.Sound(ClientProperty) {
		return
	}
	if c.Value(ClientProperty) != ClientGohbase {
		for _, name := range []string{"gohbase.rpcQueueSize", "gohbase.flushInterval"} {
			if c.Changed(name) {
				c.Warn(name, "has no effect without hbase.client=gohbase")
			}
		}
		return
	}
	for _, m := range missingInGohbase() {
		if c.Sound(m.name) && !slices.Contains(m.has, c.Value(m.name)) {
			c.Fail(m.name, "%s, which hbase.client=gohbase does not have; %s", m.what, m.cure)
		}
	}
	if c.Changed("gohbase.flushInterval") && c.Value("gohbase.rpcQueueSize") == "1" {
		c.Warn("gohbase.flushInterval", "has no effect without gohbase.rpcQueueSize above 1")
	}
	for _, name := range []string{"incrementproportion", "appendproportion"} {
		if !slices.Contains(none(), c.Value(name)) {
			c.Warn(name, "with hbase.client=gohbase, which sends it again without a nonce: when an answer is lost, it may take effect twice; hbase.client=native is exact")
		}
	}
}

// missing is a setting of which gohbase has only some values.
type missing struct {
	name       string
	has        []string
	what, cure string
}

func none() []string { return []string{"", "0", "0.0"} }

func missingInGohbase() []missing {
	const native, off = "use hbase.client=native", "remove it, or use hbase.client=native"
	return []missing{
		{"clientbuffering", []string{"false"}, "buffers writes", "set gohbase.rpcQueueSize instead, or use hbase.client=native"},
		{"hbase.batch.size", []string{"1"}, "is batching of the native client", "set gohbase.rpcQueueSize instead, or use hbase.client=native"},
		{"batchsize", []string{"1"}, "writes several rows in one request", off},
		{"multigetproportion", none(), "reads several rows in one request", off},
		{"multirowproportion", none(), "writes several rows of a region together", off},
		{methodKey, []string{methodPut}, "loads HFiles", native},
		{retriesKey, []string{"2147483647"}, "limits the number of tries", off},
		{pauseKey, []string{"5"}, "sets the pauses between tries", off},
		{registryKey, []string{RegistryZooKeeper}, "asks HBase's own servers in place of ZooKeeper", native},
		{consistencyKey, []string{strong}, "lets replicas of regions answer reads", native},
		{priorityKey, none(), "sets the priority of calls", off},
		{replicasKey, []string{replicasNone}, "reads replicas of hbase:meta", native},
		{hedgedKey, []string{"false"}, "reads replicas of hbase:meta", native},
		{authenticationKey, []string{simple}, "needs Kerberos", native},
		{tlsKey, []string{"false"}, "needs TLS", native},
	}
}
