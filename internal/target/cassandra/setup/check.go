package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/workload"
)

// Check fails if the table does not exist or does not fit the workload, or if a consistency level cannot be reached.
func Check(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings, w workload.Config) error {
	if s.Datacenter != "" && !slices.ContainsFunc(c.Nodes(), func(n cluster.Node) bool { return n.Datacenter == s.Datacenter }) {
		return fmt.Errorf("the cluster has no datacenter %q: correct cassandra.datacenter", s.Datacenter)
	}
	if _, err := c.Keyspace(ctx, s.Keyspace); err != nil {
		return err
	}
	found, err := c.Table(ctx, s.Keyspace, s.Table)
	if err != nil {
		return err
	}
	if err := columns(found, Fields(w)); err != nil {
		return err
	}
	for _, level := range []string{s.ReadLevel, s.WriteLevel} {
		if err := reach(ctx, c, s, level); err != nil {
			return err
		}
	}
	return nil
}

// columns compares the columns of a table with YCSB's schema.
func columns(t cluster.Table, fields []string) error {
	name := t.Keyspace + "." + t.Name
	types := make(map[string]string)
	var others []string
	for _, c := range t.Columns {
		types[c.Name] = c.Type
		if c.Kind != "regular" && (c.Name != cassandraspec.Key || c.Kind != "partition_key") {
			return fmt.Errorf("table %s has %s as %s: the only key of YCSB's schema is %s; set table to another name, or create it again with cassandra.table.create=recreate",
				name, c.Name, strings.ReplaceAll(c.Kind, "_", " "), cassandraspec.Key)
		}
		if c.Name != cassandraspec.Key {
			others = append(others, c.Name)
		}
	}
	if types[cassandraspec.Key] == "" {
		return fmt.Errorf("table %s has no column %s, the key of YCSB's schema; set table to another name, or create it again with cassandra.table.create=recreate", name, cassandraspec.Key)
	}
	slices.Sort(others)
	for _, f := range append([]string{cassandraspec.Key}, fields...) {
		switch types[f] {
		case "text", "blob", "ascii":
		case "":
			return fmt.Errorf("table %s has no column %s (it has %s): correct fieldcount and fieldnameprefix, or create it again with cassandra.table.create=recreate", name, f, strings.Join(others, ", "))
		default:
			return fmt.Errorf("table %s has column %s of type %s: YCSB's schema has varchar; set table to another name, or create it again with cassandra.table.create=recreate", name, f, types[f])
		}
	}
	return nil
}

// probes are keys whose reads show whether a consistency level can be reached; they are in different parts of the ring.
func probes() []string {
	return []string{"benchd", "benchd1", "benchd2", "benchd3", "benchd4", "benchd5"}
}

// reach reads at a consistency level, and fails if too few replicas are alive. It writes nothing: a level of writes needs the same
// replicas as the read, and those that reads do not have need fewer.
func reach(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings, level string) error {
	read := level
	switch level {
	case "ANY":
		return nil
	case "EACH_QUORUM":
		read = "LOCAL_QUORUM"
	}
	parsed, err := gocql.ParseConsistencyWrapper(read)
	if err != nil {
		return fmt.Errorf("consistency level %s: %w", level, err)
	}
	stmt := fmt.Sprintf("SELECT %s FROM %s WHERE %s = ?", cluster.Quote(cassandraspec.Key), cluster.QuoteTable(s.Keyspace, s.Table), cluster.Quote(cassandraspec.Key))
	for _, key := range probes() {
		err := c.Session.Query(stmt, key).SetKeyspace(s.Keyspace).Consistency(parsed).IterContext(ctx).Close()
		if unavailable, ok := errors.AsType[*gocql.RequestErrUnavailable](err); ok {
			return fmt.Errorf("consistency level %s of table %s needs %d live replicas, and there are %d: start more nodes, lower cassandra.readconsistencylevel and cassandra.writeconsistencylevel, or the keyspace's replication",
				level, s.FullTable(), unavailable.Required, unavailable.Alive)
		}
		if err != nil {
			return fmt.Errorf("read table %s at consistency level %s: %w", s.FullTable(), level, err)
		}
	}
	return nil
}
