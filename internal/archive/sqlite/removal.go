package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

const (
	removeWindows = 250  // deleted in one transaction, with their rows in other tables
	vacuumPages   = 1024 // returned to the disk in one transaction: 8 MiB
	tidyBytes     = 64 << 20
)

// requireEnded returns nil for an ended suite. For others the error names the refused operation and the cure.
func requireEnded(ctx context.Context, tx *sql.Tx, id, doing, cure string) error {
	var status result.Status
	err := tx.QueryRowContext(ctx, `SELECT status FROM suite WHERE id = ? AND removed = 0`, id).Scan(&status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return notFound("suite", id)
	case err != nil:
		return err
	case !status.Ended():
		return archive.Faultf(archive.ErrNotEnded, nil, "%s suite %s: it is %s: %s", doing, id, status, cure)
	}
	return nil
}

// Remove deletes an ended suite with all its rows and returns the space to the disk; a suite that has not ended is
// ErrNotEnded. The suite is invisible from the first of the small transactions on; if ctx or the process ends, Purge deletes
// the rest.
func (a *Archive) Remove(ctx context.Context, id string) error {
	if err := a.remove(ctx, id); err != nil {
		return err
	}
	return a.vacuum(ctx)
}

// Expire removes all suites that ended before an instant, and returns their ids. Their space is for the suites to come: to return it to the disk, as
// much of the newest ones would have to be moved, which Tidy does when it is a large part of the file.
func (a *Archive) Expire(ctx context.Context, before time.Time) (ids []string, err error) {
	for {
		id, ended, err := a.Oldest(ctx)
		if err != nil || id == "" || !ended.Before(before) {
			return ids, err
		}
		switch err := a.remove(ctx, id); {
		case err == nil:
			ids = append(ids, id)
		case !errors.Is(err, archive.ErrNotFound): // somebody else has removed it
			return ids, err
		}
	}
}

// remove is Remove without returning the space.
func (a *Archive) remove(ctx context.Context, id string) error {
	if err := a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *sql.Tx) error {
		if err := requireEnded(ctx, tx, id, "remove", "cancel it first"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE suite SET removed = 1 WHERE id = ?`, id)
		return err
	}); err != nil {
		return err
	}
	return a.purge(ctx, id)
}

// Purge continues interrupted removals.
func (a *Archive) Purge(ctx context.Context) error {
	var ids []string
	if err := a.read(ctx, "look for removed suites in", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var id string
			err := row.Scan(&id)
			if _, coming := a.coming.Load(id); !coming { // an import has not been checked yet
				ids = append(ids, id)
			}
			return err
		}, `SELECT id FROM suite WHERE removed = 1`)
	}); err != nil {
		return err
	}
	for _, id := range ids {
		if err := a.purge(ctx, id); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return a.vacuum(ctx)
}

// The rows that purge deletes before the suite itself, because they are too many for one transaction.
const (
	deleteWindows = `DELETE FROM window WHERE id IN (SELECT window.id FROM suite JOIN run ON run.suite = suite.id
		JOIN phase ON phase.run = run.id JOIN window ON window.phase = phase.id WHERE suite.id = ? AND suite.removed = 1 LIMIT ?)`
	deleteObservations = `DELETE FROM observation WHERE id IN (SELECT observation.id FROM suite JOIN run ON run.suite = suite.id
		JOIN observation ON observation.run = run.id WHERE suite.id = ? AND suite.removed = 1 LIMIT ?)`
)

// purge deletes a suite that is marked as removed, a few rows at a time, the largest tables first.
func (a *Archive) purge(ctx context.Context, id string) error {
	for _, statement := range []string{deleteWindows, deleteObservations} {
		for deleted := int64(1); deleted > 0; {
			if err := a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *sql.Tx) error {
				res, err := tx.ExecContext(ctx, statement, id, removeWindows)
				if err != nil {
					return err
				}
				deleted, err = res.RowsAffected()
				return err
			}); err != nil {
				return err
			}
		}
	}
	return a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM suite WHERE id = ? AND removed = 1`, id)
		return err
	})
}

// Tidy returns free pages to the disk if they are a large part of the file, as after a roll-up, or when many suites have expired.
func (a *Archive) Tidy(ctx context.Context) error { return a.tidy(ctx, tidyBytes) }

// tidy is Tidy for free pages of at least so many bytes.
func (a *Archive) tidy(ctx context.Context, least int64) error {
	var pages, free, size int64
	if err := a.reader.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &size); err != nil {
		return explain("measure", a.path, err)
	}
	if free < pages/4 || free*size < least {
		return nil
	}
	return a.vacuum(ctx)
}

// vacuum returns free pages to the disk, a few at a time. It leaves pages that become free meanwhile.
func (a *Archive) vacuum(ctx context.Context) error {
	err := func() error {
		conn, err := a.writer.Conn(ctx)
		if err != nil {
			return err
		}
		var free int
		err = conn.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free)
		if err := errors.Join(err, conn.Close()); err != nil {
			return err
		}
		for ; free > 0; free -= vacuumPages {
			if err := a.vacuumSome(ctx); err != nil {
				return err
			}
		}
		// The file shrinks only when the log is checkpointed.
		_, err = a.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		return err
	}()
	return explain("return the free space of", a.path, err)
}

func (a *Archive) vacuumSome(ctx context.Context) (err error) {
	// Each step of the statement frees a page.
	rows, err := a.writer.QueryContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, vacuumPages))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
	}
	return rows.Err()
}

// Size is how many bytes of the disk the archive uses, without free pages, which it reuses.
func (a *Archive) Size(ctx context.Context) (int64, error) {
	var size int64
	err := a.reader.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&size)
	return size, explain("measure", a.path, err)
}

// Oldest returns the suite that ended first, and when it ended; the id is empty if none has ended.
func (a *Archive) Oldest(ctx context.Context) (id string, ended time.Time, err error) {
	err = a.read(ctx, "look for the oldest suite of", func(ctx context.Context, tx *sql.Tx) error {
		var at sql.NullInt64
		err := tx.QueryRowContext(ctx, `SELECT id, coalesce((SELECT max(ended_ns) FROM run WHERE suite = s.id), created_ns) AS ended
			FROM suite s WHERE removed = 0 AND status IN ('complete', 'partial', 'failed', 'cancelled') ORDER BY ended, number LIMIT 1`).Scan(&id, &at)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ended = timeOf(at)
		return err
	})
	return id, ended, err
}
