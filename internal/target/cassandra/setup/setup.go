// Package setup creates the keyspace and the tables of a run, or checks existing ones:
//
//  1. Prepare creates what does not exist, if the settings allow it. Tables have a comment with the run that created them.
//  2. Check compares the columns of the table with the fields of the workload, and reads at the consistency levels of the settings, so
//     that a level that the cluster cannot reach is reported before anything is measured.
package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/workload"
)

// Prepare creates or checks keyspace and tables for a run.
func Prepare(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings, w workload.Config, run string, log *slog.Logger) error {
	if err := keyspace(ctx, c, s, log); err != nil {
		return err
	}
	if s.Create == descriptor.Recreate {
		log.Info("dropping the table, because cassandra.table.create=recreate", "table", s.FullTable())
		for _, table := range []string{s.Table, s.Counters()} {
			if err := exec(ctx, c, "DROP TABLE IF EXISTS "+cluster.QuoteTable(s.Keyspace, table)); err != nil {
				return fmt.Errorf("drop table %s.%s: %w", s.Keyspace, table, err)
			}
		}
	}
	if err := table(ctx, c, s, s.Table, Fields(w), "varchar", run, log); err != nil {
		return err
	}
	if w.Proportions.Increment > 0 {
		return table(ctx, c, s, s.Counters(), []string{workload.CounterField}, "counter", run, log)
	}
	return nil
}

// Fields returns the names of the workload's fields as columns.
func Fields(w workload.Config) []string {
	var names []string
	for i := range w.FieldCount {
		names = append(names, strings.ToLower(w.FieldNamePrefix+strconv.Itoa(i)))
	}
	return names
}

func exec(ctx context.Context, c *cluster.Cluster, stmt string) error {
	return c.Session.Query(stmt).Consistency(gocql.All).ExecContext(ctx)
}

func keyspace(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings, log *slog.Logger) error {
	found, err := c.Keyspace(ctx, s.Keyspace)
	switch {
	case err == nil:
		if s.Create != descriptor.CreateNever && s.Copies.Everywhere != 1 && found.Text() != textOf(s.Copies) {
			log.Warn("the keyspace already exists: its replication is not changed", "keyspace", s.Keyspace, "replication", found.Text(), "wanted", textOf(s.Copies))
		}
		return nil
	case !errors.Is(err, cluster.ErrNoKeyspace):
		return err
	case s.Create == descriptor.CreateNever:
		return missing(ctx, c, s)
	}
	if err := datacenters(c, s.Copies); err != nil {
		return err
	}
	log.Info("creating the keyspace", "keyspace", s.Keyspace, "replication", textOf(s.Copies))
	stmt := fmt.Sprintf("CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s AND durable_writes = %t", cluster.Quote(s.Keyspace), s.Copies.CQL(), s.DurableWrites)
	if err := exec(ctx, c, stmt); err != nil {
		return fmt.Errorf("create keyspace %s: %w", s.Keyspace, err)
	}
	return nil
}

func textOf(copies cassandraspec.Copies) string {
	if copies.Datacenter == nil {
		return "SimpleStrategy " + strconv.Itoa(copies.Everywhere)
	}
	var all []string
	for _, name := range copies.Datacenters() {
		all = append(all, name+":"+strconv.Itoa(copies.Datacenter[name]))
	}
	return "NetworkTopologyStrategy " + strings.Join(all, ",")
}

// datacenters checks that the cluster has the datacenters of a replication: Cassandra accepts any, and then no write succeeds.
func datacenters(c *cluster.Cluster, copies cassandraspec.Copies) error {
	var known []string
	for _, n := range c.Nodes() {
		if !slices.Contains(known, n.Datacenter) {
			known = append(known, n.Datacenter)
		}
	}
	for _, name := range copies.Datacenters() {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the cluster has no datacenter %q: correct cassandra.replication (it has %s)", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// missing reports a keyspace that does not exist.
func missing(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings) error {
	all, err := c.Keyspaces(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, k := range all {
		if !cassandraspec.System(k.Name) {
			names = append(names, k.Name)
		}
	}
	others := "the cluster has none of users"
	if len(names) > 0 {
		others = "the cluster has " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%w: %s (%s): correct cassandra.keyspace, load it first (--phase load, or load,run), or create it empty with cassandra.table.create=missing",
		cluster.ErrNoKeyspace, s.Keyspace, others)
}

// table creates a table that does not exist.
func table(ctx context.Context, c *cluster.Cluster, s cassandraspec.Settings, name string, fields []string, kind, run string, log *slog.Logger) error {
	_, err := c.Table(ctx, s.Keyspace, name)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, cluster.ErrNoTable):
		return err
	case s.Create == descriptor.CreateNever:
		return fmt.Errorf("%w: %s.%s: load it first (--phase load, or load,run), or create it empty with cassandra.table.create=missing", cluster.ErrNoTable, s.Keyspace, name)
	}
	log.Info("creating the table", "table", s.Keyspace+"."+name)
	if err := exec(ctx, c, Statement(s, name, fields, kind, run)); err != nil {
		return fmt.Errorf("create table %s.%s: %w", s.Keyspace, name, err)
	}
	return nil
}

// Statement returns the CREATE TABLE of a table. It is YCSB's, with a comment that names the creator, and the options of the settings.
func Statement(s cassandraspec.Settings, name string, fields []string, kind, by string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s (%s varchar PRIMARY KEY", cluster.QuoteTable(s.Keyspace, name), cluster.Quote(cassandraspec.Key))
	for _, f := range fields {
		fmt.Fprintf(&b, ", %s %s", cluster.Quote(f), kind)
	}
	fmt.Fprintf(&b, ") WITH comment = %s", cluster.QuoteText(cluster.MarkPrefix+by))
	if s.Compaction != "" {
		fmt.Fprintf(&b, " AND compaction = {'class': %s}", cluster.QuoteText(s.Compaction))
	}
	switch s.Compression {
	case "":
	case "none":
		b.WriteString(" AND compression = {'enabled': 'false'}")
	default:
		fmt.Fprintf(&b, " AND compression = {'class': %s}", cluster.QuoteText(s.Compression))
	}
	if s.SpeculativeRetry != "" {
		fmt.Fprintf(&b, " AND speculative_retry = %s", cluster.QuoteText(s.SpeculativeRetry))
	}
	return b.String()
}
