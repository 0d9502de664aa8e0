//go:build databases

package cassandra_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/cassandra/action"
	"github.com/benchd/benchd/internal/target/cassandra/watch"
	"github.com/benchd/benchd/internal/workload"
)

// act executes an action on a server of the tests.
func act(t *testing.T, properties map[string]string, name string, args ...string) (load.Answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := action.Open(ctx, load.Settings{Properties: properties, Secrets: secrets()})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	what := load.Action{Name: name, Args: make(map[string]string)}
	for i := 0; i < len(args); i += 2 {
		what.Args[args[i]] = args[i+1]
	}
	return a.Act(ctx, what)
}

func insertRows(t *testing.T, session load.Session, n int) {
	t.Helper()
	for i := range n {
		out := session.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("user" + strconv.Itoa(i)), Fields: bytesOf("field0"), Values: bytesOf("v")})
		require.NoError(t, out.Err)
	}
}

func TestActions(t *testing.T) {
	_, session := open(t, settings(shared, workloadOf(1), "table", "acted"))
	insertRows(t, session, 50)
	p := shared.Properties()
	p["table"] = "acted"

	answer, err := act(t, p, "count")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"ycsb.acted", 50}}, answer.Rows)
	answer, err = act(t, p, "servers")
	require.NoError(t, err)
	require.Len(t, answer.Rows, 1)
	require.Equal(t, true, answer.Rows[0][1])
	answer, err = act(t, p, "tables")
	require.NoError(t, err)
	require.Contains(t, answer.Rows, []any{"ycsb.acted", "SimpleStrategy 1", "S.1"})
	answer, err = act(t, p, "describe")
	require.NoError(t, err)
	require.Contains(t, answer.Text, "column y_id text, partition key")

	for name, want := range map[string]string{
		"flush": "flushed table ycsb.acted on 1 node", "compact": "compacted table ycsb.acted on 1 node", "major_compact": "compacted table ycsb.acted on 1 node",
		"repair_off": "no repair is under way on 1 node",
	} {
		answer, err = act(t, p, name)
		require.NoError(t, err, name)
		require.Equal(t, []string{want}, answer.Text, name)
	}
	for _, state := range []string{"off", "on"} {
		answer, err = act(t, p, "autocompaction", "state", state)
		require.NoError(t, err)
		require.Equal(t, []string{"autocompaction of table ycsb.acted is " + state + " on 1 node"}, answer.Text)
	}
	_, err = act(t, p, "wait_for_quiet")
	require.NoError(t, err)

	_, err = act(t, p, "truncate")
	require.NoError(t, err, "benchd created it")
	n, err := shared.Count(t.Context(), "ycsb.acted")
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = act(t, p, "drop")
	require.NoError(t, err)
	_, err = act(t, p, "count")
	require.ErrorContains(t, err, "table ycsb.acted: table does not exist")
	_, err = act(t, p, "flush")
	require.ErrorContains(t, err, "table ycsb.acted: table does not exist")
}

func TestActionsThatAreRefused(t *testing.T) {
	_, err := shared.CQL(t.Context(), "CREATE KEYSPACE IF NOT EXISTS mine WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; CREATE TABLE IF NOT EXISTS mine.t (id int PRIMARY KEY)")
	require.NoError(t, err)
	p := shared.Properties()
	_, err = act(t, p, "drop", "table", "mine.t")
	require.ErrorContains(t, err, "table mine.t was not created by benchd: add --force")
	_, err = act(t, p, "truncate", "table", "system.local", "force", "true")
	require.ErrorContains(t, err, "Cassandra's own")
	_, err = act(t, p, "drain", "node", "10.0.0.1:9042")
	require.ErrorContains(t, err, "no node 10.0.0.1:9042: want one of 127.0.0.1:")
	_, err = act(t, p, "drop", "table", "mine.t", "force", "true")
	require.NoError(t, err)

	delete(p, "cassandra.jolokia.port")
	_, err = act(t, p, "flush")
	require.ErrorIs(t, err, load.ErrAction)
	require.ErrorContains(t, err, "set cassandra.jolokia.port")
	p["cassandra.jolokia.port"] = p["port"] // not Jolokia
	_, err = act(t, p, "repair_off")
	require.ErrorContains(t, err, "is cassandra.jolokia.port right?")
}

// Two reads give the rates of what happened between them.
func TestTelemetry(t *testing.T) {
	_, session := open(t, settings(shared, workloadOf(1), "table", "watched"))
	p := shared.Properties()
	p["table"] = "watched"
	source, err := watch.Open(p, observe.Access{Secrets: secrets()})
	require.NoError(t, err)
	defer source.Close()
	rates := observe.NewRates()
	var samples []observe.Sample
	read := func() {
		samples = samples[:0]
		look := source.Look(t.Context())
		require.Empty(t, look.Warnings)
		for i := range look.Groups {
			samples = rates.Take(samples, &look.Groups[i])
		}
	}
	read()
	insertRows(t, session, 200)
	read()
	values := make(map[string]float64)
	for _, s := range samples {
		values[s.Name] = s.Value
	}
	for _, name := range []string{
		"cassandra.node.requests", "cassandra.node.writes", "cassandra.node.table_writes", "cassandra.node.clients", "cassandra.node.heap_used", "cassandra.node.heap_max",
		"cassandra.nodes", "cassandra.nodes_up",
	} {
		require.Positive(t, values[name], name)
	}
	for _, name := range []string{"cassandra.node.compactions_waiting", "cassandra.node.requests_waiting", "cassandra.node.gc_time", "cassandra.node.table_size", "cassandra.node.flushes"} {
		require.Contains(t, values, name)
	}
}
