package hbasespec

import (
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/property"
)

// Creation says what set-up does about the table.
type Creation string

// What is done about the table, as hbase.table.create spells it.
const (
	CreateMissing Creation = "missing"  // created where it is not there
	CreateNever   Creation = "never"    // must be there
	Recreate      Creation = "recreate" // dropped, if it is there, and created
)

// SplitFormula says where the split points of a table are that is pre-split by count.
type SplitFormula string

// The formulas, as hbase.splits.formula spells them.
const (
	SplitQuantiles  SplitFormula = "quantiles"   // evenly among the keys that the workload has
	SplitFourDigits SplitFormula = "1000-9999"   // keyprefix, and 1000+i*(9999-1000)/n for i in 1..n
	SplitFiveDigits SplitFormula = "10000-99999" // keyprefix, and 10000+i*(99999-10000)/n for i in 1..n
)

// Splits says at which keys a table that is created is split.
type Splits struct {
	Count   int // by the formula
	Formula SplitFormula
	Keys    [][]byte // named one by one; then Count is 0. In order, each once
}

// Family describes the column family of a table that is created, in HBase's own words.
type Family struct {
	Name        string
	Versions    int
	Compression string
	BlockSize   int
	BloomFilter string
	InMemory    bool
	TTL         time.Duration // 0 is for ever
	Encoding    string
}

// Scan says how scans are done.
type Scan struct {
	Caching       int // rows fetched at a time; 0 is as many as the scan is to return
	MaxResultSize int // bytes fetched at a time
	PageFilter    bool
	ValueFilter   bool
	Operator      string // of the value filter
	Value         []byte // that it compares with
}

// Settings is what target hbase does.
type Settings struct {
	Quorum    []string // host:port of ZooKeeper's servers
	Znode     string   // where HBase is in ZooKeeper
	Namespace string   // of the table; "default" where its name has none
	Table     string   // without its namespace
	User      string   // empty for the one that the agent runs as

	Connections int // to each region server
	Timeout     time.Duration
	RPCTimeout  time.Duration
	Snappy      bool // cells are compressed on the wire

	Durability      string
	ClientBuffering bool
	WriteBuffer     int // bytes
	BatchSize       int // 1 is no batching
	BatchDelay      time.Duration
	Scan            Scan

	Create    Creation
	Splits    Splits
	FileSize  int64 // bytes of files at which a region splits; 0 is as the servers have it
	FlushSize int64 // bytes in memory at which a region is flushed; 0 is as the servers have it
	Family    Family
}

// FullTable is the table's name with its namespace, unless that is HBase's default one.
func (s Settings) FullTable() string {
	if s.Namespace == defaultNamespace {
		return s.Table
	}
	return s.Namespace + ":" + s.Table
}

const defaultNamespace = "default"

// Read returns the settings that resolved properties mean. The error is of type property.Problems.
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
		Quorum:    quorum(v.Text("hbase.zookeeper.quorum"), v.Text("hbase.zookeeper.property.clientPort")),
		Znode:     v.Text("zookeeper.znode.parent"),
		Namespace: namespace,
		Table:     table,
		User:      v.Text("hadoop.user.name"),

		Connections: v.Int("hbase.connections"),
		Timeout:     v.Milliseconds("hbase.client.operation.timeout"),
		RPCTimeout:  v.Milliseconds("hbase.rpc.timeout"),
		Snappy:      v.Text("hbase.client.rpc.compressor") == "snappy",

		Durability:      v.Text("durability"),
		ClientBuffering: v.Bool("clientbuffering"),
		WriteBuffer:     v.Int("writebuffersize"),
		BatchSize:       v.Int("hbase.batch.size"),
		BatchDelay:      v.Duration("hbase.batch.delay"),
		Scan:            scan(v),

		Create: creation(v),
		Splits: Splits{
			Count:   v.Int("hbase.splits"),
			Formula: SplitFormula(v.Text("hbase.splits.formula")),
			Keys:    splitKeys(v),
		},
		FileSize:  v.Int64("hbase.table.filesize"),
		FlushSize: v.Int64("hbase.table.flushsize"),
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

// recreates reports whether the table is dropped, and its rows with it.
func recreates(v property.Values) bool { return Creation(v.Text("hbase.table.create")) == Recreate }

// splitsOf says in a word how a table that is created is split.
func splitsOf(v property.Values) string {
	if v.Text(SplitKeys) != "" {
		return "file"
	}
	if n := v.Text("hbase.splits"); n != "0" {
		return n
	}
	return ""
}

// creation is missing in a load where nothing is said.
func creation(v property.Values) Creation {
	switch said := v.Text("hbase.table.create"); {
	case said != "":
		return Creation(said)
	case v.Text("phase") == "run":
		return CreateNever
	}
	return CreateMissing
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

// quorum puts the port to each host that has none.
func quorum(text, port string) []string {
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

// parseTable reads a table's name as HBase has them: [namespace:]name.
func parseTable(name string) (namespace, table string, err error) {
	namespace, table, found := strings.Cut(name, ":")
	if !found {
		namespace, table = defaultNamespace, name
	}
	for _, r := range table {
		if !letter(r) && r != '-' && r != '.' {
			return "", "", errors.New(property.Quote(name) + " is no name of a table in HBase: it may have letters, digits, _, - and . in it, and a namespace with a colon before it")
		}
	}
	for _, r := range namespace {
		if !letter(r) {
			return "", "", errors.New(property.Quote(name) + " has no name of a namespace in HBase before its colon: that may have letters, digits and _ in it")
		}
	}
	switch {
	case table == "" || namespace == "":
		return "", "", errors.New(property.Quote(name) + " is no name of a table in HBase; write table or namespace:table")
	case strings.HasPrefix(table, "-") || strings.HasPrefix(table, "."):
		return "", "", errors.New(property.Quote(name) + " is no name of a table in HBase: it may not begin with - or .")
	case namespace == "hbase":
		return "", "", errors.New(property.Quote(name) + " is one of HBase's own tables; benchd leaves those alone")
	}
	return namespace, table, nil
}

func letter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r > 127
}
