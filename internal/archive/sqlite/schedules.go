package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/schedule"
)

// Schedules returns all schedules by their names.
func (a *Archive) Schedules(ctx context.Context) ([]archive.Schedule, error) {
	var list []archive.Schedule
	err := a.read(ctx, "list schedules of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var s archive.Schedule
			var created, next int64
			var state string
			err := row.Scan(&s.Name, &s.Recurs, &s.Owner, &created, &next, &s.Paused, &s.Request, &state)
			s.Created, s.Next, s.State = time.Unix(0, created).UTC(), time.Unix(0, next).UTC(), []byte(state)
			list = append(list, s)
			return err
		}, `SELECT name, recurs, owner, created_ns, next_ns, paused, request, state FROM schedule ORDER BY name`)
	})
	return list, err
}

// PutSchedule atomically stores a schedule, in place of one of the same name, and adds alerts to it.
func (a *Archive) PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error {
	return a.write(ctx, "store schedule "+s.Name+" in", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO schedule (name, recurs, owner, created_ns, next_ns, paused, request, state)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET recurs = excluded.recurs, owner = excluded.owner,
			created_ns = excluded.created_ns, next_ns = excluded.next_ns, paused = excluded.paused, request = excluded.request, state = excluded.state`,
			s.Name, s.Recurs, s.Owner, s.Created.UnixNano(), s.Next.UnixNano(), s.Paused, s.Request, string(s.State)); err != nil {
			return err
		}
		for _, one := range alerts {
			if _, err := tx.ExecContext(ctx, `INSERT INTO alert (schedule, at_ns, suite, since, earliest, latest, case_name, figure, unit, verdict,
				ratio, low, high, statistic, threshold, test) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				s.Name, one.At.UnixNano(), one.Suite, one.Since, one.Earliest, one.Latest, one.Case, one.Figure, one.Unit, one.Verdict,
				one.Ratio, one.Low, one.High, one.Statistic, one.Threshold, one.Test); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveSchedule deletes a schedule with its alerts. Its suites remain.
func (a *Archive) RemoveSchedule(ctx context.Context, name string) error {
	return a.write(ctx, "remove schedule "+name+" from", func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM schedule WHERE name = ?`, name)
		return changedOne(res, err, "schedule", name)
	})
}

// Alerts returns the newest alerts of a schedule, at most as many as given, the newest first.
func (a *Archive) Alerts(ctx context.Context, name string, most int) ([]schedule.Alert, error) {
	var list []schedule.Alert
	err := a.read(ctx, "list alerts of schedule "+name+" of", func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(row scanner) error {
			var one schedule.Alert
			var at int64
			err := row.Scan(&at, &one.Suite, &one.Since, &one.Earliest, &one.Latest, &one.Case, &one.Figure, &one.Unit, &one.Verdict,
				&one.Ratio, &one.Low, &one.High, &one.Statistic, &one.Threshold, &one.Test)
			one.At = time.Unix(0, at).UTC()
			list = append(list, one)
			return err
		}, `SELECT at_ns, suite, since, earliest, latest, case_name, figure, unit, verdict, ratio, low, high, statistic, threshold, test
			FROM alert WHERE schedule = ? ORDER BY id DESC LIMIT ?`, name, most)
	})
	return list, err
}
