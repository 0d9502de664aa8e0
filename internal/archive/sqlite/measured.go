package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// A row of measuredWindows is a window with its measurements, see windowsOfPhase.
const measuredWindows = `SELECT pack(seq, shard, attempt, start_ns, max(end_ns, coalesce(rolled_ns, 0)), tail),
	(SELECT pack_rows(` + seriesColumns + `) FROM measurement WHERE window = w.id)
	FROM phase p CROSS JOIN window w ON w.phase = p.id
	WHERE p.run = ? AND p.name = ? AND w.start_ns >= ? AND w.start_ns < ? AND w.rolled_ns IS NOT 0
	ORDER BY start_ns, seq, shard, attempt`

// Measured streams the windows of a phase that begin within a time, from one snapshot and in the order of their starts: those that have
// measurements, with their identity, extent and series alone. A window that others are rolled up into extends to the end of the last of
// them. It takes the time of the windows that it yields, however long the run is.
func (a *Archive) Measured(ctx context.Context, run, phase string, from, to time.Duration) iter.Seq2[*latency.Window, error] {
	return func(yield func(*latency.Window, error) bool) {
		enough := false
		err := a.readLong(ctx, "read windows of run "+run+" of", func(ctx context.Context, tx *sql.Tx) (err error) {
			var u unpacker
			var compact latency.Compactor
			return each(ctx, tx, func(row scanner) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				var own sql.RawBytes
				var measurements []byte // the histograms keep parts of it
				if err := row.Scan(&own, &measurements); err != nil {
					return err
				}
				w := &latency.Window{ID: latency.WindowID{Run: run, Phase: phase}}
				if u.of(own).identity(w); u.err != nil {
					return damaged("columns", w, u.err)
				}
				if w.Series, err = u.of(measurements).series(nil, &compact); err != nil {
					return damaged("series", w, err)
				}
				if !yield(w, nil) {
					enough = true
					return errEnough
				}
				return nil
			}, measuredWindows, run, phase, int64(from), int64(to))
		})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}
