package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// Kinds of errors that callers decide on.
var (
	// ErrNoKeyspace means that the keyspace does not exist.
	ErrNoKeyspace = errors.New("keyspace does not exist")
	// ErrNoTable means that the table does not exist.
	ErrNoTable = errors.New("table does not exist")
)

// MarkPrefix begins the comment of a table that benchd has created; the id of the run follows.
const MarkPrefix = "created by benchd: "

// Keyspace is a keyspace.
type Keyspace struct {
	Name        string
	Replication map[string]string
	Durable     bool
}

// Text returns the replication in a short form: SimpleStrategy 3, or NetworkTopologyStrategy dc1:3.
func (k Keyspace) Text() string {
	class := k.Replication["class"]
	class = class[strings.LastIndexByte(class, '.')+1:]
	var copies []string
	for _, name := range slices.Sorted(maps.Keys(k.Replication)) {
		switch name {
		case "class":
		case "replication_factor":
			copies = append(copies, k.Replication[name])
		default:
			copies = append(copies, name+":"+k.Replication[name])
		}
	}
	return strings.TrimSpace(class + " " + strings.Join(copies, ","))
}

// Copies returns the number of copies of each row over all datacenters; 0 if it is unknown.
func (k Keyspace) Copies() int {
	all := 0
	for name, text := range k.Replication {
		if name == "class" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0
		}
		all += n
	}
	return all
}

// Table is a table of a keyspace.
type Table struct {
	Keyspace, Name string
	Columns        []Column
	Comment        string
	Compaction     map[string]string
	Compression    map[string]string
	Speculative    string // speculative_retry
}

// Column is a column of a table.
type Column struct {
	Name, Type, Kind string // the kind is partition_key, clustering, regular or static
}

// Mark returns the run that created the table, or "".
func (t Table) Mark() string {
	run, _ := strings.CutPrefix(t.Comment, MarkPrefix)
	if run == t.Comment {
		return ""
	}
	return run
}

// Query returns a query for administration, which is read at consistency ONE.
func (c *Cluster) Query(stmt string, values ...any) *gocql.Query {
	return c.Session.Query(stmt, values...).Consistency(gocql.One)
}

// Keyspaces lists the keyspaces in order.
func (c *Cluster) Keyspaces(ctx context.Context) ([]Keyspace, error) {
	iter := c.Query("SELECT keyspace_name, replication, durable_writes FROM system_schema.keyspaces").IterContext(ctx)
	var all []Keyspace
	var k Keyspace
	for iter.Scan(&k.Name, &k.Replication, &k.Durable) {
		all = append(all, k)
		k = Keyspace{}
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("list keyspaces: %w", err)
	}
	slices.SortFunc(all, func(a, b Keyspace) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Keyspace returns a keyspace.
func (c *Cluster) Keyspace(ctx context.Context, name string) (Keyspace, error) {
	all, err := c.Keyspaces(ctx)
	if err != nil {
		return Keyspace{}, err
	}
	i := slices.IndexFunc(all, func(k Keyspace) bool { return k.Name == name })
	if i < 0 {
		return Keyspace{}, fmt.Errorf("keyspace %s: %w", name, ErrNoKeyspace)
	}
	return all[i], nil
}

// Tables lists the tables of a keyspace, or of all of them if its name is empty. It reads no columns.
func (c *Cluster) Tables(ctx context.Context, keyspace string) ([]Table, error) {
	const read = "SELECT keyspace_name, table_name, comment, compaction, compression, speculative_retry FROM system_schema.tables"
	q := c.Query(read)
	if keyspace != "" {
		q = c.Query(read+" WHERE keyspace_name = ?", keyspace)
	}
	iter := q.IterContext(ctx)
	var all []Table
	var t Table
	for iter.Scan(&t.Keyspace, &t.Name, &t.Comment, &t.Compaction, &t.Compression, &t.Speculative) {
		all = append(all, t)
		t = Table{}
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return all, nil
}

// Table returns a table with its columns.
func (c *Cluster) Table(ctx context.Context, keyspace, name string) (Table, error) {
	all, err := c.Tables(ctx, keyspace)
	if err != nil {
		return Table{}, err
	}
	i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, fmt.Errorf("table %s.%s: %w", keyspace, name, ErrNoTable)
	}
	t := all[i]
	iter := c.Query("SELECT column_name, type, kind FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?", keyspace, name).IterContext(ctx)
	var col Column
	for iter.Scan(&col.Name, &col.Type, &col.Kind) {
		t.Columns = append(t.Columns, col)
	}
	if err := iter.Close(); err != nil {
		return Table{}, fmt.Errorf("list the columns of table %s.%s: %w", keyspace, name, err)
	}
	return t, nil
}

// Node is a node of the cluster.
type Node struct {
	Address, Datacenter, Rack, Version, ID string
	Up                                     bool
}

// Nodes lists the nodes that the driver knows, by address.
func (c *Cluster) Nodes() []Node {
	var all []Node
	for _, h := range c.Session.GetHosts() {
		all = append(all, Node{
			Address: h.ConnectAddressAndPort(), Datacenter: h.DataCenter(), Rack: h.Rack(), Version: h.Version().String(), ID: h.HostID(), Up: h.IsUp(),
		})
	}
	slices.SortFunc(all, func(a, b Node) int { return strings.Compare(a.Address, b.Address) })
	return all
}

// Identity is what a node reports about itself and the cluster.
type Identity struct{ Cluster, Version, Partitioner, Datacenter string }

// Identity asks a node.
func (c *Cluster) Identity(ctx context.Context) (Identity, error) {
	var i Identity
	err := c.Query("SELECT cluster_name, release_version, partitioner, data_center FROM system.local").ScanContext(ctx, &i.Cluster, &i.Version, &i.Partitioner, &i.Datacenter)
	if err != nil {
		return Identity{}, fmt.Errorf("read system.local: %w", err)
	}
	i.Partitioner = i.Partitioner[strings.LastIndexByte(i.Partitioner, '.')+1:]
	return i, nil
}

// Settings reads settings of a node's configuration, which Cassandra has in a virtual table since version 4. Names that the node does
// not have are left out.
func (c *Cluster) Settings(ctx context.Context) (map[string]string, error) {
	iter := c.Query("SELECT name, value FROM system_views.settings").IterContext(ctx)
	all := make(map[string]string)
	var name, value string
	for iter.Scan(&name, &value) {
		all[name] = value
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("read system_views.settings: %w", err)
	}
	return all, nil
}

// Quote quotes a name for CQL.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteTable quotes a table's name with its keyspace.
func QuoteTable(keyspace, table string) string { return Quote(keyspace) + "." + Quote(table) }

// QuoteText quotes a text for CQL.
func QuoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
