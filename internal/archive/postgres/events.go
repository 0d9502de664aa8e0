package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// Events returns a run's events in the order in which they happened.
func (a *Archive) Events(ctx context.Context, run string) ([]archive.Event, error) {
	var list []archive.Event
	err := a.read(ctx, "read events of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			event := archive.Event{Run: run}
			var at, offset int64
			err := row.Scan(&at, into(&event.Phase), &offset, into(&event.Kind), into(&event.Text))
			event.At, event.Offset = time.Unix(0, at).UTC(), time.Duration(offset)
			list = append(list, event)
			return err
		}, `SELECT at_ns, phase, offset_ns, kind, text FROM event WHERE run = $1 ORDER BY at_ns, id`, encode(run))
	})
	return list, err
}

func insertEvents(ctx context.Context, tx *transaction, events []archive.Event) error {
	for _, event := range events {
		if there, err := exists(ctx, tx, `SELECT 1 FROM run WHERE id = $1`, encode(event.Run)); err != nil {
			return err
		} else if !there {
			return notFound("run", event.Run)
		}
		tx.later(`INSERT INTO event (run, at_ns, phase, offset_ns, kind, text) VALUES ($1, $2, $3, $4, $5, $6)`,
			encode(event.Run), event.At.UnixNano(), encode(event.Phase), int64(event.Offset), encode(event.Kind), encode(event.Text))
	}
	return nil
}
