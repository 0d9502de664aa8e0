package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/result"
)

// AddObservations stores observations of a run; an unknown run is ErrNotFound, an ended one is ErrEnded. Instants are stored
// in milliseconds.
func (a *Archive) AddObservations(ctx context.Context, run string, observed []result.Observed) error {
	if observed = column.Observing(observed); len(observed) == 0 {
		return nil
	}
	return a.write(ctx, "add observations to", func(ctx context.Context, tx *sql.Tx) error {
		var status result.Status
		err := tx.QueryRowContext(ctx, `SELECT status FROM run WHERE id = ?`, run).Scan(&status)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return notFound("run", run)
		case err != nil:
			return err
		case status.Ended():
			return archive.Faultf(archive.ErrEnded, nil, "add observations to run %s: the run has ended", run)
		}
		known, err := figuresOf(ctx, tx, run)
		if err != nil {
			return err
		}
		b := column.NewBatch(known, observed)
		for _, f := range b.New {
			if _, err := tx.ExecContext(ctx, `INSERT INTO figure (run, number, name, source, unit) VALUES (?, ?, ?, ?, ?)`, run, f.Number, f.Name, f.Source, f.Unit); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO observation (run, from_ns, to_ns, points) VALUES (?, ?, ?, ?)`, run, int64(b.From), int64(b.To), b.Points)
		return err
	})
}

func figuresOf(ctx context.Context, tx *sql.Tx, run string) (map[column.Figure]int, error) {
	known := make(map[column.Figure]int)
	err := each(ctx, tx, func(row scanner) error {
		var number int
		var key column.Figure
		err := row.Scan(&number, &key.Name, &key.Source)
		known[key] = number
		return err
	}, `SELECT number, name, source FROM figure WHERE run = ?`, run)
	return known, err
}

// Observations returns the observations of a run, figure by figure, each in the order of its instants.
func (a *Archive) Observations(ctx context.Context, run string) ([]result.Observed, error) {
	var all column.Observations
	err := a.read(ctx, "read observations of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
		if err := each(ctx, tx, func(row scanner) error {
			var o result.Observed
			var number int
			err := row.Scan(&number, &o.Name, &o.Source, &o.Unit)
			all.Figure(number, o)
			return err
		}, `SELECT number, name, source, unit FROM figure WHERE run = ? ORDER BY number`, run); err != nil {
			return err
		}
		return each(ctx, tx, func(row scanner) error {
			var from int64
			var points []byte
			if err := row.Scan(&from, &points); err != nil {
				return err
			}
			return all.Batch(run, time.Duration(from), points)
		}, `SELECT from_ns, points FROM observation WHERE run = ? ORDER BY id`, run)
	})
	return all.All(), err
}
