package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

// maxRunFigures bounds the figures of a run. Further figures are dropped.
const maxRunFigures = 1 << 16

// figureKey distinguishes the figures of a run.
type figureKey struct{ name, source string }

// AddObservations stores observations of a run; an unknown run is ErrNotFound, an ended one is ErrEnded. Instants are stored
// in milliseconds.
func (a *Archive) AddObservations(ctx context.Context, run string, observed []result.Observed) error {
	observed = slices.DeleteFunc(slices.Clone(observed), func(o result.Observed) bool { return len(o.At) == 0 })
	if len(observed) == 0 {
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
			return faultf(archive.ErrEnded, nil, "add observations to run %s: the run has ended", run)
		}
		known, err := figuresOf(ctx, tx, run)
		if err != nil {
			return err
		}
		from, to := observed[0].At[0], observed[0].At[0]
		figures, numbers := make([]result.Observed, 0, len(observed)), make([]int, 0, len(observed))
		for _, o := range observed {
			key := figureKey{o.Name, o.Source}
			number, old := known[key]
			if !old {
				if number = len(known); number >= maxRunFigures {
					continue
				}
				known[key] = number
				if _, err := tx.ExecContext(ctx, `INSERT INTO figure (run, number, name, source, unit) VALUES (?, ?, ?, ?, ?)`, run, number, o.Name, o.Source, o.Unit); err != nil {
					return err
				}
			}
			figures, numbers = append(figures, o), append(numbers, number)
			from, to = min(from, o.At[0]), max(to, o.At[len(o.At)-1])
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO observation (run, from_ns, to_ns, points) VALUES (?, ?, ?, ?)`,
			run, int64(from), int64(to), encodePoints(from, figures, numbers))
		return err
	})
}

func figuresOf(ctx context.Context, tx *sql.Tx, run string) (map[figureKey]int, error) {
	known := make(map[figureKey]int)
	err := each(ctx, tx, func(row scanner) error {
		var number int
		var key figureKey
		err := row.Scan(&number, &key.name, &key.source)
		known[key] = number
		return err
	}, `SELECT number, name, source FROM figure WHERE run = ?`, run)
	return known, err
}

// Observations returns the observations of a run, figure by figure, each in the order of its instants.
func (a *Archive) Observations(ctx context.Context, run string) ([]result.Observed, error) {
	var list []result.Observed
	err := a.read(ctx, "read observations of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
		at := make(map[int]int)
		if err := each(ctx, tx, func(row scanner) error {
			var o result.Observed
			var number int
			err := row.Scan(&number, &o.Name, &o.Source, &o.Unit)
			at[number] = len(list)
			list = append(list, o)
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
			figures, err := decodePoints(time.Duration(from), points)
			if err != nil {
				return faultf(archive.ErrCorrupt, err, "read observations of run %s: %v", run, err)
			}
			for _, f := range figures {
				i, ok := at[f.number]
				if !ok {
					return faultf(archive.ErrCorrupt, nil, "read observations of run %s: unknown figure %d", run, f.number)
				}
				list[i].At = append(list[i].At, f.at...)
				list[i].Values = append(list[i].Values, f.values...)
			}
			return nil
		}, `SELECT from_ns, points FROM observation WHERE run = ? ORDER BY id`, run)
	})
	for i := range list {
		order(&list[i])
	}
	return list, err
}

// order sorts the points of two agents that observed at the same time.
func order(o *result.Observed) {
	if slices.IsSorted(o.At) {
		return
	}
	index := make([]int, len(o.At))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(o.At[a], o.At[b]) })
	sorted := result.Observed{Name: o.Name, Source: o.Source, Unit: o.Unit}
	for _, i := range index {
		sorted.At, sorted.Values = append(sorted.At, o.At[i]), append(sorted.Values, o.Values[i])
	}
	*o = sorted
}
