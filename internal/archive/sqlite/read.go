package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// Windows streams a run's windows by phase (in the order of their first windows), start, seq, shard and attempt, from one
// snapshot and in the memory of one window. A run without windows, known or not, yields nothing. An error is the last thing
// yielded.
//
// A Series's Service may be the same Histogram as its Response, if all operations were sent on time: merge from them, not
// into them. Windows may be kept.
//
// The write-ahead log cannot be checkpointed while windows are being read: read without pauses.
func (a *Archive) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	return func(yield func(*latency.Window, error) bool) {
		enough := false
		err := a.readLong(ctx, "read windows of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
			phases, err := phasesOf(ctx, tx, run)
			if err != nil {
				return err
			}
			for _, phase := range phases {
				if enough, err = readPhase(ctx, tx, run, phase, yield); err != nil || enough {
					return err
				}
			}
			return nil
		})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

// storedPhase is a row of table phase.
type storedPhase struct {
	id   int64
	name string
}

func phasesOf(ctx context.Context, tx *sql.Tx, run string) ([]storedPhase, error) {
	var list []storedPhase
	err := each(ctx, tx, func(row scanner) error {
		var p storedPhase
		err := row.Scan(&p.id, &p.name)
		list = append(list, p)
		return err
	}, `SELECT id, name FROM phase WHERE run = ? ORDER BY id`, run)
	return list, err
}

// The three cursors of a phase advance together in the order of the index of windows; the last two are at the first row that
// does not belong to the windows read so far.
const (
	windowsOfPhase = `SELECT w.id, seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded, cores,
		host_idle, own_cpu, net_rx, net_tx, gc_pauses, gc_pause_total_ns, gc_pause_max_ns, sched_lag_p99_ns,
		sched_lag_max_ns, late_sends, late_max_ns, backlog, net_use, watermark, l.histogram, retries, worker_groups
		FROM window w LEFT JOIN lateness l ON l.window = w.id WHERE phase = ? ORDER BY start_ns, seq, shard, attempt`
	measurementsOfPhase = `SELECT w.id, m.op, m.outcome, m.part_of, m.count, m.response_sum_ns, m.response_min_ns,
		m.response_max_ns, m.response_overflow, m.service_sum_ns, m.service_min_ns, m.service_max_ns,
		m.service_overflow, m.response, m.service
		FROM window w CROSS JOIN measurement m ON m.window = w.id WHERE w.phase = ? ORDER BY w.start_ns, w.seq, w.shard, w.attempt, w.id, m.id`
	samplesOfPhase = `SELECT w.id, e.op, e.outcome, e.message
		FROM window w CROSS JOIN error_sample e ON e.window = w.id WHERE w.phase = ? ORDER BY w.start_ns, w.seq, w.shard, w.attempt, w.id, e.id`
)

// errEnough ends a read whose caller needs no more rows.
var errEnough = errors.New("enough")

// readPhase yields the windows of a phase and reports whether the caller stopped.
func readPhase(ctx context.Context, tx *sql.Tx, run string, phase storedPhase, yield func(*latency.Window, error) bool) (enough bool, err error) {
	var compact latency.Compactor
	var measurement column.Measurement
	var sample latency.ErrorSample
	series := 0 // the largest number of a window so far
	measurements := &children{into: measurement.Into()}
	samples := &children{into: []any{&sample.Op, &sample.Outcome, &sample.Message}}
	defer func() { err = errors.Join(err, measurements.close(), samples.close()) }()
	if err := measurements.open(ctx, tx, measurementsOfPhase, phase.id); err != nil {
		return false, err
	}
	if err := samples.open(ctx, tx, samplesOfPhase, phase.id); err != nil {
		return false, err
	}
	err = each(ctx, tx, func(row scanner) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := &latency.Window{ID: latency.WindowID{Run: run, Phase: phase.name}}
		id, err := scanWindow(row, w, &compact)
		if err != nil {
			return err
		}
		if err := measurements.of(id, func() error {
			s, err := measurement.Series(compact.Decode)
			if err != nil {
				return archive.Faultf(archive.ErrCorrupt, err, "read window %d of shard %d in phase %s of run %s: %v", w.ID.Seq, w.ID.Shard, phase.name, run, err)
			}
			if w.Series == nil {
				w.Series = make([]latency.Series, 0, series)
			}
			w.Series = append(w.Series, s)
			series = max(series, len(w.Series))
			return nil
		}); err != nil {
			return err
		}
		if err := samples.of(id, func() error {
			w.Samples = append(w.Samples, sample)
			return nil
		}); err != nil {
			return err
		}
		if !yield(w, nil) {
			return errEnough
		}
		return nil
	}, windowsOfPhase, phase.id)
	if errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}

func scanWindow(row scanner, w *latency.Window, compact *latency.Compactor) (id int64, err error) {
	h := &w.Health
	var lateness, retries, groups sql.RawBytes
	err = row.Scan(&id, &w.ID.Seq, &w.ID.Shard, &w.ID.Attempt, &w.Start, &w.End, &w.Tail, &w.Last, &w.Rows, &w.Bytes,
		&w.Issued, &w.Recorded, &h.Cores, &h.HostIdle, &h.OwnCPU, &h.NetRx, &h.NetTx, &h.GCPauses, &h.GCPauseTotal,
		&h.GCPauseMax, &h.SchedLagP99, &h.SchedLagMax, &h.LateSends, &h.LateMax, &h.Backlog, &h.NetUse,
		&w.Watermark, &lateness, &retries, &groups)
	if err != nil {
		return id, err
	}
	if groups != nil {
		if err := json.Unmarshal(groups, &w.Groups); err != nil {
			return id, archive.Faultf(archive.ErrCorrupt, err, "read groups of window %d of shard %d in phase %s of run %s: %v", w.ID.Seq, w.ID.Shard, w.ID.Phase, w.ID.Run, err)
		}
	}
	if retries != nil {
		if err := json.Unmarshal(retries, &w.Retries); err != nil {
			return id, archive.Faultf(archive.ErrCorrupt, err, "read retries of window %d of shard %d in phase %s of run %s: %v", w.ID.Seq, w.ID.Shard, w.ID.Phase, w.ID.Run, err)
		}
	}
	if lateness == nil {
		return id, nil
	}
	if w.Lateness, err = compact.Decode(lateness); err != nil {
		err = archive.Faultf(archive.ErrCorrupt, err, "read lateness of window %d of shard %d in phase %s of run %s: %v", w.ID.Seq, w.ID.Shard, w.ID.Phase, w.ID.Run, err)
	}
	return id, err
}

// children is a cursor over the rows that belong to windows, in the windows' order. Its first column is the window's id, the
// others are scanned into into.
type children struct {
	into   []any
	rows   *sql.Rows
	window int64 // of the current row
	valid  bool  // there is a current row
}

func (c *children) open(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	c.into = append([]any{&c.window}, c.into...)
	rows, err := tx.QueryContext(ctx, query, args...) //nolint:rowserrcheck // next does
	if err != nil {
		return err
	}
	c.rows = rows
	return c.next()
}

func (c *children) next() error {
	if c.valid = c.rows.Next(); !c.valid {
		return c.rows.Err()
	}
	return c.rows.Scan(c.into...)
}

// of calls do for each row of a window.
func (c *children) of(window int64, do func() error) error {
	for c.valid && c.window == window {
		if err := do(); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

func (c *children) close() error {
	if c.rows == nil {
		return nil
	}
	return c.rows.Close()
}
