package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// AddWindows stores windows in one transaction, each once, and returns when they are on the disk: a window without an Err in
// its Receipt may be acknowledged. After an error nothing is acknowledged; it is always safe to add the windows again.
//
// Each call waits for the disk once, so a caller should add all windows that have arrived since its last call.
func (a *Archive) AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	receipts := make([]archive.Receipt, len(windows))
	err := a.writeOn(ctx, "add windows to", func(inner context.Context, conn *sql.Conn, tx *sql.Tx) (err error) {
		adder := a.add.begin(context.WithoutCancel(inner), conn, tx) // the driver has a goroutine for each statement that can be cancelled
		defer adder.end(&err)
		for i := range windows {
			if err := ctx.Err(); err != nil {
				return err
			}
			fresh, err := adder.window(&windows[i])
			if f, ok := errors.AsType[*archive.Fault](err); ok {
				receipts[i] = archive.Receipt{Err: f}
				continue
			}
			if err != nil {
				return err
			}
			receipts[i] = archive.Receipt{Fresh: fresh}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

// addStatements are the prepared statements of AddWindows.
type addStatements struct {
	findPhase, addPhase, unroll, findWindow, addLateness, addSample, addLoaded, findLater *sql.Stmt
}

func prepareAdd(ctx context.Context, db *sql.DB) (s addStatements, err error) {
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&s.findPhase, `SELECT run.status, phase.id, phase.rolled_windows, phase.rolled_seq FROM run LEFT JOIN phase ON phase.run = run.id AND phase.name = ?2 WHERE run.id = ?1`},
		{&s.addPhase, `INSERT INTO phase (run, name) VALUES (?, ?)`},
		{&s.unroll, `UPDATE phase SET rolled_seq = ?2 WHERE id = ?1`},
		{&s.findWindow, `SELECT 1 FROM window WHERE phase = ? AND seq = ? AND shard = ? AND attempt = ?`},
		{&s.addLateness, `INSERT INTO lateness (window, histogram) VALUES (?, ?)`},
		{&s.addSample, `INSERT INTO error_sample (window, op, outcome, message) VALUES (?, ?, ?, ?)`},
		{&s.addLoaded, `INSERT INTO loaded (run, shard, attempt, seq, rows) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (run, shard, attempt) DO UPDATE SET seq = excluded.seq, rows = excluded.rows WHERE excluded.seq > seq`},
		{&s.findLater, `SELECT attempt FROM loaded WHERE run = ? AND shard = ? AND attempt > ? LIMIT 1`},
	} {
		if *p.into, err = db.PrepareContext(ctx, p.query); err != nil { //nolint:sqlclosecheck // addStatements.close does
			return s, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s addStatements) close() error {
	var errs []error
	for _, statement := range []*sql.Stmt{s.findPhase, s.addPhase, s.unroll, s.findWindow, s.addLateness, s.addSample, s.addLoaded, s.findLater} {
		if statement != nil {
			errs = append(errs, statement.Close())
		}
	}
	return errors.Join(errs...)
}

// The statements of AddWindows that are executed for each row.
const (
	addWindow = `INSERT INTO window (phase, seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued,
		recorded, cores, host_idle, own_cpu, net_rx, net_tx, gc_pauses, gc_pause_total_ns, gc_pause_max_ns,
		sched_lag_p99_ns, sched_lag_max_ns, late_sends, late_max_ns, backlog, net_use, watermark, ops, retries, worker_groups)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (phase, seq, shard, attempt) DO NOTHING`
	addMeasurement = `INSERT INTO measurement (window, op, outcome, part_of, count, response_sum_ns, response_min_ns,
		response_max_ns, response_overflow, service_sum_ns, service_min_ns, service_max_ns, service_overflow, response, service)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// adder adds windows within one transaction.
type adder struct {
	ctx        context.Context
	conn       *sql.Conn // that of the transaction
	statements addStatements

	addWindow, addMeasurement direct

	phases   map[phaseName]phaseRow
	response []byte // scratch for encoding
	service  []byte
	compact  *latency.Compactor // nil for the ordinary encoding
}

type phaseName struct{ run, phase string }

type phaseRow struct {
	id    int64
	err   error
	ended bool // the run has

	rolled   int // windows of a shard are rolled into one
	rolledTo int // below this number
}

func (s addStatements) begin(ctx context.Context, conn *sql.Conn, tx *sql.Tx) *adder {
	return &adder{
		ctx:  ctx,
		conn: conn,
		statements: addStatements{
			findPhase:   tx.StmtContext(ctx, s.findPhase),
			addPhase:    tx.StmtContext(ctx, s.addPhase),
			unroll:      tx.StmtContext(ctx, s.unroll),
			findWindow:  tx.StmtContext(ctx, s.findWindow),
			addLateness: tx.StmtContext(ctx, s.addLateness),
			addSample:   tx.StmtContext(ctx, s.addSample),
			addLoaded:   tx.StmtContext(ctx, s.addLoaded),
			findLater:   tx.StmtContext(ctx, s.findLater),
		},
		addWindow:      direct{query: addWindow},
		addMeasurement: direct{query: addMeasurement},
		phases:         make(map[phaseName]phaseRow),
	}
}

// end frees what belongs to the transaction, before it ends. An earlier error of the transaction remains.
func (d *adder) end(err *error) {
	if e := errors.Join(d.addWindow.close(d.conn), d.addMeasurement.close(d.conn)); *err == nil {
		*err = e
	}
}

// window adds a window and reports whether it is new. A fault concerns this window alone.
func (d *adder) window(w *latency.Window) (fresh bool, err error) {
	if err := column.Check(w); err != nil {
		return false, err
	}
	row, err := d.phase(w.ID.Run, w.ID.Phase)
	if err != nil {
		return false, err
	}
	if row.ended {
		return false, d.requireStored(row.id, w)
	}
	if w.Loaded != nil {
		if newest, err := d.newest(w.ID.Run, w.ID.Shard, w.ID.Attempt); err != nil || !newest {
			return false, err
		}
	}
	add := d.addWindow.row()
	h := &w.Health
	add.int(row.id, int64(w.ID.Seq), int64(w.ID.Shard), int64(w.ID.Attempt), int64(w.Start), int64(w.End)).bool(w.Tail, w.Last)
	add.int(int64(w.Rows), int64(w.Bytes), int64(w.Issued), int64(w.Recorded)).real(h.Cores, h.HostIdle, h.OwnCPU)
	add.int(int64(h.NetRx), int64(h.NetTx), int64(h.GCPauses), int64(h.GCPauseTotal), int64(h.GCPauseMax), int64(h.SchedLagP99), int64(h.SchedLagMax))
	add.int(int64(h.LateSends), int64(h.LateMax), int64(h.Backlog)).real(h.NetUse).int(w.Watermark, int64(latency.Ops(w.Series)))
	if err := add.json(len(w.Retries), w.Retries); err != nil {
		return false, err
	}
	if err := add.json(len(w.Groups), w.Groups); err != nil {
		return false, err
	}
	res, err := add.exec(d.ctx, d.conn)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := d.late(w); err != nil {
		return false, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return false, err
	}
	if w.Lateness != nil {
		if err := d.lateness(id, w.Lateness); err != nil {
			return false, err
		}
	}
	for i := range w.Series {
		if err := d.measurement(id, &w.Series[i]); err != nil {
			return false, err
		}
	}
	if w.Loaded != nil {
		rows, err := json.Marshal(w.Loaded)
		if err != nil {
			return false, err
		}
		if _, err := d.statements.addLoaded.ExecContext(d.ctx, w.ID.Run, w.ID.Shard, w.ID.Attempt, w.ID.Seq, string(rows)); err != nil {
			return false, err
		}
	}
	for _, s := range w.Samples {
		if _, err := d.statements.addSample.ExecContext(d.ctx, id, s.Op, s.Outcome, s.Message); err != nil {
			return false, err
		}
	}
	return true, nil
}

// phase returns the row of a run's phase; the first window of a phase creates it. If the run has ended no row is created, and
// its id may be 0.
func (d *adder) phase(run, name string) (phaseRow, error) {
	key := phaseName{run, name}
	if row, ok := d.phases[key]; ok {
		return row, row.err
	}
	var found, rolled, rolledTo sql.NullInt64
	var status result.Status
	err := d.statements.findPhase.QueryRowContext(d.ctx, run, name).Scan(&status, &found, &rolled, &rolledTo)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		row := phaseRow{err: notFound("run", run)}
		d.phases[key] = row
		return row, row.err
	case err != nil:
		return phaseRow{}, err
	case !found.Valid && !status.Ended():
		res, err := d.statements.addPhase.ExecContext(d.ctx, run, name)
		if err != nil {
			return phaseRow{}, err
		}
		if found.Int64, err = res.LastInsertId(); err != nil {
			return phaseRow{}, err
		}
	}
	row := phaseRow{id: found.Int64, ended: status.Ended(), rolled: int(max(rolled.Int64, 1)), rolledTo: int(rolledTo.Int64)}
	d.phases[key] = row
	return row, nil
}

// requireStored returns nil for a stored window of an ended run, and refuses any other: the run's result must not change.
func (d *adder) requireStored(phase int64, w *latency.Window) error {
	var one int
	err := d.statements.findWindow.QueryRowContext(d.ctx, phase, w.ID.Seq, w.ID.Shard, w.ID.Attempt).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return archive.Faultf(archive.ErrEnded, nil, "add window %d of shard %d (attempt %d) in phase %s of run %s: the run has ended",
			w.ID.Seq, w.ID.Shard, w.ID.Attempt, w.ID.Phase, w.ID.Run)
	}
	return err
}

// late moves the roll-up back to the position of a late window, so that it is merged, too.
func (d *adder) late(w *latency.Window) error {
	key := phaseName{w.ID.Run, w.ID.Phase}
	row := d.phases[key]
	if w.ID.Seq >= row.rolledTo {
		return nil
	}
	row.rolledTo = w.ID.Seq - w.ID.Seq%max(row.rolled, 1)
	d.phases[key] = row
	_, err := d.statements.unroll.ExecContext(d.ctx, row.id, row.rolledTo)
	return err
}

func (d *adder) lateness(window int64, h *latency.Histogram) (err error) {
	if d.response, err = d.encode(d.response[:0], h); err != nil {
		return err
	}
	_, err = d.statements.addLateness.ExecContext(d.ctx, window, d.response)
	return err
}

func (d *adder) measurement(window int64, s *latency.Series) error {
	var err error
	if d.response, err = d.encode(d.response[:0], s.Response); err != nil {
		return err
	}
	add := d.addMeasurement.row().int(window).text(s.Key.Op, s.Key.Outcome, s.Key.PartOf).int(int64(s.Response.Count()))
	add.int(column.Figures(s.Response))
	if service := s.Service; service == s.Response {
		add.null(4).blob(d.response).null(1)
	} else if d.service, err = d.encode(d.service[:0], service); err != nil {
		return err
	} else if bytes.Equal(d.response, d.service) {
		add.null(4).blob(d.response).null(1)
	} else {
		add.int(column.Figures(service)).blob(d.response).blob(d.service)
	}
	_, err = add.exec(d.ctx, d.conn)
	return err
}

func (d *adder) encode(b []byte, h *latency.Histogram) ([]byte, error) {
	if d.compact != nil {
		return d.compact.Append(b, h)
	}
	return h.AppendBinary(b)
}
