package action

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// answerf returns an answer of one line.
func answerf(format string, args ...any) load.Answer {
	return load.Answer{Text: []string{fmt.Sprintf(format, args...)}}
}

// execute executes a statement, and returns how long it took.
func (a *actor) execute(ctx context.Context, what, sql string) (time.Duration, error) {
	begin := time.Now()
	if _, err := client.Query(ctx, a.conn, sql); err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return time.Since(begin).Round(time.Millisecond), nil
}

func (a *actor) analyze(ctx context.Context, table postgresspec.Table, _ map[string]string) (load.Answer, error) {
	if _, err := a.find(ctx, table); err != nil {
		return load.Answer{}, err
	}
	took, err := a.execute(ctx, "analyze table "+table.String(), "ANALYZE "+table.SQL())
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is analyzed, after %s", table, took), nil
}

func (a *actor) vacuum(ctx context.Context, table postgresspec.Table, args map[string]string) (load.Answer, error) {
	if _, err := a.find(ctx, table); err != nil {
		return load.Answer{}, err
	}
	options := "(ANALYZE)"
	if args["full"] == "true" {
		options = "(ANALYZE, FULL)"
	}
	took, err := a.execute(ctx, "vacuum table "+table.String(), "VACUUM "+options+" "+table.SQL())
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is vacuumed, after %s", table, took), nil
}

func (a *actor) checkpoint(ctx context.Context, _ postgresspec.Table, _ map[string]string) (load.Answer, error) {
	took, err := a.execute(ctx, "checkpoint", "CHECKPOINT")
	if client.State(err) == client.NoPrivilege {
		return load.Answer{}, fmt.Errorf("%w: GRANT pg_checkpoint TO %s (PostgreSQL 15), or use a superuser", err, a.settings.User)
	}
	if err != nil {
		return load.Answer{}, err
	}
	return answerf("the checkpoint is done, after %s", took), nil
}

func (a *actor) count(ctx context.Context, table postgresspec.Table, _ map[string]string) (load.Answer, error) {
	if _, err := a.find(ctx, table); err != nil {
		return load.Answer{}, err
	}
	rows, err := client.Query(ctx, a.conn, "SELECT count(*) FROM "+table.SQL())
	if err != nil {
		return load.Answer{}, fmt.Errorf("count rows of table %s: %w", table, err)
	}
	return load.Answer{Columns: []string{"table", "rows"}, Rows: [][]any{{table.String(), whole(rows[0][0])}}}, nil
}

func (a *actor) create(ctx context.Context, table postgresspec.Table, _ map[string]string) (load.Answer, error) {
	s := a.settings
	s.Table = table
	if err := client.CreateTable(ctx, a.conn, s, a.workload, a.by); err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the table
	}
	return answerf("table %s is created, in the form %s", table, s.Form), nil
}

func (a *actor) drop(ctx context.Context, table postgresspec.Table, args map[string]string) (load.Answer, error) {
	if err := a.ours(ctx, table, args); err != nil {
		return load.Answer{}, err
	}
	if err := client.DropTable(ctx, a.conn, table); err != nil {
		return load.Answer{}, err //nolint:wrapcheck // it names the table
	}
	return answerf("table %s is dropped", table), nil
}

func (a *actor) truncate(ctx context.Context, table postgresspec.Table, args map[string]string) (load.Answer, error) {
	if err := a.ours(ctx, table, args); err != nil {
		return load.Answer{}, err
	}
	if _, err := a.execute(ctx, "truncate table "+table.String(), "TRUNCATE "+table.SQL()); err != nil {
		return load.Answer{}, err
	}
	return answerf("table %s is empty", table), nil
}

func (a *actor) describe(ctx context.Context, table postgresspec.Table, _ map[string]string) (load.Answer, error) {
	found, err := a.find(ctx, table)
	if err != nil {
		return load.Answer{}, err
	}
	answer := load.Answer{Columns: []string{"column", "type", "collation", "nullable"}}
	for _, c := range found.Columns {
		answer.Rows = append(answer.Rows, []any{c.Name, c.Type, c.Collation, !c.NotNull})
	}
	return answer, nil
}

func (a *actor) tables(ctx context.Context, _ postgresspec.Table, _ map[string]string) (load.Answer, error) {
	rows, err := client.Query(ctx, a.conn, `SELECT n.nspname || '.' || c.relname, greatest(c.reltuples, 0)::bigint, pg_total_relation_size(c.oid),
  CASE WHEN starts_with(obj_description(c.oid, 'pg_class'), $1) THEN substr(obj_description(c.oid, 'pg_class'), length($1) + 1) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
WHERE c.relkind IN ('r', 'p') AND NOT starts_with(n.nspname, 'pg_temp') ORDER BY 1`, client.Mark)
	if err != nil {
		return load.Answer{}, fmt.Errorf("list tables: %w", err)
	}
	answer := load.Answer{Columns: []string{"table", "estimated_rows", "bytes", "created_by"}}
	for _, r := range rows {
		answer.Rows = append(answer.Rows, []any{r[0], whole(r[1]), whole(r[2]), r[3]})
	}
	return answer, nil
}

func (a *actor) servers(ctx context.Context, _ postgresspec.Table, _ map[string]string) (load.Answer, error) {
	rows, err := client.Query(ctx, a.conn, `SELECT current_setting('server_version'), CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), current_setting('max_connections')`)
	if err != nil {
		return load.Answer{}, fmt.Errorf("read the server's state: %w", err)
	}
	standbys, err := client.Query(ctx, a.conn, `SELECT coalesce(host(client_addr), application_name), coalesce(sync_state, ''), coalesce(state, '') FROM pg_stat_replication ORDER BY 1`)
	if err != nil {
		return load.Answer{}, fmt.Errorf("list standbys: %w", err)
	}
	answer := load.Answer{Columns: []string{"server", "role", "version", "state", "connections", "max_connections"}}
	r := rows[0]
	answer.Rows = append(answer.Rows, []any{a.settings.Address, r[1], r[0], "serving", whole(r[2]), whole(r[3])})
	for _, s := range standbys {
		answer.Rows = append(answer.Rows, []any{s[0], "standby", "", s[2] + " " + s[1], 0, 0})
	}
	return answer, nil
}

func whole(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
