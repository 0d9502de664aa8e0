package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

const (
	// rollRows is about how many measurements one transaction of a roll-up merges: some 30 ms, for which an arriving
	// window has to wait.
	rollRows = 1500
	// rollWindows is about how many windows are read together.
	rollWindows = 3000
)

// Extents returns the extents of all phases of a run in their order, even of one being imported; an empty run selects all
// runs except those of suites being imported. Suites being removed have none.
func (a *Archive) Extents(ctx context.Context, run string) ([]archive.PhaseExtent, error) {
	var list []archive.PhaseExtent
	suite, _, _ := strings.Cut(run, ".")
	_, coming := a.coming.Load(suite)
	err := a.read(ctx, "look at phases of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var e archive.PhaseExtent
			err := row.Scan(&e.Run, &e.Phase, &e.Ended, &e.Shards, &e.Windows, &e.Length, &e.Rolled, &e.RolledTo)
			list = append(list, e)
			return err
		}, `SELECT p.run, p.name, run.status IN ('complete', 'partial', 'failed', 'cancelled'),
			(SELECT count(DISTINCT shard) FROM agent WHERE agent.run = p.run), p.newest + 1,
			(SELECT max(end_ns) FROM window WHERE phase = p.id AND seq = p.newest), p.rolled_windows, p.rolled_seq
			FROM (SELECT *, (SELECT max(seq) FROM window WHERE phase = phase.id) AS newest FROM phase WHERE ?1 = '' OR run = ?1) p
			JOIN run ON run.id = p.run JOIN suite ON suite.id = run.suite
			WHERE newest IS NOT NULL AND (suite.removed = 0 OR ?2) ORDER BY p.id`, run, coming)
	})
	return list, err
}

// holder is a window with measurements, its own and possibly those of others.
type holder struct {
	id            int64
	late, samples bool // it has a lateness, or error messages
}

type roll = column.Roll[holder]

// RollUp rolls windows up, one stretch of numbers after another, and returns when there is nothing left to do. Each
// transaction is small and keeps the archive exact: a roll-up may be interrupted anywhere, and continued by the same call.
// Between transactions it calls pause, which may wait, and returns its error.
//
// A phase that was rolled up by steps of fewer windows is rolled up further; one rolled up by more is left alone. The next
// call merges windows that arrive late.
func (a *Archive) RollUp(ctx context.Context, r archive.RollUp, pause func(context.Context) error) error {
	if r.Windows < 2 {
		return nil
	}
	stretches := 1
	for {
		phase, from, err := a.beginRolling(ctx, r)
		if err != nil || from < 0 || from+r.Windows > r.Before {
			return err
		}
		span := min(stretches, (r.Before-from)/r.Windows) * r.Windows
		rolls, count, err := a.stretch(ctx, phase, from, span, r)
		if err != nil {
			return err
		}
		// With few agents, several stretches together have that many windows.
		stretches = max(1, cmp.Or(a.rollTogether, rollWindows)/max(count*r.Windows/span, 1))
		for done := false; !done; {
			if err := a.write(ctx, "roll up windows in", func(ctx context.Context, tx *sql.Tx) error {
				rows, merger := 0, a.beginMerging(ctx, tx)
				for len(rolls) > 0 && rows < rollRows {
					n, err := merger.merge(rolls[0])
					if err != nil {
						return err
					}
					rows += n
					rolls = rolls[1:]
				}
				if done = len(rolls) == 0; !done {
					return nil
				}
				// Unless a window has arrived meanwhile, these stretches are done.
				_, err := tx.ExecContext(ctx, `UPDATE phase SET rolled_seq = ?1 + ?2 WHERE id = ?3 AND rolled_seq = ?1 AND rolled_windows = ?5
					AND ?4 = (SELECT count(*) FROM window WHERE phase = ?3 AND seq >= ?1 AND seq < ?1 + ?2)`, from, span, phase, count, r.Windows)
				return err
			}); err != nil {
				return err
			}
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
}

// beginRolling finds the next stretch of a phase; it is negative if there is none.
func (a *Archive) beginRolling(ctx context.Context, r archive.RollUp) (phase int64, from int, err error) {
	var windows int
	if err := a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT id, rolled_windows, rolled_seq FROM phase WHERE run = ? AND name = ?`,
			r.Run, r.Phase).Scan(&phase, &windows, &from)
		if errors.Is(err, sql.ErrNoRows) {
			from = -1
			return nil
		}
		return err
	}); err != nil || from < 0 || windows == r.Windows {
		return phase, from, err
	}
	if windows < 1 || windows > r.Windows || r.Windows%windows != 0 {
		return phase, -1, nil
	}
	return phase, 0, a.write(ctx, "roll up windows in", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE phase SET rolled_windows = ?, rolled_seq = 0 WHERE id = ?`, r.Windows, phase)
		return err
	})
}

// stretch lists the windows to merge in some stretches, and counts their windows.
func (a *Archive) stretch(ctx context.Context, phase int64, from, span int, r archive.RollUp) (rolls []roll, count int, err error) {
	groups := column.Stretch[holder]{Step: r.Step}
	err = a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var w column.Placed
			var h holder
			err := row.Scan(&h.id, &w.Start, &w.End, &w.Shard, &w.Attempt, &w.Tail, &w.Holds, &h.late, &h.samples)
			groups.Add(w, h)
			return err
		}, `SELECT id, start_ns, end_ns, shard, attempt, tail, rolled_ns IS NOT 0,
			EXISTS (SELECT 1 FROM lateness WHERE window = window.id),
			EXISTS (SELECT 1 FROM error_sample WHERE window = window.id)
			FROM window WHERE phase = ? AND seq >= ? AND seq < ? ORDER BY seq, shard, attempt`, phase, from, from+span)
	})
	return groups.Rolls(), groups.Count, err
}

// rollStatements are the prepared statements of RollUp.
type rollStatements struct{ measurements, lateness, forget, forgetLateness, move, keep *sql.Stmt }

func prepareRoll(ctx context.Context, db *sql.DB) (s rollStatements, err error) {
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&s.measurements, `SELECT op, outcome, part_of, count, response_sum_ns, response_min_ns, response_max_ns, response_overflow,
			service_sum_ns, service_min_ns, service_max_ns, service_overflow, response, service
			FROM measurement WHERE window = ? ORDER BY id`},
		{&s.lateness, `SELECT histogram FROM lateness WHERE window = ?`},
		{&s.forget, `DELETE FROM measurement WHERE window = ?`},
		{&s.forgetLateness, `DELETE FROM lateness WHERE window = ?`},
		{&s.move, `UPDATE window SET rolled_ns = 0 WHERE id = ?`},
		{&s.keep, `UPDATE window SET rolled_ns = ?2 WHERE id = ?1`},
	} {
		if *p.into, err = db.PrepareContext(ctx, p.query); err != nil { //nolint:sqlclosecheck // rollStatements.close does
			return s, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s rollStatements) close() error {
	var errs []error
	for _, statement := range []*sql.Stmt{s.measurements, s.lateness, s.forget, s.forgetLateness, s.move, s.keep} {
		if statement != nil {
			errs = append(errs, statement.Close())
		}
	}
	return errors.Join(errs...)
}

// roller rolls up within one transaction.
type roller struct {
	ctx        context.Context
	tx         *sql.Tx
	statements rollStatements
	add        *adder
	sum        *latency.Merged // of one roll at a time
}

func (a *Archive) beginMerging(ctx context.Context, tx *sql.Tx) *roller {
	r := &roller{ctx: ctx, tx: tx, add: a.add.begin(ctx, tx), statements: rollStatements{
		measurements: tx.StmtContext(ctx, a.roll.measurements), lateness: tx.StmtContext(ctx, a.roll.lateness),
		forget: tx.StmtContext(ctx, a.roll.forget), forgetLateness: tx.StmtContext(ctx, a.roll.forgetLateness),
		move: tx.StmtContext(ctx, a.roll.move), keep: tx.StmtContext(ctx, a.roll.keep),
	}}
	r.add.compact, r.sum = &a.compact, &a.merged // there is only one writer
	return r
}

// merge moves the measurements of windows into the first of them, and returns how many there were.
func (d *roller) merge(r roll) (rows int, err error) {
	d.sum.Reset()
	var lateness latency.Histogram
	late := false
	samples := make(map[latency.Key]bool)
	for i, h := range r.Holders {
		n, err := d.measurements(h.id)
		if err == nil && h.late {
			late = true
			err = d.lateness(h.id, &lateness)
		}
		if err == nil && h.samples {
			err = d.thinSamples(h.id, samples)
		}
		if err == nil {
			_, err = d.statements.forget.ExecContext(d.ctx, h.id)
		}
		if err == nil && i > 0 {
			_, err = d.statements.move.ExecContext(d.ctx, h.id)
		}
		if err != nil {
			return rows, err
		}
		rows += n
	}
	first := r.Holders[0].id
	if _, err := d.statements.keep.ExecContext(d.ctx, first, int64(r.Ends)); err != nil {
		return rows, err
	}
	if late {
		if err := d.add.lateness(first, &lateness); err != nil {
			return rows, err
		}
	}
	for s := range d.sum.All {
		if err := d.add.measurement(first, &s); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// lateness merges the lateness of a window, and deletes it.
func (d *roller) lateness(window int64, sum *latency.Histogram) error {
	var blob []byte
	if err := d.statements.lateness.QueryRowContext(d.ctx, window).Scan(&blob); err != nil {
		return err
	}
	h, err := d.add.compact.Decode(blob)
	if err == nil {
		err = sum.Merge(h)
	}
	if err != nil {
		return archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: its lateness: %v", window, err)
	}
	_, err = d.statements.forgetLateness.ExecContext(d.ctx, window)
	return err
}

// measurements merges the measurements of a window, and returns how many there are.
func (d *roller) measurements(window int64) (count int, err error) {
	rows, err := d.statements.measurements.QueryContext(d.ctx, window)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var m column.Measurement
	for rows.Next() {
		if err := rows.Scan(m.Into()...); err != nil {
			return count, err
		}
		s, err := m.Series(d.add.compact.Decode)
		if err == nil {
			err = d.sum.Add([]latency.Series{s})
		}
		if err != nil {
			return count, archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: %v", window, err)
		}
		count++
	}
	return count, rows.Err()
}

// thinSamples keeps the first error message of its kind among the windows of a step.
func (d *roller) thinSamples(window int64, seen map[latency.Key]bool) error {
	var again []int64
	if err := each(d.ctx, d.tx, func(row scanner) error {
		var id int64
		var kind latency.Key
		if err := row.Scan(&id, &kind.Op, &kind.Outcome); err != nil {
			return err
		}
		if seen[kind] {
			again = append(again, id)
		}
		seen[kind] = true
		return nil
	}, `SELECT id, op, outcome FROM error_sample WHERE window = ? ORDER BY id`, window); err != nil {
		return err
	}
	for _, id := range again {
		if _, err := d.tx.ExecContext(d.ctx, `DELETE FROM error_sample WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
