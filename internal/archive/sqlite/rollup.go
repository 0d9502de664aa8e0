package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
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

// RollUp rolls windows up, as column.RollUp describes.
func (a *Archive) RollUp(ctx context.Context, r archive.RollUp, pause func(context.Context) error) error {
	return column.RollUp(ctx, r, column.Rolling[int64, holder]{
		Phase: a.rollPhase, Begin: a.rollBegin, Windows: a.rollWindows, Merge: a.rollMerge, Together: a.rollTogether,
	}, pause)
}

func (a *Archive) rollPhase(ctx context.Context, run, name string) (phase int64, windows, rolled int, err error) {
	err = a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT id, rolled_windows, rolled_seq FROM phase WHERE run = ? AND name = ?`, run, name).Scan(&phase, &windows, &rolled)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return phase, windows, rolled, err
}

func (a *Archive) rollBegin(ctx context.Context, phase int64, windows int) error {
	return a.write(ctx, "roll up windows in", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE phase SET rolled_windows = ?, rolled_seq = 0 WHERE id = ?`, windows, phase)
		return err
	})
}

func (a *Archive) rollWindows(ctx context.Context, phase int64, from, below int, add func(column.Placed, holder)) error {
	return a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var w column.Placed
			var h holder
			err := row.Scan(&h.id, &w.Start, &w.End, &w.Shard, &w.Attempt, &w.Tail, &w.Holds, &h.late, &h.samples)
			add(w, h)
			return err
		}, `SELECT id, start_ns, end_ns, shard, attempt, tail, rolled_ns IS NOT 0,
			EXISTS (SELECT 1 FROM lateness WHERE window = window.id),
			EXISTS (SELECT 1 FROM error_sample WHERE window = window.id)
			FROM window WHERE phase = ? AND seq >= ? AND seq < ? ORDER BY seq, shard, attempt`, phase, from, below)
	})
}

func (a *Archive) rollMerge(ctx context.Context, phase int64, rolls []roll, done column.Done) (n int, err error) {
	err = a.writeOn(ctx, "roll up windows in", func(ctx context.Context, conn *sql.Conn, tx *sql.Tx) (err error) {
		n = 0
		merger := a.beginMerging(ctx, conn, tx)
		defer merger.add.end(&err)
		for rows := 0; n < len(rolls) && rows < column.RollRows; n++ {
			merged, err := merger.merge(rolls[n])
			if err != nil {
				return err
			}
			rows += merged
		}
		if n < len(rolls) {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE phase SET rolled_seq = ?3 WHERE id = ?1 AND rolled_seq = ?2 AND rolled_windows = ?5
			AND ?4 = (SELECT count(*) FROM window WHERE phase = ?1 AND seq >= ?2 AND seq < ?3)`, phase, done.From, done.To, done.Count, done.Windows)
		return err
	})
	return n, err
}

// rollStatements are the prepared statements of RollUp.
type rollStatements struct{ measurements, lateness, forget, forgetLateness, move, keep *sql.Stmt }

func prepareRoll(ctx context.Context, db *sql.DB) (s rollStatements, err error) {
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&s.measurements, `SELECT pack_rows(` + seriesColumns + `) FROM measurement WHERE window = ?`},
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
	unpack     unpacker
}

func (a *Archive) beginMerging(ctx context.Context, conn *sql.Conn, tx *sql.Tx) *roller {
	r := &roller{ctx: ctx, tx: tx, add: a.add.begin(ctx, conn, tx), statements: rollStatements{
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
	var packed []byte
	if err := d.statements.measurements.QueryRowContext(d.ctx, window).Scan(&packed); err != nil {
		return 0, err
	}
	list, err := d.unpack.of(packed).series(nil, d.add.compact)
	if err == nil {
		err = d.sum.Add(list)
	}
	if err != nil {
		return 0, archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: %v", window, err)
	}
	return len(list), nil
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
