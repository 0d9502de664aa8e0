package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"

	"github.com/benchd/benchd/internal/archive"
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

// A row of windowsOfPhase is a window with all that belongs to it. The rows of a window have the order of their ids, with or without an index.
const windowsOfPhase = `SELECT
	pack(seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded, cores, host_idle, own_cpu, net_rx, net_tx,
		gc_pauses, gc_pause_total_ns, gc_pause_max_ns, sched_lag_p99_ns, sched_lag_max_ns, late_sends, late_max_ns, backlog, net_use,
		watermark, retries, worker_groups, (SELECT histogram FROM lateness WHERE window = w.id)),
	(SELECT pack_rows(` + seriesColumns + `) FROM measurement WHERE window = w.id),
	(SELECT pack_rows(op, outcome, message) FROM error_sample WHERE window = w.id)
	FROM window w WHERE phase = ? ORDER BY start_ns, seq, shard, attempt`

// errEnough ends a read whose caller needs no more rows.
var errEnough = errors.New("enough")

// readPhase yields the windows of a phase and reports whether the caller stopped.
func readPhase(ctx context.Context, tx *sql.Tx, run string, phase storedPhase, yield func(*latency.Window, error) bool) (enough bool, err error) {
	var u unpacker
	var compact latency.Compactor
	series := 0 // the largest number of a window so far
	err = each(ctx, tx, func(row scanner) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var own, samples sql.RawBytes
		var measurements []byte // the histograms keep parts of it
		if err := row.Scan(&own, &measurements, &samples); err != nil {
			return err
		}
		w := &latency.Window{ID: latency.WindowID{Run: run, Phase: phase.name}}
		if err := u.of(own).window(w, &compact); err != nil {
			return err
		}
		if len(measurements) > 0 {
			w.Series = make([]latency.Series, 0, series)
		}
		if w.Series, err = u.of(measurements).series(w.Series, &compact); err != nil {
			return damaged("series", w, err)
		}
		series = max(series, len(w.Series))
		for u.of(samples); u.more(); {
			w.Samples = append(w.Samples, latency.ErrorSample{Op: u.name(), Outcome: u.name(), Message: u.text()})
		}
		if u.err != nil {
			return damaged("error messages", w, u.err)
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

func damaged(what string, w *latency.Window, err error) error {
	return archive.Faultf(archive.ErrCorrupt, err, "read %s of window %d of shard %d in phase %s of run %s: %v", what, w.ID.Seq, w.ID.Shard, w.ID.Phase, w.ID.Run, err)
}

// window reads the columns of table window, and the lateness.
func (u *unpacker) window(w *latency.Window, compact *latency.Compactor) (err error) {
	h := &w.Health
	u.identity(w)
	w.Last, w.Rows, w.Bytes, w.Issued, w.Recorded = u.flag(), u.count(), u.count(), u.count(), u.count()
	h.Cores, h.HostIdle, h.OwnCPU, h.NetRx, h.NetTx = u.real(), u.real(), u.real(), u.count(), u.count()
	h.GCPauses, h.GCPauseTotal, h.GCPauseMax = int(u.int()), u.duration(), u.duration()
	h.SchedLagP99, h.SchedLagMax, h.LateSends, h.LateMax, h.Backlog = u.duration(), u.duration(), u.count(), u.duration(), u.count()
	h.NetUse, w.Watermark = u.real(), u.int()
	retries, groups, lateness := u.bytes(), u.bytes(), u.bytes()
	if u.err != nil {
		return damaged("columns", w, u.err)
	}
	if groups != nil {
		if err := json.Unmarshal(groups, &w.Groups); err != nil {
			return damaged("groups", w, err)
		}
	}
	if retries != nil {
		if err := json.Unmarshal(retries, &w.Retries); err != nil {
			return damaged("retries", w, err)
		}
	}
	if lateness != nil {
		if w.Lateness, err = compact.Decode(lateness); err != nil {
			return damaged("lateness", w, err)
		}
	}
	return nil
}

// identity reads seq, shard, attempt, start_ns, end_ns and tail.
func (u *unpacker) identity(w *latency.Window) {
	w.ID.Seq, w.ID.Shard, w.ID.Attempt = int(u.int()), int(u.int()), int(u.int())
	w.Start, w.End, w.Tail = u.duration(), u.duration(), u.flag()
}
