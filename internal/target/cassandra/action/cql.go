package action

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
)

// countPage is how many keys are read at a time.
const countPage = 5000

func (a *actor) count(ctx context.Context, args map[string]string) (load.Answer, error) {
	keyspace, table, err := a.table(args)
	if err != nil {
		return load.Answer{}, err
	}
	found, err := a.cluster.Table(ctx, keyspace, table)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the table
	}
	var keys []string
	for _, c := range found.Columns {
		if c.Kind == "partition_key" || c.Kind == "clustering" {
			keys = append(keys, cluster.Quote(c.Name))
		}
	}
	iter := a.cluster.Query("SELECT " + strings.Join(keys, ", ") + " FROM " + cluster.QuoteTable(keyspace, table)).PageSize(countPage).
		Consistency(gocql.ParseConsistency(a.settings.ReadLevel)).IterContext(ctx)
	n, nothing := 0, make([]any, len(keys))
	for iter.Scan(nothing...) {
		n++
	}
	if err := iter.Close(); err != nil {
		return load.Answer{}, fmt.Errorf("count table %s.%s: %w", keyspace, table, err)
	}
	return load.Answer{Columns: []string{"table", "rows"}, Rows: [][]any{{keyspace + "." + table, n}}}, nil
}

func (a *actor) tables(ctx context.Context, _ map[string]string) (load.Answer, error) {
	all, err := a.cluster.Tables(ctx, "")
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it needs no context
	}
	spaces, err := a.cluster.Keyspaces(ctx)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it needs no context
	}
	replication := make(map[string]string)
	for _, k := range spaces {
		replication[k.Name] = k.Text()
	}
	answer := load.Answer{Columns: []string{"table", "replication", "created_by"}}
	for _, t := range all {
		if !cassandraspec.System(t.Keyspace) {
			answer.Rows = append(answer.Rows, []any{t.Keyspace + "." + t.Name, replication[t.Keyspace], t.Mark()})
		}
	}
	return answer, nil
}

func (a *actor) describe(ctx context.Context, args map[string]string) (load.Answer, error) {
	keyspace, table, err := a.table(args)
	if err != nil {
		return load.Answer{}, err
	}
	t, err := a.cluster.Table(ctx, keyspace, table)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the table
	}
	space, err := a.cluster.Keyspace(ctx, keyspace)
	if err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the keyspace
	}
	answer := answerf("table %s.%s, keyspace with replication %s, durable_writes %t", keyspace, table, space.Text(), space.Durable)
	for _, c := range t.Columns {
		answer.Text = append(answer.Text, fmt.Sprintf("column %s %s, %s", c.Name, c.Type, strings.ReplaceAll(c.Kind, "_", " ")))
	}
	for name, option := range map[string]string{
		"comment": t.Comment, "compaction": textOf(t.Compaction), "compression": textOf(t.Compression), "speculative_retry": t.Speculative,
	} {
		answer.Text = append(answer.Text, name+" "+option)
	}
	slices.Sort(answer.Text[1+len(t.Columns):])
	return answer, nil
}

func textOf(options map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		all = append(all, name+"="+options[name])
	}
	return strings.Join(all, " ")
}

// ours fails when a table was not created by benchd, unless the action is forced.
func (a *actor) ours(ctx context.Context, args map[string]string) (keyspace, table string, err error) {
	if keyspace, table, err = a.table(args); err != nil {
		return "", "", err
	}
	if cassandraspec.System(keyspace) {
		return "", "", load.Mark(load.ErrAction, fmt.Errorf("table %s.%s is Cassandra's own", keyspace, table))
	}
	found, err := a.cluster.Table(ctx, keyspace, table)
	if err != nil {
		return "", "", err //nolint:wrapcheck // it names the table
	}
	if found.Mark() == "" && args["force"] != "true" {
		return "", "", fmt.Errorf("table %s.%s was not created by benchd: add --force if its rows are no longer needed", keyspace, table)
	}
	return keyspace, table, nil
}

func (a *actor) drop(ctx context.Context, args map[string]string) (load.Answer, error) {
	keyspace, table, err := a.ours(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	if err := a.cluster.Query("DROP TABLE " + cluster.QuoteTable(keyspace, table)).ExecContext(ctx); err != nil {
		return load.Answer{}, fmt.Errorf("drop table %s.%s: %w", keyspace, table, err)
	}
	return answerf("table %s.%s is dropped", keyspace, table), nil
}

func (a *actor) truncate(ctx context.Context, args map[string]string) (load.Answer, error) {
	keyspace, table, err := a.ours(ctx, args)
	if err != nil {
		return load.Answer{}, err
	}
	if err := a.cluster.Query("TRUNCATE " + cluster.QuoteTable(keyspace, table)).ExecContext(ctx); err != nil {
		return load.Answer{}, fmt.Errorf("truncate table %s.%s: %w", keyspace, table, err)
	}
	return answerf("table %s.%s is empty", keyspace, table), nil
}

func (a *actor) servers(context.Context, map[string]string) (load.Answer, error) {
	answer := load.Answer{Columns: []string{"node", "up", "datacenter", "rack", "version"}}
	for _, n := range a.cluster.Nodes() {
		answer.Rows = append(answer.Rows, []any{n.Address, n.Up, n.Datacenter, n.Rack, n.Version})
	}
	return answer, nil
}

const (
	// quietEvery is the time between two checks, and quietChecks how many in a row must find nothing.
	quietEvery  = time.Second
	quietChecks = 3
)

func (a *actor) quiet(ctx context.Context, _ map[string]string) (load.Answer, error) {
	begin := time.Now()
	tick := time.NewTicker(quietEvery)
	defer tick.Stop()
	logged := ""
	for calm := 0; ; {
		left, err := a.cluster.Busy(ctx)
		switch {
		case err != nil:
			return load.Answer{}, err //nolint:wrapcheck // it needs no context
		case left == "":
			calm++
		default:
			calm = 0
		}
		if calm == quietChecks {
			return answerf("quiet after %s", time.Since(begin).Round(100*time.Millisecond)), nil
		}
		if left != "" && left != logged {
			logged = left
			a.log.Info("waiting for quiet", "left", left)
		}
		select {
		case <-ctx.Done():
			return load.Answer{}, fmt.Errorf("wait for quiet: %w; left: %s", context.Cause(ctx), left)
		case <-tick.C:
		}
	}
}
