package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// The cursors of Measured advance together, see windowsOfPhase.
const (
	measuredWindows = `SELECT w.id, seq, shard, attempt, start_ns, max(end_ns, coalesce(rolled_ns, 0)), tail
		FROM phase p CROSS JOIN window w ON w.phase = p.id
		WHERE p.run = ? AND p.name = ? AND w.start_ns >= ? AND w.start_ns < ? AND w.rolled_ns IS NOT 0
		ORDER BY start_ns, seq, shard, attempt`
	measuredSeries = `SELECT w.id, m.op, m.outcome, m.part_of, m.count, m.response_sum_ns, m.response_min_ns,
		m.response_max_ns, m.response_overflow, m.service_sum_ns, m.service_min_ns, m.service_max_ns,
		m.service_overflow, m.response, m.service
		FROM phase p CROSS JOIN window w ON w.phase = p.id CROSS JOIN measurement m ON m.window = w.id
		WHERE p.run = ? AND p.name = ? AND w.start_ns >= ? AND w.start_ns < ? AND w.rolled_ns IS NOT 0
		ORDER BY w.start_ns, w.seq, w.shard, w.attempt, w.id, m.id`
)

// Measured streams the windows of a phase that begin within a time, from one snapshot and in the order of their starts: those that have
// measurements, with their identity, extent and series alone. A window that others are rolled up into extends to the end of the last of
// them. It takes the time of the windows that it yields, however long the run is.
func (a *Archive) Measured(ctx context.Context, run, phase string, from, to time.Duration) iter.Seq2[*latency.Window, error] {
	return func(yield func(*latency.Window, error) bool) {
		enough := false
		err := a.readLong(ctx, "read windows of run "+run+" of", func(ctx context.Context, tx *sql.Tx) (err error) {
			var compact latency.Compactor
			var measurement column.Measurement
			measurements := &children{into: measurement.Into()}
			defer func() { err = errors.Join(err, measurements.close()) }()
			within := []any{run, phase, int64(from), int64(to)}
			if err := measurements.open(ctx, tx, measuredSeries, within...); err != nil {
				return err
			}
			return each(ctx, tx, func(row scanner) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				w := &latency.Window{ID: latency.WindowID{Run: run, Phase: phase}}
				var id int64
				if err := row.Scan(&id, &w.ID.Seq, &w.ID.Shard, &w.ID.Attempt, &w.Start, &w.End, &w.Tail); err != nil {
					return err
				}
				if err := measurements.of(id, func() error {
					s, err := measurement.Series(compact.Decode)
					if err != nil {
						return archive.Faultf(archive.ErrCorrupt, err, "read window %d of shard %d in phase %s of run %s: %v", w.ID.Seq, w.ID.Shard, phase, run, err)
					}
					w.Series = append(w.Series, s)
					return nil
				}); err != nil {
					return err
				}
				if !yield(w, nil) {
					enough = true
					return errEnough
				}
				return nil
			}, measuredWindows, within...)
		})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}
