package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// Table migration lists the applied migrations.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

const (
	// migrateWithin is the time limit of connecting and migrating.
	migrateWithin = 5 * time.Minute
	// oldest is the oldest version of PostgreSQL that is supported, as in server_version_num.
	oldest = 120000
	// detaching is the first version that detaches partitions without blocking.
	detaching = 140000
	// ours is in the first row of table migration: it distinguishes a benchd archive from other schemas, and is locked while migrating.
	ours = "benchd archive"
	// partitioning is removed from column.Migrations for servers without partitions.
	partitioning = ` PARTITION BY LIST (week)`
)

// create creates the schema with the tables of the first migration, if it is missing: nobody can lead before. The others are those of the leader:
// see Migrate. It writes nothing to a schema that is not an archive or that is newer than this build.
func (a *Archive) create(ctx context.Context) error {
	if err := a.checkServer(ctx); err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		version, err := a.prepare(ctx)
		if err == nil && version == 0 {
			version, err = a.applyNext(ctx, 0)
		}
		if err == nil {
			err = a.checkVersion(version)
		}
		if err == nil {
			return a.explain("open archive in", a.checkTables(ctx))
		}
		// Another process creates the same at the same instant, or the server has no partitions.
		switch state := stateOf(err); {
		case slices.Contains([]string{stateUnique, stateDuplicateTable, stateDuplicateSchema, stateDuplicateObject, stateSerialization}, state) && tries < 10:
		case (state == stateUnsupported || state == stateSyntax) && a.partitioned:
			a.partitioned = false
		default:
			return a.explain(creating, err)
		}
		if a.conn.IsClosed() {
			return a.explain(creating, err)
		}
	}
}

// checkTables finds out whether windows are partitioned, and requires that the user can lead: a standby that cannot would end when it is needed.
func (a *Archive) checkTables(ctx context.Context) error {
	if _, err := a.conn.Exec(ctx, `UPDATE lease SET term = term WHERE false`); err != nil {
		return err
	}
	var kind string
	err := a.conn.QueryRow(ctx, `SELECT relkind::text FROM pg_catalog.pg_class WHERE oid = '"window"'::regclass`).Scan(&kind)
	a.partitioned = kind == "p"
	return err
}

// checkVersion refuses the schema of a newer benchd.
func (a *Archive) checkVersion(version int) error {
	if version <= len(a.migrations) {
		return nil
	}
	return archive.Faultf(archive.ErrNewer, nil,
		"open archive in %s: schema %q was written by a newer benchd (it has version %d, this benchd supports up to %d): use that benchd, or give another schema with search_path in the URL",
		a.server, a.schema, version, len(a.migrations))
}

// Migrate brings the schema to the version of this benchd. Only the leader does, under its lease, so that the tables of a coordinator of an older
// version do not change while it leads, and a process that has lost the lease changes none. No migration changes the tables migration, lease and
// written: older standbys read them, and then end.
func (a *Archive) Migrate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrateWithin)
	defer cancel()
	select {
	case a.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-a.slot }()
	term := a.term.Load()
	if term == 0 {
		return a.explain("migrate archive in", archive.ErrFenced)
	}
	for version, again := 0, false; version < len(a.migrations); {
		err := a.ready(ctx)
		if err == nil {
			version, err = a.applyNext(ctx, term)
		}
		if err != nil && isBroken(err) && !again && ctx.Err() == nil { // a connection that the next leader, or the server, has ended
			a.hangUp()
			again = true
			continue
		}
		if err != nil {
			return a.explain("migrate archive in", err)
		}
	}
	return nil
}

// features are what a server reports of itself.
type features struct{ number, version, encoding, readOnly string }

// checkServer requires that an archive can be on the server.
func (a *Archive) checkServer(ctx context.Context) error {
	var f features
	err := a.conn.QueryRow(ctx, `SELECT current_setting('server_version_num'), version(), current_setting('server_encoding'), coalesce(current_setting('transaction_read_only', true), '')`).
		Scan(&f.number, &f.version, &f.encoding, &f.readOnly)
	if err != nil {
		return a.explain("open archive in", err)
	}
	if err := f.check(); err != nil {
		return archive.Faultf(archive.ErrNotWritable, nil, "open archive in %s: %v", a.server, err)
	}
	number, _ := strconv.Atoi(f.number)
	a.detaches = number >= detaching
	return nil
}

func (f features) check() error {
	number, _ := strconv.Atoi(f.number)
	switch {
	case number < oldest:
		return fmt.Errorf("its version %q is too old: benchd needs PostgreSQL %d or newer", f.version, oldest/10000)
	case f.encoding != "UTF8":
		return fmt.Errorf("the encoding of the database is %s: create one with ENCODING 'UTF8' TEMPLATE template0", f.encoding)
	case f.readOnly == "on":
		return errors.New(acceptsNone)
	}
	return nil
}

// prepare creates the schema and table migration, and returns the version. Each statement commits by itself.
func (a *Archive) prepare(ctx context.Context) (version int, err error) {
	var schemas, tables, marked int
	err = a.conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1),
		(SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v')),
		(SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'migration')`,
		a.schema).Scan(&schemas, &tables, &marked)
	if err != nil {
		return 0, err
	}
	foreign := archive.Faultf(archive.ErrNotArchive, nil,
		"open archive in %s: schema %q belongs to another program: give another schema with search_path in the URL, or another database", a.server, a.schema)
	if tables > 0 && marked == 0 {
		return 0, foreign
	}
	if schemas == 0 {
		if _, err := a.conn.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{a.schema}.Sanitize()); err != nil {
			return 0, err
		}
	}
	if marked == 0 {
		if _, err := a.conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS migration (version bigint PRIMARY KEY, name text NOT NULL, at timestamp with time zone NOT NULL)`); err != nil {
			return 0, err
		}
	}
	var first string
	var newest *int
	err = a.conn.QueryRow(ctx, `SELECT coalesce((SELECT name FROM migration WHERE version = 0), ''), (SELECT max(version) FROM migration)`).Scan(&first, &newest)
	switch {
	case stateOf(err) == stateNoTable, stateOf(err) == stateNoPrivilege:
		return 0, cmp.Or(a.checkReader(ctx), foreign)
	case stateOf(err) == stateNoColumn, err == nil && first != ours && newest != nil, err == nil && newest == nil && tables > 1:
		return 0, foreign
	case err != nil:
		return 0, err
	case newest != nil:
		return *newest, nil
	}
	_, err = a.conn.Exec(ctx, `INSERT INTO migration (version, name, at) VALUES (0, $1, clock_timestamp()) ON CONFLICT DO NOTHING`, ours)
	return 0, err
}

// checkReader returns an error if table migration exists, and the user may not read it: without a right to the schema the server does not
// find it.
func (a *Archive) checkReader(ctx context.Context) error {
	var owner string
	var may bool
	err := a.conn.QueryRow(ctx, `SELECT pg_catalog.pg_get_userbyid(c.relowner), has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'migration'`, a.schema).Scan(&owner, &may)
	if err != nil || may {
		return nil //nolint:nilerr // a server that cannot answer this
	}
	return archive.Faultf(archive.ErrNotWritable, nil, "open archive in %s: user %s may not read schema %q of user %s: connect as %[4]s, or give another schema with search_path in the URL",
		a.server, a.config.ConnConfig.User, a.schema, owner)
}

// applyNext applies the next migration, unless another process has meanwhile, and returns the version. The transaction holds the lock of all
// migrations, and the lease of a term; term 0 is that of the first migration.
func (a *Archive) applyNext(ctx context.Context, term int64) (version int, err error) {
	tx, err := a.conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, rollbackIn(ctx, tx))
		}
	}()
	if err := tx.QueryRow(ctx, `SELECT version FROM migration WHERE version = 0 FOR UPDATE`).Scan(&version); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, `SELECT max(version) FROM migration`).Scan(&version); err != nil {
		return 0, err
	}
	if version >= len(a.migrations) || term == 0 && version > 0 {
		return version, tx.Rollback(ctx)
	}
	if term > 0 {
		err := tx.QueryRow(ctx, `SELECT 1 FROM lease WHERE term = $1 FOR KEY SHARE`, term).Scan(new(int))
		if errors.Is(err, pgx.ErrNoRows) {
			err = archive.ErrFenced
		}
		if err != nil {
			return version, err
		}
	}
	m := a.migrations[version]
	text := m.Text
	if !a.partitioned {
		text = strings.ReplaceAll(text, partitioning, "")
	}
	if _, err := a.conn.PgConn().Exec(ctx, text).ReadAll(); err != nil {
		return version, fmt.Errorf("apply migration %s: %w", m.Name, err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO migration (version, name, at) VALUES ($1, $2, clock_timestamp())`, m.Version, m.Name); err != nil {
		return version, err
	}
	if err := tx.Commit(ctx); err != nil {
		return version, err
	}
	a.logger.Info("archive schema migrated", "archive", a.server, "schema", a.schema, "version", m.Version, "migration", m.Name)
	return m.Version, nil
}

// rollbackIn rolls back, unless the connection is broken.
func rollbackIn(ctx context.Context, tx pgx.Tx) error {
	if err := tx.Rollback(context.WithoutCancel(ctx)); err != nil && !errors.Is(err, pgx.ErrTxClosed) && !tx.Conn().IsClosed() {
		return err
	}
	return nil
}
