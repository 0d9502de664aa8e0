package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/result"
)

// figureKey distinguishes the figures of a run.
type figureKey struct{ name, source string }

// AddObservations stores observations of a run; an unknown run is ErrNotFound, an ended one is ErrEnded. Instants are stored
// in milliseconds.
func (a *Archive) AddObservations(ctx context.Context, run string, observed []result.Observed) error {
	observed = slices.DeleteFunc(slices.Clone(observed), func(o result.Observed) bool { return len(o.At) == 0 })
	if len(observed) == 0 {
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
		from, to := observed[0].At[0], observed[0].At[0]
		figures, numbers := make([]result.Observed, 0, len(observed)), make([]int, 0, len(observed))
		for _, o := range observed {
			key := figureKey{o.Name, o.Source}
			number, old := known[key]
			if !old {
				if number = len(known); number >= column.MaxFigures {
					continue
				}
				known[key] = number
				tx.later(`INSERT INTO figure (run, number, name, source, unit) VALUES ($1, $2, $3, $4, $5)`, encode(run), number, encode(o.Name), encode(o.Source), encode(o.Unit))
			}
			figures, numbers = append(figures, o), append(numbers, number)
			from, to = min(from, o.At[0]), max(to, o.At[len(o.At)-1])
		}
		points := column.EncodePoints(from, figures, numbers)
		tx.later(`INSERT INTO observation (run, from_ns, to_ns, points, week) VALUES ($1, $2, $3, $4, $5)`, encode(run), int64(from), int64(to), points, week)
		account(tx, suite, int64(observationBytes+len(points)))
		return nil
	})
}

func figuresOfRun(ctx context.Context, tx querier, run string) (map[figureKey]int, error) {
	known := make(map[figureKey]int)
	err := each(ctx, tx, func(row pgx.Rows) error {
		var number int
		var key figureKey
		err := row.Scan(&number, into(&key.name), into(&key.source))
		known[key] = number
		return err
	}, `SELECT number, name, source FROM figure WHERE run = $1`, encode(run))
	return known, err
}

// Observations returns the observations of a run, figure by figure, each in the order of its instants.
func (a *Archive) Observations(ctx context.Context, run string) ([]result.Observed, error) {
	var list []result.Observed
	err := a.read(ctx, "read observations of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
		at := make(map[int]int)
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var o result.Observed
			var number int
			err := row.Scan(&number, into(&o.Name), into(&o.Source), into(&o.Unit))
			at[number] = len(list)
			list = append(list, o)
			return err
		}, `SELECT number, name, source, unit FROM figure WHERE run = $1 ORDER BY number`, encode(run)); err != nil || len(list) == 0 {
			return err
		}
		return each(ctx, tx, func(row pgx.Rows) error {
			var from int64
			var points []byte
			if err := row.Scan(&from, &points); err != nil {
				return err
			}
			figures, err := column.DecodePoints(time.Duration(from), points)
			if err != nil {
				return archive.Faultf(archive.ErrCorrupt, err, "read observations of run %s: %v", run, err)
			}
			for _, f := range figures {
				i, ok := at[f.Number]
				if !ok {
					return archive.Faultf(archive.ErrCorrupt, nil, "read observations of run %s: unknown figure %d", run, f.Number)
				}
				list[i].At = append(list[i].At, f.At...)
				list[i].Values = append(list[i].Values, f.Values...)
			}
			return nil
		}, `SELECT from_ns, points FROM observation WHERE run = $1 AND week = (SELECT s.week FROM run r JOIN suite s ON s.id = r.suite WHERE r.id = $1) ORDER BY id`, encode(run))
	})
	for i := range list {
		column.Order(&list[i])
	}
	return list, err
}
