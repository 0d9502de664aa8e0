package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// FileName is the archive's file in the data directory.
const FileName = "benchd.db"

const (
	// readers is how many may read at once, and longReaders how many may read a whole run or suite: these take so long
	// that a list, or a run in progress, must not wait for them. Each has its own cache.
	readers     = 4
	longReaders = 4
	// busyTimeout is how long a statement waits for another process that has locked the file, such as an sqlite3 shell;
	// the coordinator's own writers wait for their connection instead, and obey their context.
	busyTimeout = 5 * time.Second
	// logLimit is the size to which the write-ahead log is truncated after a large transaction.
	logLimit = 64 << 20
)

// Archive is an open archive. Its methods are safe for concurrent use.
type Archive struct {
	path   string
	logger *slog.Logger
	lock   *os.File
	writer *sql.DB // one connection: writers queue for it
	reader *sql.DB
	long   *sql.DB // for reading whole runs and suites
	add    addStatements
	roll   rollStatements
	// compact and merged belong to the holder of the writer.
	compact latency.Compactor
	merged  latency.Merged

	rollTogether int // about how many windows a roll-up reads together; 0 for the default

	coming  sync.Map // ids of suites being imported
	closing sync.Once
}

// Open opens the archive in a data directory; it creates the directory and the file if they are missing. The directory is
// locked until Close or the end of the process. The errors ErrLocked, ErrNewer, ErrNotWritable, ErrFull, ErrNotArchive and
// ErrCorrupt have a text for the user; after any error nothing is left open.
func Open(ctx context.Context, dir string, logger *slog.Logger) (*Archive, error) {
	return open(ctx, dir, logger, migrationFiles)
}

func open(ctx context.Context, dir string, logger *slog.Logger, files fs.FS) (_ *Archive, err error) {
	list, err := column.Migrations(files)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find data directory: %w", err)
	}
	if err := makeDirectory(dir); err != nil {
		return nil, explain("create data directory", dir, err)
	}
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{path: filepath.Join(dir, FileName), logger: logger, lock: lock}
	defer func() {
		if err != nil {
			_ = a.release()
		}
	}()
	if a.writer, err = a.pool(1, url.Values{"_txlock": {"immediate"}, "_synchronous": {"FULL"}}); err != nil {
		return nil, err
	}
	if err := a.migrate(ctx, list); err != nil {
		return nil, err
	}
	if a.add, err = prepareAdd(ctx, a.writer); err != nil {
		return nil, explain("prepare statements for", a.path, err)
	}
	if a.roll, err = prepareRoll(ctx, a.writer); err != nil {
		return nil, explain("prepare statements for", a.path, err)
	}
	if a.reader, err = a.pool(readers, url.Values{"_query_only": {"true"}}); err != nil {
		return nil, err
	}
	if a.long, err = a.pool(longReaders, url.Values{"_query_only": {"true"}}); err != nil {
		return nil, err
	}
	return a, nil
}

// makeDirectory creates a directory with access for its owner only, and syncs its parent.
func makeDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(dir))
	if errors.Is(err, fs.ErrPermission) {
		return nil // we did not create a parent that we cannot read
	}
	if err != nil {
		return err
	}
	defer func() { _ = parent.Close() }()
	_ = parent.Sync() // some file systems cannot; the directory exists anyway
	return nil
}

// pool opens connections to the file with settings in the driver's spelling.
func (a *Archive) pool(size int, settings url.Values) (*sql.DB, error) {
	settings.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	settings.Set("_foreign_keys", "true")
	settings.Set("_error_rc", "true")
	settings.Set("_dqs", "false")
	settings.Set("_pragma", fmt.Sprintf("journal_size_limit(%d)", logLimit))
	name := url.URL{Scheme: "file", Path: a.path, RawQuery: settings.Encode()}
	connector, err := newConnector(name.String())
	if err != nil {
		return nil, fmt.Errorf("open archive %s: %w", a.path, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// Path returns the name of the archive's file.
func (a *Archive) Path() string { return a.path }

// Close writes the write-ahead log back to the file, closes it and unlocks the directory. If ctx ends first, the log is left
// for the next Open, without loss. Closing again does nothing.
func (a *Archive) Close(ctx context.Context) error {
	var err error
	a.closing.Do(func() {
		_, err = a.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		err = errors.Join(explain("checkpoint the log of", a.path, err), a.release())
	})
	return err
}

func (a *Archive) release() error {
	var errs []error
	if a.reader != nil {
		errs = append(errs, explain("close", a.path, a.reader.Close()))
	}
	if a.long != nil {
		errs = append(errs, explain("close", a.path, a.long.Close()))
	}
	errs = append(errs, a.add.close(), a.roll.close())
	if a.writer != nil {
		errs = append(errs, explain("close", a.path, a.writer.Close()))
	}
	errs = append(errs, unlock(a.lock)) // last: the lock outlives every connection
	return errors.Join(errs...)
}

// write runs do in one transaction of the only writer and commits it. It obeys ctx until the transaction begins and where
// do checks it; a commit is never interrupted, so that an error always means that nothing was stored.
func (a *Archive) write(ctx context.Context, doing string, do func(context.Context, *sql.Tx) error) error {
	return a.writeOn(ctx, doing, func(ctx context.Context, _ *sql.Conn, tx *sql.Tx) error { return do(ctx, tx) })
}

// writeOn is write for a transaction that also executes direct statements, on its connection.
func (a *Archive) writeOn(ctx context.Context, doing string, do func(context.Context, *sql.Conn, *sql.Tx) error) error {
	err := func() error {
		conn, err := a.writer.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // nothing after a commit
		if err := do(ctx, conn, tx); err != nil {
			return err
		}
		return tx.Commit()
	}()
	return explain(doing, a.path, err)
}

// read runs do in a transaction of one reader, which sees one snapshot.
func (a *Archive) read(ctx context.Context, doing string, do func(context.Context, *sql.Tx) error) error {
	return a.readBy(ctx, a.reader, doing, do)
}

// readLong is read for long reads.
func (a *Archive) readLong(ctx context.Context, doing string, do func(context.Context, *sql.Tx) error) error {
	return a.readBy(ctx, a.long, doing, do)
}

func (a *Archive) readBy(ctx context.Context, pool *sql.DB, doing string, do func(context.Context, *sql.Tx) error) error {
	err := func() error {
		tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // it changed nothing
		return do(ctx, tx)
	}()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // rows that end with their context return various errors
	}
	return explain(doing, a.path, err)
}
