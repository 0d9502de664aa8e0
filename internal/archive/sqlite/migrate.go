package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
)

// The file's version is SQLite's user_version: how many migrations have been applied.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID in the file's header distinguishes a benchd archive from other SQLite files: "bnch".
const applicationID = 0x626e6368

// identity is the identification of a file by its header and catalog.
type identity struct {
	application, version, objects int
}

func (a *Archive) identify(ctx context.Context) (id identity, err error) {
	for _, q := range []struct {
		query string
		into  *int
	}{
		{`PRAGMA application_id`, &id.application},
		{`PRAGMA user_version`, &id.version},
		{`SELECT count(*) FROM sqlite_schema`, &id.objects},
	} {
		if err := a.writer.QueryRowContext(ctx, q.query).Scan(q.into); err != nil {
			return id, err
		}
	}
	return id, nil
}

// migrate brings the file to the last version of the list. It writes nothing to a file that is not an archive or that is
// newer than this build.
func (a *Archive) migrate(ctx context.Context, list []column.Migration) error {
	id, err := a.identify(ctx)
	if err != nil {
		return explain("open archive", a.path, err)
	}
	known := len(list)
	switch empty := id.objects == 0 && id.version == 0; {
	case !empty && id.application != applicationID:
		return archive.Faultf(archive.ErrNotArchive, nil, "open archive %s: it is a database of another program: move it away, or use another directory", a.path)
	case id.version > known:
		return archive.Faultf(archive.ErrNewer, nil, "open archive %s: it was written by a newer benchd (its schema has version %d, this benchd supports up to %d): use that benchd, or use another directory",
			a.path, id.version, known)
	case empty:
		if err := a.format(ctx); err != nil {
			return explain("create archive", a.path, err)
		}
	default:
		// A copy made by VACUUM INTO, such as a backup, is not in WAL mode.
		if _, err := a.writer.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
			return explain("open archive", a.path, err)
		}
	}
	created := id.version == 0
	for _, m := range list[id.version:] {
		if err := a.applyMigration(ctx, m); err != nil {
			return explain("apply migration "+m.Name+" to", a.path, err)
		}
		if created {
			continue
		}
		a.logger.Info("archive schema migrated", "file", a.path, "version", m.Version, "migration", m.Name)
	}
	if created {
		a.logger.Info("archive created", "file", a.path, "version", known)
	}
	if err := a.glance(ctx); err != nil {
		return explain("check archive", a.path, err)
	}
	if err := a.probe(ctx, known); err != nil {
		return explain("write to archive", a.path, err)
	}
	return nil
}

// format sets what can only be set while the file is empty. Pages of 8 KiB fit a row with two histograms of common size;
// incremental vacuum returns space to the disk without copying the file.
func (a *Archive) format(ctx context.Context) error {
	for _, pragma := range []string{
		`PRAGMA page_size = 8192`,
		`PRAGMA auto_vacuum = INCREMENTAL`,
		`PRAGMA journal_mode = WAL`,
	} {
		if _, err := a.writer.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return nil
}

// applyMigration applies one migration and its version number in one transaction. Foreign keys are off meanwhile, as SQLite
// requires for rebuilding tables, and checked before the commit.
func (a *Archive) applyMigration(ctx context.Context, m column.Migration) (err error) {
	conn, err := a.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	defer func() {
		// The connection returns to the pool unchanged, whatever ended the migration.
		if _, e := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA foreign_keys = ON`); err == nil {
			err = e
		}
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing after a commit
	if _, err := tx.ExecContext(ctx, m.Text); err != nil {
		return err
	}
	if err := checkForeignKeys(ctx, tx); err != nil {
		return err
	}
	header := fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, m.Version)
	if _, err := tx.ExecContext(ctx, header); err != nil {
		return err
	}
	return tx.Commit()
}

func checkForeignKeys(ctx context.Context, tx *sql.Tx) error {
	var table string
	err := tx.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&table)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("table %s refers to missing rows", table)
}

// probe writes one page and waits for the disk, so that a full or read-only disk is found now and not by the first window.
func (a *Archive) probe(ctx context.Context, version int) error {
	_, err := a.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}
