package client

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Statistics returns a statement that reads the statistics of the server, the database and the table that its parameter names, as one JSON
// document. It has those views that the server has.
func Statistics(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	rows, err := Query(ctx, conn, "SELECT to_regclass('pg_stat_checkpointer') IS NOT NULL, to_regclass('pg_stat_wal') IS NOT NULL")
	if err != nil {
		return "", fmt.Errorf("read the server's views: %w", err)
	}
	sql := `SELECT json_build_object(
  'started', pg_postmaster_start_time(),
  'database', (SELECT to_jsonb(d) FROM pg_stat_database d WHERE d.datname = current_database()),
  'user_tables', (SELECT to_jsonb(t) FROM pg_stat_user_tables t WHERE t.relid = to_regclass($1)),
  'bgwriter', (SELECT to_jsonb(b) FROM pg_stat_bgwriter b),`
	if rows[0][0] == "t" {
		sql += ` 'checkpointer', (SELECT to_jsonb(c) FROM pg_stat_checkpointer c),`
	}
	if rows[0][1] == "t" {
		sql += ` 'wal', (SELECT to_jsonb(w) FROM pg_stat_wal w),`
	}
	return sql + `
  'benchd', (SELECT json_build_object(
     'connections', count(*),
     'active', count(*) FILTER (WHERE a.state = 'active'),
     'waiting', count(*) FILTER (WHERE a.state = 'active' AND a.wait_event_type IN ('Lock', 'LWLock', 'IO', 'BufferPin', 'IPC')),
     'size', pg_total_relation_size(to_regclass($1)),
     'vacuums', (SELECT count(*) FROM pg_stat_progress_vacuum v WHERE v.relid = to_regclass($1)),
     'lag', CASE WHEN NOT pg_is_in_recovery() THEN (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), r.replay_lsn)) FROM pg_stat_replication r) END)
   FROM pg_stat_activity a WHERE a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()))`, nil
}
