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
	removeWindows = 250  // deleted in one transaction, with all that belongs to them
	vacuumPages   = 1024 // given back to the disk in one transaction: 8 MiB
	tidyBytes     = 64 << 20
)

// requireEnded returns nil for a suite that has ended. What is not to be done to others, and the cure, are in its error.
func requireEnded(ctx context.Context, tx *sql.Tx, id, doing, cure string) error {
	var status result.Status
	err := tx.QueryRowContext(ctx, `SELECT status FROM suite WHERE id = ? AND removed = 0`, id).Scan(&status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return notFound("suite", id)
	case err != nil:
		return err
	case !status.Ended():
		return faultf(archive.ErrNotEnded, nil, "%s suite %s: it is %s: %s", doing, id, status, cure)
	}
	return nil
}

// Remove deletes an ended suite with all that belongs to it and gives the space back to the disk; one that has not
// ended is ErrNotEnded. From the first of its small transactions on nobody sees the suite any more; what an end of
// ctx or of the process leaves is deleted by Purge.
func (a *Archive) Remove(ctx context.Context, id string) error {
	if err := a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *sql.Tx) error {
		if err := requireEnded(ctx, tx, id, "remove", "cancel it first"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE suite SET removed = 1 WHERE id = ?`, id)
		return err
	}); err != nil {
		return err
	}
	if err := a.purge(ctx, id); err != nil {
		return err
	}
	return a.vacuum(ctx)
}

// Purge goes on with removals that were broken off.
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

// What purge deletes of a suite before the suite itself: so many rows that one transaction would take too long.
const (
	deleteWindows = `DELETE FROM window WHERE id IN (SELECT window.id FROM suite JOIN run ON run.suite = suite.id
		JOIN phase ON phase.run = run.id JOIN window ON window.phase = phase.id WHERE suite.id = ? AND suite.removed = 1 LIMIT ?)`
	deleteObservations = `DELETE FROM observation WHERE id IN (SELECT observation.id FROM suite JOIN run ON run.suite = suite.id
		JOIN observation ON observation.run = run.id WHERE suite.id = ? AND suite.removed = 1 LIMIT ?)`
)

// purge deletes a suite that is marked as removed, what there is most of first, a few rows at a time.
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

// Tidy gives free pages back to the disk where they are much of the file, as after a roll-up.
func (a *Archive) Tidy(ctx context.Context) error {
	var pages, free, size int64
	if err := a.reader.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &size); err != nil {
		return judge("measure", a.path, err)
	}
	if free < pages/4 || free*size < tidyBytes {
		return nil
	}
	return a.vacuum(ctx)
}

// vacuum gives free pages back to the disk, a few at a time. Those that become free meanwhile are left.
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
		// What the file has lost is still as long as it was until the log has been folded into it.
		_, err = a.writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		return err
	}()
	return judge("give back the space of", a.path, err)
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

// Size is how many bytes of the disk the archive uses for what is in it; free pages, which are used again, do not count.
func (a *Archive) Size(ctx context.Context) (int64, error) {
	var size int64
	err := a.reader.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&size)
	return size, judge("measure", a.path, err)
}

// Oldest is the suite that ended before all others, and when it did; the id is empty where none has ended.
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
