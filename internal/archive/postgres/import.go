package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/portable"
)

// Import stores a suite that Export wrote, and returns its id. Errors: ErrDamaged, ErrNewer, ErrExists.
//
// The suite is stored in small transactions and is invisible until validate accepts it; validate may read its windows. If
// ctx or the process ends, the incomplete suite is deleted, now or by Purge.
func (a *Archive) Import(ctx context.Context, from io.Reader, validate func(ctx context.Context, s archive.Suite, runs []archive.RunRecord) error) (string, error) {
	in := &incoming{a: a, leave: func() {}}
	defer in.end()
	return portable.Import(ctx, from, in, validate)
}

// Take stores a suite that Copy wrote, whether it has ended or not, and returns its id. The errors are those of Import.
func (a *Archive) Take(ctx context.Context, from io.Reader) (string, error) {
	in := &incoming{a: a, leave: func() {}}
	defer in.end()
	return portable.Take(ctx, from, in)
}

// incoming stores the rows of a file.
type incoming struct {
	a     *Archive
	suite string
	week  int64
	leave func() // allows that the week is dropped

	place // after the last batch that was stored
}

// end ends an import: from now on Purge removes the suite if it is incomplete.
func (in *incoming) end() {
	in.leave()
	if in.suite != "" {
		in.a.coming.Delete(in.suite)
	}
}

// place is where the next rows belong to.
type place struct {
	phase, window int64
	parts         int64 // of the window
}

// Store implements portable.Sink.
func (in *incoming) Store(ctx context.Context, rows []portable.Row) error {
	if len(rows) > 0 && rows[0].Table == portable.Suite {
		if err := in.enter(ctx, &rows[0]); err != nil {
			return err
		}
	}
	at := in.place
	if err := in.a.write(ctx, "import a suite into", func(ctx context.Context, tx *transaction) error {
		at = in.place
		return in.store(ctx, tx, rows, &at)
	}); err != nil {
		return err
	}
	in.place = at
	return nil
}

// enter prepares the week of a suite.
func (in *incoming) enter(ctx context.Context, suite *portable.Row) error {
	at := slices.Index(suite.Columns, "created_ns")
	if at < 0 {
		return portable.Damaged("its suite has no time of its submission")
	}
	created, is := suite.Values[at].(int64)
	if !is {
		return portable.Damaged("the time of submission of its suite is no number")
	}
	in.week = weekOf(time.Unix(0, created))
	leave, err := in.a.enterWeek(ctx, in.week)
	if err != nil {
		return in.a.explain("import a suite into", err)
	}
	in.leave = leave
	return in.a.clear(ctx, suite.Text("id"))
}

func (in *incoming) store(ctx context.Context, tx *transaction, rows []portable.Row, at *place) error {
	ids, err := in.ids(ctx, tx, rows)
	if err != nil {
		return err
	}
	var b pgx.Batch
	inserts := make(map[int]string)
	size := int64(0)
	for i := range rows {
		row := &rows[i]
		size += spaceOf(row)
		columns, args := slices.Clip(row.Columns), make([]any, 0, len(row.Values)+3)
		for _, v := range row.Values {
			if s, is := v.(string); is {
				v = encode(s)
			}
			args = append(args, v)
		}
		add := func(column string, value int64) { columns, args = append(columns, column), append(args, value) }
		switch row.Table {
		case portable.Suite:
			if err := in.begin(ctx, tx, row.Text("id")); err != nil {
				return err
			}
			add("removed", deleting)
			add("week", in.week)
		case portable.Observation:
			add("week", in.week)
		case portable.Phase:
			at.phase, ids.phases = ids.phases[0], ids.phases[1:]
			add("id", at.phase)
		case portable.Window:
			at.window, at.parts = in.a.ids.take(), 0
			add("id", at.window)
			add("phase", at.phase)
			add("week", in.week)
		case portable.Measurement, portable.Sample:
			add("id", at.parts)
			at.parts++
			fallthrough
		case portable.Lateness:
			add(`"window"`, at.window)
			add("week", in.week)
		}
		if inserts[row.Table] == "" {
			inserts[row.Table] = insertOf(row.Table, columns)
		}
		b.Queue(inserts[row.Table], args...)
		if row.Table == portable.Suite {
			b.Queue(`INSERT INTO space (suite, bytes) VALUES ($1, 0)`, encode(in.suite))
		}
	}
	if err := tx.SendBatch(ctx, &b).Close(); isData(err) || err != nil && !tx.IsClosed() && stateOf(err) == "" && ctx.Err() == nil {
		return portable.Damaged("a row of it cannot be stored (%v)", err) // also one whose value has the wrong type, which is not sent
	} else if err != nil {
		return err
	}
	account(tx, encode(in.suite), size)
	return nil
}

// insertOf returns the statement that inserts a row.
func insertOf(table int, columns []string) string {
	var values strings.Builder
	for i := range columns {
		fmt.Fprintf(&values, ", $%d", i+1)
	}
	return fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (%s)`, portable.Tables()[table].Name, strings.Join(columns, ", "), values.String()[2:])
}

// isData reports whether the server refuses the values of a row, as opposed to a failure to store them.
func isData(err error) bool {
	state := stateOf(err)
	return strings.HasPrefix(state, "22") || strings.HasPrefix(state, "23")
}

// newIDs are ids for the rows of a batch.
type newIDs struct{ phases []int64 }

// ids gets ids for the phases and windows of a batch.
func (in *incoming) ids(ctx context.Context, tx *transaction, rows []portable.Row) (ids newIDs, err error) {
	phases, windows := 0, 0
	for i := range rows {
		switch rows[i].Table {
		case portable.Phase:
			phases++
		case portable.Window:
			windows++
		}
	}
	if phases > 0 {
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var id int64
			err := row.Scan(&id)
			ids.phases = append(ids.phases, id)
			return err
		}, `SELECT nextval(pg_get_serial_sequence('phase', 'id')) FROM generate_series(1, $1::bigint)`, phases); err != nil {
			return ids, err
		}
	}
	for in.a.ids.left() < int64(windows) {
		var first int64
		if err := tx.QueryRow(ctx, `SELECT nextval('window_id')`).Scan(&first); err != nil {
			return ids, err
		}
		in.a.ids.add(first)
	}
	return ids, nil
}

// begin checks that the archive does not have the suite, and hides it until it is accepted.
func (in *incoming) begin(ctx context.Context, tx *transaction, id string) error {
	if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = $1`, encode(id)); err != nil {
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
	err = in.a.read(ctx, "read imported suite of", func(ctx context.Context, tx pgx.Tx) (err error) {
		if err := scanSuite(tx.QueryRow(ctx, suiteColumns, encode(id)), &suite); err != nil {
			return err
		}
		runs, err = readRuns(ctx, tx, `WHERE suite = $1 ORDER BY number`, encode(id))
		return err
	})
	if err != nil && ctx.Err() == nil && !isBroken(err) {
		err = portable.Damaged("it cannot be read back (%v)", err)
	}
	return suite, runs, err
}

// Accept implements portable.Sink.
func (in *incoming) Accept(ctx context.Context, id string) error {
	return in.a.write(ctx, "import suite "+id+" into", func(_ context.Context, tx *transaction) error {
		tx.later(`UPDATE suite SET removed = 0 WHERE id = $1`, encode(id))
		return nil
	})
}

// Drop implements portable.Sink.
func (in *incoming) Drop(ctx context.Context, id string) {
	in.leave()
	in.leave = func() {}
	if err := in.a.purge(ctx, id); err != nil && !errors.Is(err, archive.ErrFenced) {
		in.a.logger.Warn("remove an incomplete import", "suite", id, "error", err)
	}
}
