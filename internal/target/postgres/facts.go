package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// settingNames are the settings of the server that affect a result.
const settingNames = `'synchronous_commit', 'fsync', 'full_page_writes', 'wal_level', 'wal_sync_method', 'wal_writer_delay', 'commit_delay',
'synchronous_standby_names', 'shared_buffers', 'max_wal_size', 'checkpoint_timeout', 'max_connections', 'default_transaction_isolation',
'data_checksums', 'autovacuum', 'wal_compression', 'huge_pages', 'effective_io_concurrency'`

// Facts describes the server by its own settings, as they apply to the connections of a run.
func (t *Table) Facts(ctx context.Context) (map[string]string, error) {
	s := t.settings
	facts := map[string]string{
		"target": postgresspec.Name, "postgres.host": s.Address, "postgres.database": s.Database, "postgres.table": s.Table.String(),
		"postgres.form": s.Form, "postgres.upsert": strconv.FormatBool(s.Upsert), "client": "pgx",
	}
	err := t.with(ctx, func(conn *pgconn.PgConn) error {
		facts["postgres.version"] = conn.ParameterStatus("server_version")
		facts["postgres.tls"] = encrypted(conn)
		return readServer(ctx, conn, s.Table, facts)
	})
	if err != nil {
		return nil, fmt.Errorf("read settings of PostgreSQL: %w", err)
	}
	return facts, nil
}

// encrypted describes TLS.
func encrypted(conn *pgconn.PgConn) string {
	c, ok := conn.Conn().(*tls.Conn)
	if !ok {
		return "none"
	}
	state := c.ConnectionState()
	return tls.VersionName(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite)
}

// readServer reads the settings, the standbys and the table.
func readServer(ctx context.Context, conn *pgconn.PgConn, table postgresspec.Table, facts map[string]string) error {
	rows, err := client.Query(ctx, conn, "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ("+settingNames+")")
	if err != nil {
		return err //nolint:wrapcheck // its caller names the server
	}
	for _, row := range rows {
		facts[row[0]] = row[1]
	}
	// Other roles than superusers and pg_monitor see the standbys without their states.
	rows, err = client.Query(ctx, conn, `SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), pg_is_in_recovery() FROM pg_stat_replication`)
	if err != nil {
		return err //nolint:wrapcheck // its caller names the server
	}
	facts["standbys"], facts["standbys.synchronous"], facts["in_recovery"] = rows[0][0], rows[0][1], strconv.FormatBool(rows[0][2] == "t")
	found, err := client.DescribeTable(ctx, conn, table)
	switch {
	case errors.Is(err, client.ErrNoTable): // it may be about to be created
		return nil
	case err != nil:
		return err //nolint:wrapcheck // it names the table
	}
	key, _ := found.Column(client.KeyColumn)
	maps.Copy(facts, map[string]string{"postgres.table.collation": key.Collation, "postgres.table.unlogged": strconv.FormatBool(found.Unlogged)})
	return nil
}
