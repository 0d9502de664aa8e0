package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

// The values of suite.removed.
const (
	deleting = 1 // or being imported
	expired  = 2 // to be dropped with its week
)

// removeWindows are deleted in one transaction, with their rows in other tables.
const removeWindows = 1000

// requireEnded returns nil for an ended suite. For others the error names the refused operation and the cure.
func requireEnded(ctx context.Context, tx querier, id, doing, cure string) error {
	var status result.Status
	err := tx.QueryRow(ctx, `SELECT status FROM suite WHERE id = $1 AND removed = 0`, encode(id)).Scan(into(&status))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return notFound("suite", id)
	case err != nil:
		return err
	case !status.Ended():
		return archive.Faultf(archive.ErrNotEnded, nil, "%s suite %s: it is %s: %s", doing, id, status, cure)
	}
	return nil
}

// Remove deletes an ended suite with all its rows; a suite that has not ended is ErrNotEnded. The suite is invisible from the first of the
// small transactions on; if ctx or the process ends, Purge deletes the rest. If no other suite of its week is left, the week is dropped.
func (a *Archive) Remove(ctx context.Context, id string) error {
	if err := a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *transaction) error {
		if err := requireEnded(ctx, tx, id, "remove", "cancel it first"); err != nil {
			return err
		}
		tx.later(`UPDATE suite SET removed = $2 WHERE id = $1`, encode(id), deleting)
		return nil
	}); err != nil {
		return err
	}
	return a.purge(ctx, id)
}

// Expire removes all suites that ended before an instant, and returns their ids. Their rows are dropped with their week as soon as all of its
// suites have been removed or have expired, which takes no time of a run in progress; until then they do not count for Size.
func (a *Archive) Expire(ctx context.Context, before time.Time) (ids []string, err error) {
	// Most calls find none: they keep no writer waiting.
	ids, err = a.suitesWith(ctx, `removed = 0 AND status `+ended+` AND coalesce((SELECT max(ended_ns) FROM run WHERE suite = suite.id), created_ns) < $1`, before.UnixNano())
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		stored := make([]string, len(ids))
		for i, id := range ids {
			stored[i] = encode(id)
		}
		if err := a.write(ctx, "expire suites of", func(_ context.Context, tx *transaction) error {
			tx.later(`UPDATE suite SET removed = $2 WHERE id = ANY($1) AND removed = 0`, stored, expired)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return ids, a.dropWeeks(ctx)
}

// Purge continues interrupted removals.
func (a *Archive) Purge(ctx context.Context) error {
	ids, err := a.suitesWith(ctx, `removed = 1`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, coming := a.coming.Load(id); coming { // an import has not been checked yet
			continue
		}
		if err := a.purge(ctx, id); err != nil {
			return err
		}
	}
	return a.dropWeeks(ctx)
}

// suitesWith lists the suites of a condition.
func (a *Archive) suitesWith(ctx context.Context, condition string, args ...any) (ids []string, err error) {
	err = a.read(ctx, "look for removed suites in", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var id string
			err := row.Scan(into(&id))
			ids = append(ids, id)
			return err
		}, `SELECT id FROM suite WHERE `+condition+` ORDER BY number`, args...)
	})
	return ids, err
}

// purge deletes a suite that is marked as removed: with its week if it is alone there, otherwise a few rows at a time.
func (a *Archive) purge(ctx context.Context, id string) error {
	var week int64
	if err := a.read(ctx, "remove suite "+id+" from", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT week FROM suite WHERE id = $1`, encode(id)).Scan(&week)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return err
	}); err != nil {
		return err
	}
	dropped, err := a.dropWeek(ctx, week, `id = $2 OR removed = 2`, encode(id))
	if err != nil || dropped {
		return err
	}
	if err := a.purgeRows(ctx, id); err != nil {
		return err
	}
	return a.forget(ctx, id)
}

// clear deletes an expired suite at once: one of its id is to come.
func (a *Archive) clear(ctx context.Context, id string) error {
	ids, err := a.suitesWith(ctx, `id = $1 AND removed = $2`, encode(id), expired)
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := a.purgeRows(ctx, id); err != nil {
		return err
	}
	return a.forget(ctx, id)
}

// forget deletes a removed suite from the tables that are not partitioned.
func (a *Archive) forget(ctx context.Context, id string) error {
	return a.write(ctx, "remove suite "+id+" from", func(_ context.Context, tx *transaction) error {
		tx.later(`DELETE FROM suite WHERE id = $1 AND removed <> 0`, encode(id))
		return nil
	})
}

// purgeRows deletes the rows of a removed suite from the large tables, a few at a time.
func (a *Archive) purgeRows(ctx context.Context, id string) error {
	for more := true; more; {
		if err := a.write(ctx, "remove suite "+id+" from", func(ctx context.Context, tx *transaction) error {
			var week, phase int64
			err := tx.QueryRow(ctx, `SELECT s.week, p.id FROM suite s JOIN run r ON r.suite = s.id JOIN phase p ON p.run = r.id
				WHERE s.id = $1 AND s.removed <> 0 AND EXISTS (SELECT 1 FROM "window" w WHERE w.week = s.week AND w.phase = p.id) LIMIT 1`, encode(id)).Scan(&week, &phase)
			if errors.Is(err, pgx.ErrNoRows) {
				more = false
				tx.later(`DELETE FROM observation WHERE week = (SELECT week FROM suite WHERE id = $1 AND removed <> 0) AND run IN (SELECT id FROM run WHERE suite = $1)`, encode(id))
				return nil
			}
			if err != nil {
				return err
			}
			return purgeWindows(ctx, tx, week, phase)
		}); err != nil {
			return err
		}
	}
	return nil
}

// purgeWindows deletes some windows of a phase with all that belongs to them.
func purgeWindows(ctx context.Context, tx *transaction, week, phase int64) error {
	var ids, seqs, shards, attempts []int64
	if err := each(ctx, tx, func(row pgx.Rows) error {
		var id, seq, shard, attempt int64
		err := row.Scan(&id, &seq, &shard, &attempt)
		ids, seqs, shards, attempts = append(ids, id), append(seqs, seq), append(shards, shard), append(attempts, attempt)
		return err
	}, `SELECT id, seq, shard, attempt FROM "window" WHERE week = $1 AND phase = $2 ORDER BY seq, shard, attempt LIMIT $3`, week, phase, removeWindows); err != nil {
		return err
	}
	tx.later(deleteMeasurements, week, ids)
	tx.later(deleteLateness, week, ids)
	tx.later(`DELETE FROM error_sample e WHERE week = $1 AND e."window" = ANY($2)`, week, ids)
	tx.later(`DELETE FROM "window" w USING unnest($3::bigint[], $4::bigint[], $5::bigint[]) AS k (seq, shard, attempt)
		WHERE w.week = $1 AND w.phase = $2 AND w.seq BETWEEN $6 AND $7 AND w.seq = k.seq AND w.shard = k.shard AND w.attempt = k.attempt`,
		week, phase, seqs, shards, attempts, seqs[0], seqs[len(seqs)-1])
	return nil
}

// dropWeeks drops the weeks whose suites have all expired, and the partitions of weeks without suites.
func (a *Archive) dropWeeks(ctx context.Context) error {
	var weeks []int64
	if err := a.read(ctx, "look for expired weeks in", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var week int64
			err := row.Scan(&week)
			weeks = append(weeks, week)
			return err
		}, `SELECT week FROM suite GROUP BY week HAVING min(removed) = $1 ORDER BY week`, expired)
	}); err != nil {
		return err
	}
	for _, week := range weeks {
		if _, err := a.dropWeek(ctx, week, `removed = 2`); err != nil {
			return err
		}
	}
	return a.dropOrphans(ctx)
}

// dropWeek removes all suites of a week, and drops its partitions, if all of them meet a condition. It reports whether it has. A server
// without partitions deletes the rows of each suite instead.
func (a *Archive) dropWeek(ctx context.Context, week int64, condition string, args ...any) (dropped bool, err error) {
	if past, err := a.isPast(ctx, week); err != nil || !past || !a.weeks.drop(week) {
		return false, err
	}
	defer a.weeks.dropped(week)
	ids, err := a.suitesWith(ctx, `week = $1`, week)
	if err != nil {
		return false, err
	}
	doomed, err := a.suitesWith(ctx, `week = $1 AND (`+condition+`)`, append([]any{week}, args...)...)
	if err != nil || len(ids) != len(doomed) {
		return false, err
	}
	for _, id := range doomed {
		if !a.partitioned {
			if err := a.purgeRows(ctx, id); err != nil {
				return false, err
			}
		}
		if err := a.forget(ctx, id); err != nil {
			return false, err
		}
	}
	if !a.partitioned {
		return true, nil
	}
	return true, a.dropPartitions(ctx, week)
}

// isPast reports whether a week ended at least a day ago. No other is dropped: dropping waits for readers, and those who submit suites must not
// wait for that.
func (a *Archive) isPast(ctx context.Context, week int64) (past bool, err error) {
	err = a.read(ctx, "look at the clock of", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT $1::bigint < floor((extract(epoch FROM clock_timestamp()) - 86400) / $2::bigint)`, week, int64(weekLength/time.Second)).Scan(&past)
	})
	return past, err
}

// dropOrphans drops the partitions of weeks without suites, which an interrupted removal has left.
func (a *Archive) dropOrphans(ctx context.Context) error {
	if !a.partitioned {
		return nil
	}
	var names []string
	used := make(map[int64]bool)
	if err := a.read(ctx, "look for partitions in", func(ctx context.Context, tx pgx.Tx) error {
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var week int64
			err := row.Scan(&week)
			used[week] = true
			return err
		}, `SELECT DISTINCT week FROM suite`); err != nil {
			return err
		}
		return each(ctx, tx, func(row pgx.Rows) error {
			var name string
			err := row.Scan(&name)
			names = append(names, name)
			return err
		}, `SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`, a.schema)
	}); err != nil {
		return err
	}
	orphans := make(map[int64]bool)
	for _, name := range names {
		if week, ok := weekIn(name); ok && !used[week] {
			orphans[week] = true
		}
	}
	for week := range orphans {
		if _, err := a.dropWeek(ctx, week, `true`); err != nil { // there is none
			return err
		}
	}
	return nil
}

// Tidy does nothing: the server reuses the space of deleted rows by itself.
func (*Archive) Tidy(context.Context) error { return nil }

// Size is about how many bytes of the server's disk the suites take. The tables themselves do not become smaller when rows are deleted.
func (a *Archive) Size(ctx context.Context) (size int64, err error) {
	err = a.read(ctx, "measure", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT coalesce(sum(bytes), 0)::bigint FROM space JOIN suite ON suite.id = space.suite WHERE removed = 0`).Scan(&size)
	})
	return size, err
}

// Oldest returns the suite that ended first, and when it ended; the id is empty if none has ended.
func (a *Archive) Oldest(ctx context.Context) (id string, at time.Time, err error) {
	err = a.read(ctx, "look for the oldest suite of", func(ctx context.Context, tx pgx.Tx) error {
		var ns int64
		err := tx.QueryRow(ctx, `SELECT id, coalesce((SELECT max(ended_ns) FROM run WHERE suite = s.id), created_ns) AS ended
			FROM suite s WHERE removed = 0 AND status `+ended+` ORDER BY ended, number LIMIT 1`).Scan(into(&id), &ns)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		at = time.Unix(0, ns).UTC()
		return err
	})
	return id, at, err
}
