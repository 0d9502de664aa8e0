package master

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// forever is HBase's TTL, in seconds, of cells that never expire.
const forever = 1<<31 - 1

// maxReplicas bounds the replicas of a region.
const maxReplicas = 100

// tableOf makes a table from its schema.
func tableOf(schema *hbasepb.TableSchema) (store.Table, error) {
	t := store.Table{Name: tableName(schema.GetTableName())}
	for _, a := range schema.GetAttributes() {
		switch string(a.GetFirst()) {
		case "READONLY":
			t.ReadOnly = strings.EqualFold(string(a.GetSecond()), "true")
		case "REGION_REPLICATION":
			n, err := strconv.Atoi(string(a.GetSecond()))
			if err != nil || n < 1 || n > maxReplicas {
				return t, rpc.Finalf("java.lang.IllegalArgumentException", "REGION_REPLICATION is %q: want 1 to %d", a.GetSecond(), maxReplicas)
			}
			t.Replicas = n
		}
	}
	if err := legal(t.Name); err != nil {
		return t, err
	}
	for _, family := range schema.GetColumnFamilies() {
		f, err := familyOf(family)
		if err != nil {
			return t, err
		}
		t.Families = append(t.Families, f)
	}
	var err error
	if t.Descriptor, err = proto.Marshal(schema); err != nil {
		return t, fmt.Errorf("encode schema of %s: %w", t.Name, err)
	}
	return t, nil
}

func familyOf(schema *hbasepb.ColumnFamilySchema) (store.Family, error) {
	f := store.Family{Name: string(schema.GetName()), MaxVersions: 1}
	for _, a := range schema.GetAttributes() {
		key, value := string(a.GetFirst()), string(a.GetSecond())
		var err error
		switch key {
		case "VERSIONS":
			f.MaxVersions, err = strconv.Atoi(value)
		case "MIN_VERSIONS":
			f.MinVersions, err = strconv.Atoi(value)
		case "TTL":
			f.TTL, err = ttlOf(value)
		}
		if err != nil {
			return f, rpc.Finalf("java.lang.IllegalArgumentException", "column family %s: %s is %q: %v", f.Name, key, value, err)
		}
	}
	if f.MaxVersions < 1 {
		return f, rpc.Finalf("java.lang.IllegalArgumentException", "column family %s: VERSIONS is %d; it must be positive", f.Name, f.MaxVersions)
	}
	return f, nil
}

func ttlOf(value string) (time.Duration, error) {
	if strings.EqualFold(value, "FOREVER") {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(strings.ToLower(value), " seconds"), 10, 64)
	if err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, strconv.ErrRange
	}
	if n >= forever {
		return 0, nil
	}
	return time.Duration(n) * time.Second, nil
}

// legal refuses names that clients also refuse.
func legal(n store.Name) error {
	bad := func(s, more string) bool {
		for _, r := range s {
			if ('a' > r || r > 'z') && ('A' > r || r > 'Z') && ('0' > r || r > '9') && r != '_' && !strings.ContainsRune(more, r) {
				return true
			}
		}
		return s == ""
	}
	if bad(n.Namespace, "") || bad(n.Qualifier, "-.") || strings.HasPrefix(n.Qualifier, "-") || strings.HasPrefix(n.Qualifier, ".") {
		return rpc.Finalf("java.lang.IllegalArgumentException", "illegal table name %q: letters, digits, _, - and . are allowed", n)
	}
	return nil
}

func tableName(n *hbasepb.TableName) store.Name {
	name := store.Name{Namespace: string(n.GetNamespace()), Qualifier: string(n.GetQualifier())}
	if name.Namespace == "" {
		name.Namespace = store.DefaultNamespace
	}
	return name
}

// nameOf parses a name with or without its namespace.
func nameOf(s string) store.Name {
	if namespace, qualifier, ok := strings.Cut(s, ":"); ok {
		return store.Name{Namespace: namespace, Qualifier: qualifier}
	}
	return store.Name{Namespace: store.DefaultNamespace, Qualifier: s}
}

// schemaOf returns a table's schema as it was given.
func schemaOf(t *store.Table) (*hbasepb.TableSchema, error) {
	schema := &hbasepb.TableSchema{}
	if err := proto.Unmarshal(t.Descriptor, schema); err != nil {
		return nil, fmt.Errorf("decode schema of %s: %w", t.Name, err)
	}
	schema.TableName = meta.TableName(t.Name)
	return schema, nil
}

// metaSchema returns the schema of hbase:meta.
func metaSchema() *hbasepb.TableSchema {
	family := func(name string) *hbasepb.ColumnFamilySchema {
		return &hbasepb.ColumnFamilySchema{Name: []byte(name), Attributes: []*hbasepb.BytesBytesPair{
			{First: []byte("VERSIONS"), Second: []byte("1")}, {First: []byte("IN_MEMORY"), Second: []byte("true")},
		}}
	}
	return &hbasepb.TableSchema{
		TableName:      meta.TableName(metaName()),
		Attributes:     []*hbasepb.BytesBytesPair{{First: []byte("IS_META"), Second: []byte("true")}},
		ColumnFamilies: []*hbasepb.ColumnFamilySchema{family("info"), family("table")},
	}
}

func metaName() store.Name { return store.Name{Namespace: store.SystemNamespace, Qualifier: "meta"} }
