package postgres

import (
	"bytes"
	"encoding/json"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// rows are windows of one week with what belongs to them, column by column: each table is stored by one statement, whatever their number.
type rows struct {
	week         int64
	compact      *latency.Compactor // nil for the ordinary encoding of histograms
	windows      []windowRow
	measurements measurementRows
	lateness     latenessRows
	samples      sampleRows
	bytes        int64 // about how many bytes of the disk they take
}

type windowRow struct {
	id, phase int64
	w         *latency.Window
	retries   *string
	groups    *string
}

type measurementRows struct {
	id, window        []int64
	op, outcome, part []string
	count             []int64
	response          [][]byte
	responseFigures   [4][]int64
	service           [][]byte
	serviceFigures    [4][]pgtype.Int8
}

type latenessRows struct {
	window    []int64
	histogram [][]byte
}

type sampleRows struct {
	id, window           []int64
	op, outcome, message []string
}

// add adds a window with all its parts.
func (r *rows) add(id, phase int64, w *latency.Window) error {
	row := windowRow{id: id, phase: phase, w: w}
	var err error
	if len(w.Retries) > 0 {
		if row.retries, err = jsonOf(w.Retries); err != nil {
			return err
		}
	}
	if len(w.Groups) > 0 {
		if row.groups, err = jsonOf(w.Groups); err != nil {
			return err
		}
	}
	if w.Lateness != nil {
		if err := r.addLateness(id, w.Lateness); err != nil {
			return err
		}
	}
	for i := range w.Series {
		if err := r.addSeries(id, int64(i), &w.Series[i]); err != nil {
			return err
		}
	}
	for i, s := range w.Samples {
		t := &r.samples
		t.id, t.window = append(t.id, int64(i)), append(t.window, id)
		t.op, t.outcome, t.message = append(t.op, encode(s.Op)), append(t.outcome, encode(s.Outcome)), append(t.message, encode(s.Message))
		r.bytes += int64(sampleBytes + len(s.Message))
	}
	r.bytes += windowBytes
	r.windows = append(r.windows, row)
	return nil
}

func jsonOf(value any) (*string, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return optional(b), nil
}

func (r *rows) addLateness(window int64, h *latency.Histogram) error {
	b, err := r.encode(h)
	if err != nil {
		return err
	}
	r.lateness.window, r.lateness.histogram = append(r.lateness.window, window), append(r.lateness.histogram, b)
	r.bytes += int64(latenessBytes + len(b))
	return nil
}

// addSeries adds a measurement of a window; number is its place there.
func (r *rows) addSeries(window, number int64, s *latency.Series) error {
	response, err := r.encode(s.Response)
	if err != nil {
		return err
	}
	m := &r.measurements
	m.id, m.window = append(m.id, number), append(m.window, window)
	m.op, m.outcome, m.part = append(m.op, encode(s.Key.Op)), append(m.outcome, encode(s.Key.Outcome)), append(m.part, encode(s.Key.PartOf))
	m.count = append(m.count, int64(s.Response.Count()))
	for i, figure := range figuresOf(s.Response) {
		m.responseFigures[i] = append(m.responseFigures[i], figure)
	}
	m.response = append(m.response, response)
	var service []byte // NULLs if it equals the response
	if s.Service != s.Response {
		if service, err = r.encode(s.Service); err != nil {
			return err
		}
		if bytes.Equal(response, service) {
			service = nil
		}
	}
	for i, figure := range figuresOf(s.Service) {
		m.serviceFigures[i] = append(m.serviceFigures[i], pgtype.Int8{Int64: figure, Valid: service != nil})
	}
	m.service = append(m.service, service)
	r.bytes += int64(measurementBytes + len(response) + len(service))
	return nil
}

func figuresOf(h *latency.Histogram) [4]int64 {
	sum, lowest, highest, overflow := column.Figures(h)
	return [4]int64{sum, lowest, highest, overflow}
}

func (r *rows) encode(h *latency.Histogram) ([]byte, error) {
	if r.compact != nil {
		return r.compact.Append(nil, h)
	}
	return h.AppendBinary(nil)
}

const (
	insertWindows = `INSERT INTO "window" (id, phase, seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded,
		net_rx, net_tx, gc_pauses, gc_pause_total_ns, gc_pause_max_ns, sched_lag_p99_ns, sched_lag_max_ns, late_sends, late_max_ns, backlog, watermark, ops,
		cores, host_idle, own_cpu, net_use, retries, worker_groups, week)
		SELECT k.*, $32::bigint FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
		$10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[],
		$20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[], $26::double precision[], $27::double precision[],
		$28::double precision[], $29::double precision[], $30::text[], $31::text[]) AS k`
	insertMeasurements = `INSERT INTO measurement (id, "window", op, outcome, part_of, count, response_sum_ns, response_min_ns, response_max_ns, response_overflow,
		service_sum_ns, service_min_ns, service_max_ns, service_overflow, response, service, week)
		SELECT k.*, $17::bigint FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
		$11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bytea[], $16::bytea[]) AS k`
	insertLateness = `INSERT INTO lateness ("window", histogram, week) SELECT k.*, $3::bigint FROM unnest($1::bigint[], $2::bytea[]) AS k`
	insertSamples  = `INSERT INTO error_sample (id, "window", op, outcome, message, week)
		SELECT k.*, $6::bigint FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS k`
)

// store queues the statements that store the rows.
func (r *rows) store(tx *transaction) {
	if len(r.windows) > 0 {
		tx.later(insertWindows, r.windowColumns()...)
	}
	if m := &r.measurements; len(m.op) > 0 {
		tx.later(insertMeasurements, m.id, m.window, m.op, m.outcome, m.part, m.count,
			m.responseFigures[0], m.responseFigures[1], m.responseFigures[2], m.responseFigures[3],
			m.serviceFigures[0], m.serviceFigures[1], m.serviceFigures[2], m.serviceFigures[3], m.response, m.service, r.week)
	}
	if len(r.lateness.window) > 0 {
		tx.later(insertLateness, r.lateness.window, r.lateness.histogram, r.week)
	}
	if s := &r.samples; len(s.op) > 0 {
		tx.later(insertSamples, s.id, s.window, s.op, s.outcome, s.message, r.week)
	}
}

// windowColumns are the arguments of insertWindows.
func (r *rows) windowColumns() []any {
	const integers, reals = 25, 4
	var whole [integers][]int64
	var fractions [reals][]float64
	var retries, groups []*string
	for _, row := range r.windows {
		w, h := row.w, &row.w.Health
		for i, v := range [integers]int64{
			row.id, row.phase, int64(w.ID.Seq), int64(w.ID.Shard), int64(w.ID.Attempt), int64(w.Start), int64(w.End), bit(w.Tail), bit(w.Last),
			int64(w.Rows), int64(w.Bytes), int64(w.Issued), int64(w.Recorded), int64(h.NetRx), int64(h.NetTx), int64(h.GCPauses), int64(h.GCPauseTotal),
			int64(h.GCPauseMax), int64(h.SchedLagP99), int64(h.SchedLagMax), int64(h.LateSends), int64(h.LateMax), int64(h.Backlog), w.Watermark,
			int64(latency.Ops(w.Series)),
		} {
			whole[i] = append(whole[i], v)
		}
		for i, v := range [reals]float64{h.Cores, h.HostIdle, h.OwnCPU, h.NetUse} {
			fractions[i] = append(fractions[i], v)
		}
		retries, groups = append(retries, row.retries), append(groups, row.groups)
	}
	args := make([]any, 0, integers+reals+3)
	for _, v := range whole {
		args = append(args, v)
	}
	for _, v := range fractions {
		args = append(args, v)
	}
	return append(args, retries, groups, r.week)
}
