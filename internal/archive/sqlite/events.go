package sqlite

import (
	"context"
	"database/sql"

	"github.com/benchd/benchd/internal/archive"
)

// Events returns a run's events in the order in which they happened.
func (a *Archive) Events(ctx context.Context, run string) ([]archive.Event, error) {
	var list []archive.Event
	err := a.read(ctx, "read events of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			event := archive.Event{Run: run}
			var at sql.NullInt64
			err := row.Scan(&at, &event.Phase, &event.Offset, &event.Kind, &event.Text)
			event.At = timeOf(at)
			list = append(list, event)
			return err
		}, `SELECT at_ns, phase, offset_ns, kind, text FROM event WHERE run = ? ORDER BY at_ns, id`, run)
	})
	return list, err
}

func insertEvents(ctx context.Context, tx *sql.Tx, events []archive.Event) error {
	for _, event := range events {
		if there, err := exists(ctx, tx, `SELECT 1 FROM run WHERE id = ?`, event.Run); err != nil {
			return err
		} else if !there {
			return notFound("run", event.Run)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO event (run, at_ns, phase, offset_ns, kind, text) VALUES (?, ?, ?, ?, ?, ?)`,
			event.Run, event.At.UnixNano(), event.Phase, int64(event.Offset), event.Kind, event.Text); err != nil {
			return err
		}
	}
	return nil
}
