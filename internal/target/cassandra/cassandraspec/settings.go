package cassandraspec

import (
	"net"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// Key is the column of the key in YCSB's schema, and CounterSuffix the suffix of the table with the counters of INCREMENT.
const (
	Key           = "y_id"
	CounterSuffix = "_counters"
)

// Settings are the settings of target cassandra.
type Settings struct {
	Hosts      []string // host:port
	Keyspace   string
	Table      string
	Username   string
	ReadLevel  string
	WriteLevel string

	Connections    int // to each node
	ConnectTimeout time.Duration
	Timeout        time.Duration // of a request
	Tracing        bool
	TLS            bool
	VerifyHost     bool
	Datacenter     string // empty for all
	Protocol       int
	Coalesce       time.Duration
	PageSize       int
	BatchBytes     int // 0 is the server's bound

	Create           descriptor.Creation
	Copies           Copies
	DurableWrites    bool
	Compaction       string // empty for the servers' default, as below
	Compression      string
	SpeculativeRetry string

	Jolokia Jolokia
}

// Jolokia is how a node's JMX is reached over HTTP.
type Jolokia struct {
	Port     int // 0 for none
	Path     string
	TLS      bool
	Username string
}

// FullTable returns the table's name with its keyspace.
func (s Settings) FullTable() string { return s.Keyspace + "." + s.Table }

// Counters returns the name of the table with the counters of INCREMENT.
func (s Settings) Counters() string { return s.Table + CounterSuffix }

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	known := slices.DeleteFunc(keys(), func(k property.Key) bool { return k.Status != "" })
	v, err := property.Read(properties, append(known,
		property.Key{Name: "table", Kind: property.Text, Default: "usertable"}, property.Key{Name: "phase", Kind: property.Text, Default: "run"}))
	if err != nil {
		return Settings{}, err
	}
	table, err := parseName("table", v.Text("table"))
	if err != nil {
		return Settings{}, property.Problems{{Key: "table", Text: err.Error()}}
	}
	copies, err := parseReplication(v.Text(replicationKey))
	if err != nil {
		return Settings{}, property.Problems{{Key: replicationKey, Text: err.Error()}}
	}
	return Settings{
		Hosts:      addresses(v.Text(hostsKey), v.Text(portKey)),
		Keyspace:   v.Text(keyspaceKey),
		Table:      table,
		Username:   v.Text(usernameKey),
		ReadLevel:  v.Text(readLevelKey),
		WriteLevel: v.Text(writeLevelKey),

		Connections:    max(v.Int(maxConnectionsKey), v.Int(coreConnectionsKey)),
		ConnectTimeout: v.Milliseconds(connectTimeoutKey),
		Timeout:        v.Milliseconds(readTimeoutKey),
		Tracing:        v.Bool(tracingKey),
		TLS:            v.Bool(tlsKey),
		VerifyHost:     v.Bool(verifyKey),
		Datacenter:     v.Text(datacenterKey),
		Protocol:       v.Int(protocolKey),
		Coalesce:       v.Duration(coalesceKey),
		PageSize:       v.Int(pageSizeKey),
		BatchBytes:     v.Int(batchBytesKey),

		Create:           descriptor.CreationOf(v, createKey),
		Copies:           copies,
		DurableWrites:    v.Bool(durableWritesKey),
		Compaction:       v.Text(compactionKey),
		Compression:      v.Text(compressionKey),
		SpeculativeRetry: v.Text(speculativeRetryKey),

		Jolokia: Jolokia{
			Port: v.Int(jolokiaPortKey), Path: v.Text(jolokiaPathKey), TLS: v.Bool(jolokiaTLSKey), Username: v.Text(jolokiaUserKey),
		},
	}, nil
}

// recreates reports whether the table and its rows are dropped.
func recreates(v property.Values) bool {
	return descriptor.CreationOf(v, createKey) == descriptor.Recreate
}

// addresses appends the port to each host that has none.
func addresses(text, port string) []string {
	var nodes []string
	for host := range strings.SplitSeq(text, ",") {
		if h, p, err := net.SplitHostPort(host); err == nil {
			nodes = append(nodes, net.JoinHostPort(h, p))
			continue
		}
		nodes = append(nodes, net.JoinHostPort(strings.Trim(host, "[]"), port))
	}
	return nodes
}
