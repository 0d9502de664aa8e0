package hbasespec

import (
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// SplitFormula computes the split points of a table that is pre-split by count.
type SplitFormula string

// The values of hbase.splits.formula.
const (
	SplitQuantiles  SplitFormula = "quantiles"   // evenly among the workload's keys
	SplitFourDigits SplitFormula = "1000-9999"   // keyprefix, and 1000+i*(9999-1000)/n for i in 1..n
	SplitFiveDigits SplitFormula = "10000-99999" // keyprefix, and 10000+i*(99999-10000)/n for i in 1..n
)

// Splits are the split points of a table that is created.
type Splits struct {
	Count   int // by the formula
	Formula SplitFormula
	Keys    [][]byte // given explicitly, in order, each once; then Count is 0
}

// Family describes the column family of a table that is created, with HBase's names.
type Family struct {
	Name        string
	Versions    int
	Compression string
	BlockSize   int
	BloomFilter string
	InMemory    bool
	TTL         time.Duration // 0 is forever
	Encoding    string
}

// Scan configures scans.
type Scan struct {
	Caching       int // rows fetched at a time; 0 is the length of the scan
	MaxResultSize int // bytes fetched at a time
	PageFilter    bool
	ValueFilter   bool
	Operator      string // of the value filter
	Value         []byte // that it compares with
}

// Settings are the settings of target hbase.
type Settings struct {
	Registry  Registry
	Quorum    []string // host:port of ZooKeeper's servers
	Znode     string   // HBase's root in ZooKeeper
	Namespace string   // of the table; "default" if its name has none
	Table     string   // without its namespace
	User      string   // empty for the one that the agent runs as

	Connections int    // to each region server
	Priority    uint32 // of the calls of operations; 0 leaves the choice to the server
	Timeout     time.Duration
	RPCTimeout  time.Duration
	Retries     int           // of an operation at most
	Pause       time.Duration // the first one between tries
	Snappy      bool          // cells are compressed on the wire

	Durability      string
	ClientBuffering bool
	WriteBuffer     int  // bytes
	BulkLoad        bool // the rows are loaded as HFiles
	Bulk            Bulk
	BatchSize       int // 1 is no batching
	BatchDelay      time.Duration
	Scan            Scan
	Security        Security
	Ignored         []string // settings of HBase's own client that have no effect

	Timeline    bool          // replicas of regions may answer reads
	PrimaryGet  time.Duration // that a region has to answer a Get before its replicas are asked
	PrimaryScan time.Duration // that it has to answer a page of a scan

	Client  string // ClientNative or ClientGohbase
	Gohbase Gohbase

	Create    descriptor.Creation
	Splits    Splits
	FileSize  int64 // bytes of files at which a region splits; 0 is the servers' default
	FlushSize int64 // bytes in memory at which a region is flushed; 0 is the servers' default
	Replicas  int   // of each region, with the region itself
	Family    Family
}

// FullTable returns the table's name with its namespace, unless that is HBase's default one.
func (s Settings) FullTable() string {
	if s.Namespace == defaultNamespace {
		return s.Table
	}
	return s.Namespace + ":" + s.Table
}

const defaultNamespace = "default"

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	known := slices.DeleteFunc(keys(), func(k property.Key) bool { return k.Status != "" })
	v, err := property.Read(properties, append(known,
		property.Key{Name: "table", Kind: property.Text, Default: "usertable"}, property.Key{Name: "phase", Kind: property.Text, Default: "run"}))
	if err != nil {
		return Settings{}, err
	}
	namespace, table, err := parseTable(v.Text("table"))
	if err != nil {
		return Settings{}, property.Problems{{Key: "table", Text: err.Error()}}
	}
	return Settings{
		Registry:  registryOf(v),
		Quorum:    addresses(v.Text("hbase.zookeeper.quorum"), v.Text("hbase.zookeeper.property.clientPort")),
		Znode:     v.Text("zookeeper.znode.parent"),
		Namespace: namespace,
		Table:     table,
		User:      v.Text("hadoop.user.name"),

		Connections: v.Int("hbase.connections"),
		Priority:    uint32(v.Int(priorityKey)),
		Timeout:     v.Milliseconds("hbase.client.operation.timeout"),
		RPCTimeout:  v.Milliseconds("hbase.rpc.timeout"),
		Retries:     v.Int(retriesKey),
		Pause:       v.Milliseconds(pauseKey),
		Snappy:      v.Text("hbase.client.rpc.compressor") == "snappy",

		Durability:      v.Text("durability"),
		ClientBuffering: v.Bool("clientbuffering"),
		WriteBuffer:     v.Int("writebuffersize"),
		BulkLoad:        v.Text(methodKey) == methodBulk,
		Bulk:            bulk(v),
		BatchSize:       v.Int("hbase.batch.size"),
		BatchDelay:      v.Duration("hbase.batch.delay"),
		Scan:            scan(v),
		Security:        security(v),
		Ignored:         strings.FieldsFunc(v.Text(ignoredKey), func(r rune) bool { return r == ',' }),

		Timeline:    v.Text(consistencyKey) == timelineReads,
		PrimaryGet:  time.Duration(v.Int64(primaryGetKey)) * time.Microsecond,
		PrimaryScan: time.Duration(v.Int64(primaryScanKey)) * time.Microsecond,

		Client: v.Text(ClientProperty),
		Gohbase: Gohbase{
			QueueSize:     v.Int("gohbase.rpcQueueSize"),
			FlushInterval: v.Duration("gohbase.flushInterval"),
		},

		Create: descriptor.CreationOf(v, "hbase.table.create"),
		Splits: Splits{
			Count:   v.Int("hbase.splits"),
			Formula: SplitFormula(v.Text("hbase.splits.formula")),
			Keys:    splitKeys(v),
		},
		FileSize:  v.Int64("hbase.table.filesize"),
		FlushSize: v.Int64("hbase.table.flushsize"),
		Replicas:  v.Int(replicationKey),
		Family: Family{
			Name:        v.Text("columnfamily"),
			Versions:    v.Int("hbase.family.versions"),
			Compression: v.Text("hbase.family.compression"),
			BlockSize:   v.Int("hbase.family.blocksize"),
			BloomFilter: v.Text("hbase.family.bloomfilter"),
			InMemory:    v.Bool("hbase.family.inmemory"),
			TTL:         time.Duration(v.Int64("hbase.family.ttl")) * time.Second,
			Encoding:    v.Text("hbase.family.encoding"),
		},
	}, nil
}

// recreates reports whether the table and its rows are dropped.
func recreates(v property.Values) bool {
	return descriptor.CreationOf(v, "hbase.table.create") == descriptor.Recreate
}

// splitsOf summarizes in a word how a table that is created is split.
func splitsOf(v property.Values) string {
	if v.Text(SplitKeys) != "" {
		return "file"
	}
	if n := v.Text("hbase.splits"); n != "0" {
		return n
	}
	return ""
}

func scan(v property.Values) Scan {
	value, _ := hex.DecodeString(v.Text("hbase.scanfiltervalue"))
	if len(value) == 0 {
		value = slices.Repeat([]byte{0xff}, 100)
		value[0] = 0x7f
	}
	return Scan{
		Caching:       v.Int("hbase.client.scanner.caching"),
		MaxResultSize: v.Int("hbase.client.scanner.max.result.size"),
		PageFilter:    v.Bool("hbase.usepagefilter"),
		ValueFilter:   v.Bool("hbase.usescanvaluefiltering"),
		Operator:      v.Text("hbase.scanfilteroperator"),
		Value:         value,
	}
}

func splitKeys(v property.Values) [][]byte {
	keys, _ := parseSplits(v.Text(SplitKeys))
	return keys
}

// addresses appends the port to each host that has none.
func addresses(text, port string) []string {
	var servers []string
	for host := range strings.SplitSeq(text, ",") {
		if h, p, err := net.SplitHostPort(host); err == nil {
			servers = append(servers, net.JoinHostPort(h, p))
			continue
		}
		servers = append(servers, net.JoinHostPort(strings.Trim(host, "[]"), port))
	}
	return servers
}

// parseTable parses a table's name: [namespace:]name.
func parseTable(name string) (namespace, table string, err error) {
	namespace, table, found := strings.Cut(name, ":")
	if !found {
		namespace, table = defaultNamespace, name
	}
	for _, r := range table {
		if !letter(r) && r != '-' && r != '.' {
			return "", "", fmt.Errorf("invalid table name %s: want letters, digits, _, - and ., after a namespace and a colon if any", property.Quote(name))
		}
	}
	for _, r := range namespace {
		if !letter(r) {
			return "", "", fmt.Errorf("invalid table name %s: want letters, digits and _ in the namespace before the colon", property.Quote(name))
		}
	}
	switch {
	case table == "" || namespace == "":
		return "", "", fmt.Errorf("invalid table name %s: want table or namespace:table", property.Quote(name))
	case strings.HasPrefix(table, "-") || strings.HasPrefix(table, "."):
		return "", "", fmt.Errorf("invalid table name %s: want a letter, digit or _ at its start", property.Quote(name))
	case namespace == "hbase":
		return "", "", fmt.Errorf("invalid table name %s: want a namespace other than hbase, which has HBase's own tables", property.Quote(name))
	}
	return namespace, table, nil
}

func letter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r > 127
}
