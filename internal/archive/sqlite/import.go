package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/portable"
)

// Import stores a suite that Export wrote, and returns its id. Errors: ErrDamaged, ErrNewer, ErrExists.
//
// The suite is stored in small transactions and is invisible until validate accepts it; validate may read its windows. If
// ctx or the process ends, the incomplete suite is deleted, now or by Purge.
func (a *Archive) Import(ctx context.Context, from io.Reader, validate func(ctx context.Context, s archive.Suite, runs []archive.RunRecord) error) (string, error) {
	in := &incoming{a: a}
	defer in.end()
	return portable.Import(ctx, from, in, validate)
}

// Take stores a suite that Copy wrote, whether it has ended or not, and returns its id. The errors are those of Import.
func (a *Archive) Take(ctx context.Context, from io.Reader) (string, error) {
	in := &incoming{a: a}
	defer in.end()
	return portable.Take(ctx, from, in)
}

// incoming stores the rows of a file.
type incoming struct {
	a     *Archive
	suite string

	phase, window int64 // the rows that the next ones belong to
}

// end ends an import: from now on Purge removes the suite if it is incomplete.
func (in *incoming) end() {
	if in.suite != "" {
		in.a.coming.Delete(in.suite)
	}
}

// Store implements portable.Sink.
func (in *incoming) Store(ctx context.Context, rows []portable.Row) error {
	return in.a.write(ctx, "import a suite into", func(ctx context.Context, tx *sql.Tx) error { return in.store(ctx, tx, rows) })
}

func (in *incoming) store(ctx context.Context, tx *sql.Tx, rows []portable.Row) (err error) {
	prepared := make(map[int]*sql.Stmt)
	defer func() {
		for _, s := range prepared {
			err = errors.Join(err, s.Close())
		}
	}()
	for i := range rows {
		row := &rows[i]
		columns, args := row.Columns, row.Values
		switch row.Table {
		case portable.Suite:
			if err := in.begin(ctx, tx, row.Text("id")); err != nil {
				return err
			}
			columns, args = with(columns, "removed"), with[any](args, int64(1))
		case portable.Window:
			columns, args = with(columns, "phase"), with[any](args, in.phase)
		case portable.Measurement, portable.Sample, portable.Lateness:
			columns, args = with(columns, "window"), with[any](args, in.window)
		}
		if prepared[row.Table] == nil {
			//nolint:gosec // the names are those of this build
			insert := "INSERT INTO " + portable.Tables()[row.Table].Name + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
			if prepared[row.Table], err = tx.PrepareContext(ctx, insert); err != nil { //nolint:sqlclosecheck // above
				return err
			}
		}
		res, err := prepared[row.Table].ExecContext(ctx, args...)
		if isConstraint(err) {
			return portable.Damaged("a row of it cannot be stored (%v)", err)
		}
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		switch row.Table {
		case portable.Phase:
			in.phase = id
		case portable.Window:
			in.window = id
		}
	}
	return nil
}

// with returns a list with one value more, and leaves the list as it is.
func with[T any](list []T, value T) []T { return append(slices.Clip(list), value) }

// begin checks that the archive does not have the suite, and hides it until it is accepted.
func (in *incoming) begin(ctx context.Context, tx *sql.Tx, id string) error {
	if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = ?`, id); err != nil {
		return err
	} else if taken {
		return archive.Faultf(archive.ErrExists, nil, "import suite %s: the archive already has a suite of this id: `benchctl rm %s` removes it", id, id)
	}
	in.suite = id
	in.a.coming.Store(id, true)
	return nil
}

// Read implements portable.Sink.
func (in *incoming) Read(ctx context.Context, id string) (suite archive.Suite, runs []archive.RunRecord, err error) {
	err = in.a.read(ctx, "read imported suite of", func(ctx context.Context, tx *sql.Tx) (err error) {
		row := tx.QueryRowContext(ctx, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, spec, plan FROM suite WHERE id = ?`, id)
		if err := scanSuite(row, &suite); err != nil {
			return err
		}
		runs, err = readRuns(ctx, tx, `WHERE suite = ? ORDER BY number`, id)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = portable.Damaged("it cannot be read back (%v)", err)
	}
	return suite, runs, err
}

// Accept implements portable.Sink.
func (in *incoming) Accept(ctx context.Context, id string) error {
	return in.a.write(ctx, "import suite "+id+" into", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE suite SET removed = 0 WHERE id = ?`, id)
		return err
	})
}

// Drop implements portable.Sink.
func (in *incoming) Drop(ctx context.Context, id string) {
	if err := in.a.purge(ctx, id); err != nil {
		in.a.logger.Warn("remove an incomplete import", "suite", id, "error", err)
	}
}
