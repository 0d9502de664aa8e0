package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/schedule"
)

// Schedules returns all schedules by their names.
func (a *Archive) Schedules(ctx context.Context) ([]archive.Schedule, error) {
	var list []archive.Schedule
	err := a.read(ctx, "list schedules of", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var s archive.Schedule
			var created, next, paused int64
			err := row.Scan(into(&s.Name), into(&s.Recurs), into(&s.Owner), &created, &next, &paused, &s.Request, (*content)(&s.State))
			s.Created, s.Next, s.Paused = time.Unix(0, created).UTC(), time.Unix(0, next).UTC(), paused != 0
			list = append(list, s)
			return err
		}, `SELECT name, recurs, owner, created_ns, next_ns, paused, request, state FROM schedule ORDER BY name`)
	})
	return list, err
}

// PutSchedule atomically stores a schedule, in place of one of the same name, and adds alerts to it.
func (a *Archive) PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error {
	return a.write(ctx, "store schedule "+s.Name+" in", func(_ context.Context, tx *transaction) error {
		name := encode(s.Name)
		tx.later(`INSERT INTO schedule (name, recurs, owner, created_ns, next_ns, paused, request, state)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO UPDATE SET recurs = excluded.recurs, owner = excluded.owner,
			created_ns = excluded.created_ns, next_ns = excluded.next_ns, paused = excluded.paused, request = excluded.request, state = excluded.state`,
			name, encode(s.Recurs), encode(s.Owner), s.Created.UnixNano(), s.Next.UnixNano(), bit(s.Paused), bytesOf(s.Request), encode(string(s.State)))
		for _, one := range alerts {
			tx.later(`INSERT INTO alert (schedule, at_ns, suite, since, earliest, latest, case_name, figure, unit, verdict,
				ratio, low, high, statistic, threshold, test) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
				name, one.At.UnixNano(), encode(one.Suite), encode(one.Since), encode(one.Earliest), encode(one.Latest), encode(one.Case), encode(one.Figure),
				encode(one.Unit), encode(one.Verdict), one.Ratio, one.Low, one.High, one.Statistic, one.Threshold, encode(one.Test))
		}
		return nil
	})
}

// RemoveSchedule deletes a schedule with its alerts. Its suites remain.
func (a *Archive) RemoveSchedule(ctx context.Context, name string) error {
	return a.write(ctx, "remove schedule "+name+" from", func(ctx context.Context, tx *transaction) error {
		tag, err := tx.Exec(ctx, `DELETE FROM schedule WHERE name = $1`, encode(name))
		return changedOne(tag, err, "schedule", name)
	})
}

// Alerts returns the newest alerts of a schedule, at most as many as given, the newest first.
func (a *Archive) Alerts(ctx context.Context, name string, most int) ([]schedule.Alert, error) {
	var list []schedule.Alert
	err := a.read(ctx, "list alerts of schedule "+name+" of", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var one schedule.Alert
			var at int64
			err := row.Scan(&at, into(&one.Suite), into(&one.Since), into(&one.Earliest), into(&one.Latest), into(&one.Case), into(&one.Figure), into(&one.Unit),
				into(&one.Verdict), &one.Ratio, &one.Low, &one.High, &one.Statistic, &one.Threshold, into(&one.Test))
			one.At = time.Unix(0, at).UTC()
			list = append(list, one)
			return err
		}, `SELECT at_ns, suite, since, earliest, latest, case_name, figure, unit, verdict, ratio, low, high, statistic, threshold, test
			FROM alert WHERE schedule = $1 ORDER BY id DESC LIMIT $2`, encode(name), most)
	})
	return list, err
}
