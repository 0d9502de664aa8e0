package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

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
	return a.write(ctx, "add observations to", func(ctx context.Context, tx *transaction) error {
		var status result.Status
		var suite string
		var week int64
		err := tx.QueryRow(ctx, `SELECT r.status, s.id, s.week FROM run r JOIN suite s ON s.id = r.suite AND s.removed <> 2 WHERE r.id = $1`, encode(run)).
			Scan(into(&status), &suite, &week)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return notFound("run", run)
		case err != nil:
			return err
		case status.Ended():
			return archive.Faultf(archive.ErrEnded, nil, "add observations to run %s: the run has ended", run)
		}
		known, err := figuresOfRun(ctx, tx, run)
		if err != nil {
			return err
		}
		b := column.NewBatch(known, observed)
		for _, f := range b.New {
			tx.later(`INSERT INTO figure (run, number, name, source, unit) VALUES ($1, $2, $3, $4, $5)`, encode(run), f.Number, encode(f.Name), encode(f.Source), encode(f.Unit))
		}
		tx.later(`INSERT INTO observation (run, from_ns, to_ns, points, week) VALUES ($1, $2, $3, $4, $5)`, encode(run), int64(b.From), int64(b.To), b.Points, week)
		account(tx, suite, int64(observationBytes+len(b.Points)))
		return nil
	})
}

func figuresOfRun(ctx context.Context, tx querier, run string) (map[column.Figure]int, error) {
	known := make(map[column.Figure]int)
	err := each(ctx, tx, func(row pgx.Rows) error {
		var number int
		var key column.Figure
		err := row.Scan(&number, into(&key.Name), into(&key.Source))
		known[key] = number
		return err
	}, `SELECT number, name, source FROM figure WHERE run = $1`, encode(run))
	return known, err
}

// Observations returns the observations of a run, figure by figure, each in the order of its instants.
func (a *Archive) Observations(ctx context.Context, run string) ([]result.Observed, error) {
	var all column.Observations
	err := a.read(ctx, "read observations of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
		var week int64
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var o result.Observed
			var number int
			err := row.Scan(&number, into(&o.Name), into(&o.Source), into(&o.Unit), &week)
			all.Figure(number, o)
			return err
		}, `SELECT f.number, f.name, f.source, f.unit, s.week FROM figure f JOIN run r ON r.id = f.run JOIN suite s ON s.id = r.suite WHERE f.run = $1 ORDER BY f.number`,
			encode(run)); err != nil || len(all.All()) == 0 {
			return err
		}
		return each(ctx, tx, func(row pgx.Rows) error {
			var from int64
			var points []byte
			if err := row.Scan(&from, &points); err != nil {
				return err
			}
			return all.Batch(run, time.Duration(from), points)
		}, `SELECT from_ns, points FROM observation WHERE run = $1 AND week = $2 ORDER BY id`, encode(run), week)
	})
	return all.All(), err
}
