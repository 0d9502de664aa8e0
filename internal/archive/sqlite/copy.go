package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
)

// Backup copies the archive of a data directory to a new file, which is an archive itself. It also works while a coordinator
// uses the archive, and copies one snapshot. An existing file is ErrExists.
func Backup(ctx context.Context, dir, file string) (err error) {
	path := filepath.Join(dir, FileName)
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := os.Lstat(file); err == nil {
		return archive.Faultf(archive.ErrExists, nil, "back up %s: file %s already exists: name another one", path, file)
	}
	// An interrupted copy must not look like a complete one.
	partial := file + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain("back up to", file, err)
	}
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, partial); err != nil {
		_ = os.Remove(partial)
		return explain("back up to", file, err)
	}
	err = errors.Join(os.Chmod(partial, 0o600), syncFile(partial))
	if err == nil {
		err = os.Rename(partial, file)
	}
	if err == nil {
		err = syncFile(filepath.Dir(file))
	}
	return explain("back up to", file, err)
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// openReadOnly opens an archive that another process may be using.
func openReadOnly(ctx context.Context, path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, archive.Faultf(archive.ErrNotFound, err, "open archive %s: file does not exist: give the directory of the coordinator with --data", path)
		}
		return nil, explain("open archive", path, err)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, explain("open archive", path, err)
	}
	a := &Archive{path: whole}
	db, err := a.pool(1, url.Values{"mode": {"ro"}})
	if err != nil {
		return nil, err
	}
	a.writer = db
	id, err := a.identify(ctx)
	list, e := column.Migrations(migrationFiles)
	switch err = errors.Join(err, e); {
	case err != nil:
	case id.application != applicationID:
		err = archive.Faultf(archive.ErrNotArchive, nil, "open archive %s: it is a database of another program", path)
	case id.version > len(list):
		err = archive.Faultf(archive.ErrNewer, nil, "open archive %s: it was written by a newer benchd: use that one", path)
	case id.version < len(list):
		err = archive.Faultf(archive.ErrInvalid, nil, "open archive %s: it was written by an older benchd: start `benchd coordinator` on it once, or use that benchd", path)
	}
	if err != nil {
		return nil, errors.Join(explain("open archive", path, err), db.Close())
	}
	return db, nil
}

// Checked describes what Check has examined.
type Checked struct {
	Suites, Runs, Windows int
	Bytes, Free           int64 // the size of the file, and the free part of it
	Histograms            bool  // every histogram was read
}

// Check looks for damage in the archive of a data directory, which a coordinator may be using. It reads every page and
// compares tables with their indexes; with full it also reads every histogram and compares it with its figures. Damage is
// ErrCorrupt.
func Check(ctx context.Context, dir string, full bool) (c Checked, err error) {
	path := filepath.Join(dir, FileName)
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	a := &Archive{path: path, reader: db, long: db}
	var runs []string
	err = a.read(ctx, "check", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkPages(ctx, tx, path, `PRAGMA integrity_check(1)`); err != nil {
			return err
		}
		if err := checkForeignKeys(ctx, tx); err != nil {
			return archive.Faultf(archive.ErrCorrupt, err, "check archive %s: it is damaged: %v", path, err)
		}
		if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM suite WHERE removed = 0), (SELECT count(*) FROM run),
			(SELECT count(*) FROM window), page_count * page_size, freelist_count * page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&c.Suites, &c.Runs, &c.Windows, &c.Bytes, &c.Free); err != nil {
			return err
		}
		return each(ctx, tx, func(row scanner) error {
			var id string
			err := row.Scan(&id)
			runs = append(runs, id)
			return err
		}, `SELECT id FROM run ORDER BY number`)
	})
	if err != nil || !full {
		return c, err
	}
	// One connection has one cursor of a phase; this needs three.
	db.SetMaxOpenConns(readers)
	for _, run := range runs {
		for _, err := range a.Windows(ctx, run) {
			if err != nil {
				return c, err
			}
		}
	}
	c.Histograms = true
	return c, nil
}

// asked is a database or a transaction.
type asked interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func checkPages(ctx context.Context, tx asked, path, pragma string) error {
	var found string
	if err := tx.QueryRowContext(ctx, pragma).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return archive.Faultf(archive.ErrCorrupt, nil, "check archive %s: it is damaged (%s): restore a backup, or save what can be read with \"sqlite3 %s .recover\"", path, found, path)
	}
	return nil
}

// glance checks the tables that every command needs, and the length of the file: it is quick, and finds a truncated or badly
// copied file before a run depends on it.
func (a *Archive) glance(ctx context.Context) error {
	for _, table := range []string{"suite", "run", "agent", "phase"} {
		if err := checkPages(ctx, a.writer, a.path, fmt.Sprintf(`PRAGMA quick_check(%s)`, table)); err != nil {
			return err
		}
	}
	log, err := os.Stat(a.path + "-wal")
	if err == nil && log.Size() > 0 {
		return nil // some of its pages are in the log
	}
	var pages int64
	if err := a.writer.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&pages); err != nil {
		return err
	}
	info, err := os.Stat(a.path)
	if err == nil && info.Size() < pages {
		return archive.Faultf(archive.ErrCorrupt, nil, "open archive %s: it is truncated: it has %d of %d bytes: restore a backup", a.path, info.Size(), pages)
	}
	return err
}
