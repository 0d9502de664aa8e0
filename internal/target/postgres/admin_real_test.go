//go:build databases

package postgres_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/testcluster"
)

// administer executes an action, and returns its answer and its error.
func (p process) administer(t *testing.T, words ...string) (answer load.Answer, stderr string) {
	t.Helper()
	args := append([]string{"admin", "postgres"}, words...)
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", append(args, "--local", "-o", "json", "-p", "postgres.host="+p.Address())...)
	if code != 0 {
		require.NotEmpty(t, stderr)
		return load.Answer{}, stderr
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &answer), stdout)
	return answer, ""
}

func TestActions(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.Options{})
	tried := make(map[string]bool)
	do := func(words ...string) load.Answer {
		t.Helper()
		answer, stderr := s.administer(t, words...)
		require.Empty(t, stderr, words)
		tried[words[0]] = true
		return answer
	}
	require.Contains(t, do("create", "-p", "fieldcount=2", "-p", "postgres.table.fillfactor=80").Text[0], "table usertable is created, in the form columns")
	sql := func(statement string) string {
		t.Helper()
		out, err := s.SQL(statement)
		require.NoError(t, err)
		return out
	}
	require.Equal(t, "fillfactor=80", sql("SELECT array_to_string(reloptions, ',') FROM pg_class WHERE relname = 'usertable'"))
	sql("INSERT INTO usertable SELECT 'user' || i, 'a', 'b' FROM generate_series(1, 1000) i")
	require.Equal(t, [][]any{{"usertable", 1000.0}}, do("count").Rows)
	require.Equal(t, [][]any{
		{"ycsb_key", "character varying(255)", "C", false}, {"field0", "text", "C.UTF-8", true}, {"field1", "text", "C.UTF-8", true},
	}, do("describe").Rows)

	require.Equal(t, "0", sql("SELECT count(*) FROM pg_stats WHERE tablename = 'usertable'"))
	do("analyze")
	require.Equal(t, "3", sql("SELECT count(*) FROM pg_stats WHERE tablename = 'usertable'"), "there are statistics of each column")
	tables := do("tables").Rows
	require.Len(t, tables, 1)
	require.Equal(t, []any{"public.usertable", 1000.0}, tables[0][:2])
	require.Equal(t, "benchctl admin", tables[0][3])

	sql("DELETE FROM usertable WHERE ycsb_key > 'user5'")
	before := sql("SELECT pg_relation_filenode('usertable')")
	do("vacuum")
	require.Equal(t, before, sql("SELECT pg_relation_filenode('usertable')"))
	do("vacuum", "--full")
	require.NotEqual(t, before, sql("SELECT pg_relation_filenode('usertable')"), "the table was written again")
	do("checkpoint")
	require.Contains(t, s.Log(), "checkpoint starting: immediate force wait")
	require.Equal(t, "primary", do("servers").Rows[0][1])
	do("truncate")
	require.Equal(t, "0", sql("SELECT count(*) FROM usertable"))
	do("drop")
	_, stderr := s.administer(t, "count")
	require.Contains(t, stderr, "table usertable does not exist in database postgres: `benchctl admin postgres tables` lists those that do")

	sql("CREATE TABLE precious (id int)")
	for _, action := range []string{"drop", "truncate"} {
		_, stderr = s.administer(t, action, "precious")
		require.Contains(t, stderr, "table precious was not created by benchd: add --force if its rows are no longer needed")
	}
	do("drop", "precious", "--force")
	for _, a := range postgresspec.Actions() {
		require.True(t, tried[a.Command()], a.Name)
	}
}

// Each version's own statistics become figures; those of an action and of a restart become events.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.Options{Settings: map[string]string{"track_io_timing": "on", "track_wal_io_timing": "on"}})
	h := testcluster.New(t)
	h.Agent("agent-0")
	h.Connected(1)
	stdout, stderr, code := h.Ctl(
		"submit", "--db", "postgres", "--wait", "-o", "json", "--phase", "load,run", "--threads", "4", "--duration", "12s", "--target", "500", "-p", "recordcount=2000",
		"-p", "readproportion=0.5", "-p", "updateproportion=0.5", "-p", "postgres.host="+s.Address(), "-p", "actions=3s checkpoint; 6s vacuum", "-p", "telemetry.interval=500ms",
	)
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	p := r.Phases[len(r.Phases)-1]
	seen := make(map[string]result.Observation)
	for _, o := range p.Observations {
		if strings.HasPrefix(o.Name, "postgres.") {
			require.Equal(t, s.Address(), o.Source)
			seen[o.Name] = o
		}
	}
	mean := func(name string) float64 {
		t.Helper()
		require.Contains(t, seen, name)
		sum := 0.0
		for _, point := range seen[name].Points {
			sum += point[1]
		}
		return sum / float64(len(seen[name].Points))
	}
	require.InDelta(t, 500, mean("postgres.database.commits"), 150)
	require.InDelta(t, 250, mean("postgres.database.rows_updated"), 100)
	require.InDelta(t, 2000, mean("postgres.table.live_rows"), 500)
	require.Greater(t, mean("postgres.database.cache_hit_percent"), 50.0)
	require.Greater(t, mean("postgres.wal.bytes"), 10_000.0)
	require.Greater(t, mean("postgres.wal.sync_time"), 0.0)
	require.Greater(t, mean("postgres.table.size"), 2e6)
	require.GreaterOrEqual(t, mean("postgres.connections"), 4.0)
	for _, name := range []string{"postgres.table.dead_rows", "postgres.table.hot_update_percent", "postgres.checkpoints.buffers", "postgres.checkpoints.write_time", "postgres.wal.syncs"} {
		require.Contains(t, seen, name)
	}
	var events []string
	for _, e := range p.Events {
		events = append(events, e.Text)
	}
	require.True(t, slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, "because of its WAL or a request") }), events)
	require.True(t, slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, "vacuum of table usertable") }), events)
	require.Empty(t, p.Errors)
	require.NotNil(t, r.Terms)
	require.Equal(t, "synced to the WAL on the server's disk (synchronous_commit on)", r.Terms.Durability)
}
