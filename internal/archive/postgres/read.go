package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// chunkWindows is how many windows are read together. For twice as many, a server may read all rows of the week instead of an index.
const chunkWindows = 256

// Windows streams a run's windows by phase (in the order of their first windows), start, seq, shard and attempt, from one
// snapshot and in the memory of three chunks. A run without windows, known or not, yields nothing. An error is the last thing
// yielded.
//
// A Series's Service may be the same Histogram as its Response, if all operations were sent on time: merge from them, not
// into them. Windows may be kept.
//
// The server keeps deleted rows, and a week that is dropped, while windows are being read: read without pauses.
func (a *Archive) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	return func(yield func(*latency.Window, error) bool) {
		enough := false
		err := a.readLong(ctx, "read windows of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
			phases, err := phasesOf(ctx, tx, run)
			if err != nil {
				return err
			}
			for _, phase := range phases {
				c := &chunks{tx: tx, phase: phase, whole: true}
				if enough, err = c.each(ctx, yield); err != nil || enough {
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

// Measured streams the windows of a phase that begin within a time, from one snapshot and in the order of their starts: those that have
// measurements, with their identity, extent and series alone. A window that others are rolled up into extends to the end of the last of
// them. It takes the time of the windows that it yields, however long the run is.
func (a *Archive) Measured(ctx context.Context, run, phase string, from, to time.Duration) iter.Seq2[*latency.Window, error] {
	return func(yield func(*latency.Window, error) bool) {
		enough := false
		err := a.readLong(ctx, "read windows of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
			phases, err := phasesOf(ctx, tx, run)
			if err != nil {
				return err
			}
			for _, p := range phases {
				if p.name == phase {
					c := &chunks{tx: tx, phase: p, to: int64(to), start: int64(from), seq: -1}
					enough, err = c.each(ctx, yield)
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
	id, week  int64
	run, name string
	suite     string // as it is stored; only for rolling up
}

func phasesOf(ctx context.Context, tx querier, run string) ([]storedPhase, error) {
	var list []storedPhase
	err := each(ctx, tx, func(row pgx.Rows) error {
		p := storedPhase{run: run}
		err := row.Scan(&p.id, &p.week, into(&p.name))
		list = append(list, p)
		return err
	}, `SELECT p.id, s.week, p.name FROM phase p JOIN run r ON r.id = p.run JOIN suite s ON s.id = r.suite WHERE p.run = $1 ORDER BY p.id`, encode(run))
	return list, err
}

// chunks reads the windows of a phase in the order of the index, one chunk after another: what belongs to a chunk comes in one round trip with
// the next chunk's windows.
type chunks struct {
	tx    pgx.Tx
	phase storedPhase
	whole bool // all windows with all their parts; otherwise those with measurements up to an instant, with these
	to    int64

	// The position after which the next chunk begins.
	start               int64
	seq, shard, attempt int
	begun               bool

	decoder     decoder
	measurement measurement
	series      int // the largest number of a window so far
}

// chunk are windows in their order.
type chunk struct {
	ids     []int64
	windows []*latency.Window
	at      map[int64]int // by id
}

const (
	windowsAfter = ` AND (start_ns, seq, shard, attempt) > ($3, $4, $5, $6) ORDER BY start_ns, seq, shard, attempt LIMIT $7`
	wholeWindows = `SELECT id, seq, shard, attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded, cores, host_idle, own_cpu, net_rx, net_tx, gc_pauses,
		gc_pause_total_ns, gc_pause_max_ns, sched_lag_p99_ns, sched_lag_max_ns, late_sends, late_max_ns, backlog, net_use, watermark, retries, worker_groups,
		(SELECT l.histogram FROM lateness l WHERE l.week = $1 AND l."window" = w.id)
		FROM "window" w WHERE week = $1 AND phase = $2` + windowsAfter
	measuredWindows = `SELECT id, seq, shard, attempt, start_ns, greatest(end_ns, coalesce(rolled_ns, 0)), tail
		FROM "window" WHERE week = $1 AND phase = $2 AND start_ns < $8 AND (rolled_ns IS NULL OR rolled_ns <> 0)` + windowsAfter
	seriesOf = `SELECT m."window", op, outcome, part_of, count, response_sum_ns, response_min_ns, response_max_ns, response_overflow,
		service_sum_ns, service_min_ns, service_max_ns, service_overflow, response, service
		FROM measurement m WHERE week = $1 AND m."window" = ANY($2) ORDER BY m."window", id`
	latenessOf = `SELECT l."window", histogram FROM lateness l WHERE week = $1 AND l."window" = ANY($2)`
	samplesOf  = `SELECT e."window", op, outcome, message FROM error_sample e WHERE week = $1 AND e."window" = ANY($2) ORDER BY e."window", id`
)

// each yields all windows, and reports whether the caller stopped. While the caller has the windows of one chunk, the server sends what belongs to the
// next one.
func (c *chunks) each(ctx context.Context, yield func(*latency.Window, error) bool) (enough bool, err error) {
	var whole, begun *chunk // one with all that belongs to its windows, and the one after it
	for {
		next := &chunk{at: make(map[int64]int)}
		var b pgx.Batch
		if begun != nil {
			c.parts(&b, begun)
		}
		c.windows(&b, next)
		coming := c.tx.SendBatch(ctx, &b)
		if enough, err = whole.yield(ctx, yield); enough || err != nil {
			return enough, errors.Join(err, coming.Close())
		}
		if err := coming.Close(); err != nil {
			return false, err
		}
		if len(next.ids) == 0 {
			return begun.yield(ctx, yield)
		}
		whole, begun = begun, next
	}
}

// yield yields the windows of a chunk, if there is one.
func (c *chunk) yield(ctx context.Context, yield func(*latency.Window, error) bool) (enough bool, err error) {
	if c == nil {
		return false, nil
	}
	for _, w := range c.windows {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !yield(w, nil) {
			return true, nil
		}
	}
	return false, nil
}

// windows queues the next windows.
func (c *chunks) windows(b *pgx.Batch, to *chunk) {
	if !c.begun {
		c.begun = true
		if c.whole {
			c.start = -1 << 62
		}
		c.seq, c.shard, c.attempt = -1, -1, -1
	}
	args := []any{c.phase.week, c.phase.id, c.start, c.seq, c.shard, c.attempt, chunkWindows}
	query := wholeWindows
	if !c.whole {
		query, args = measuredWindows, append(args, c.to)
	}
	b.Queue(query, args...).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			w := &latency.Window{ID: latency.WindowID{Run: c.phase.run, Phase: c.phase.name}}
			id, err := c.scan(row, w)
			if err != nil {
				return err
			}
			to.at[id] = len(to.ids)
			to.ids, to.windows = append(to.ids, id), append(to.windows, w)
			c.start, c.seq, c.shard, c.attempt = int64(w.Start), w.ID.Seq, w.ID.Shard, w.ID.Attempt
			return nil
		})
	})
}

func (c *chunks) scan(row pgx.Rows, w *latency.Window) (id int64, err error) {
	var tail, last int64
	dest := []any{&id, &w.ID.Seq, &w.ID.Shard, &w.ID.Attempt, (*int64)(&w.Start), (*int64)(&w.End), &tail}
	var retries, groups []byte
	var lateness pgtype.DriverBytes
	if c.whole {
		h := &w.Health
		dest = append(dest, &last, &w.Rows, &w.Bytes, &w.Issued, &w.Recorded, &h.Cores, &h.HostIdle, &h.OwnCPU, &h.NetRx, &h.NetTx, &h.GCPauses,
			(*int64)(&h.GCPauseTotal), (*int64)(&h.GCPauseMax), (*int64)(&h.SchedLagP99), (*int64)(&h.SchedLagMax), &h.LateSends, (*int64)(&h.LateMax),
			&h.Backlog, &h.NetUse, &w.Watermark, (*content)(&retries), (*content)(&groups), &lateness)
	}
	if err := row.Scan(dest...); err != nil {
		return id, err
	}
	w.Tail, w.Last = tail != 0, last != 0
	if groups != nil {
		if err := json.Unmarshal(groups, &w.Groups); err != nil {
			return id, corrupt("groups", w, err)
		}
	}
	if retries != nil {
		if err := json.Unmarshal(retries, &w.Retries); err != nil {
			return id, corrupt("retries", w, err)
		}
	}
	if lateness != nil {
		if w.Lateness, err = c.decoder.decode(lateness); err != nil {
			return id, corrupt("lateness", w, err)
		}
	}
	return id, nil
}

func corrupt(what string, w *latency.Window, err error) error {
	return archive.Faultf(archive.ErrCorrupt, err, "read %s of window %d of shard %d in phase %s of run %s: %v", what, w.ID.Seq, w.ID.Shard, w.ID.Phase, w.ID.Run, err)
}

// parts queues what belongs to the windows of a chunk.
func (c *chunks) parts(b *pgx.Batch, of *chunk) {
	window := func(id int64) (*latency.Window, error) {
		at, ok := of.at[id]
		if !ok {
			return nil, fmt.Errorf("a row belongs to window row %d, which was not asked for", id)
		}
		return of.windows[at], nil
	}
	b.Queue(seriesOf, c.phase.week, of.ids).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			s, err := c.measurement.scan(row, c.decoder.decode)
			w, wrong := window(c.measurement.window)
			switch {
			case wrong != nil:
				return errors.Join(err, wrong)
			case err != nil:
				return corrupt("series", w, err)
			}
			if w.Series == nil {
				w.Series = make([]latency.Series, 0, c.series)
			}
			w.Series = append(w.Series, s)
			c.series = max(c.series, len(w.Series))
			return nil
		})
	})
	if !c.whole {
		return
	}
	b.Queue(samplesOf, c.phase.week, of.ids).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			var id int64
			var s latency.ErrorSample
			if err := row.Scan(&id, into(&s.Op), into(&s.Outcome), into(&s.Message)); err != nil {
				return err
			}
			w, err := window(id)
			if err != nil {
				return err
			}
			w.Samples = append(w.Samples, s)
			return nil
		})
	})
}

// decoder decodes histograms of rows, whose memory the driver uses again. The histograms of several windows share their memory: thousands of small
// pieces take more time.
type decoder struct {
	compact latency.Compactor
	spare   []latency.Histogram
	kept    []byte // encodings of histograms, and room for more
}

const (
	decodeTogether = 32
	keepTogether   = 16 << 10
)

// decode returns the histogram of an encoding, which may be used again afterwards.
func (d *decoder) decode(data []byte) (*latency.Histogram, error) {
	if len(d.spare) == 0 {
		d.spare = make([]latency.Histogram, decodeTogether)
	}
	h := &d.spare[0]
	d.spare = d.spare[1:]
	return h, d.compact.TakeInto(h, d.keep(data))
}

// keep returns a copy of bytes.
func (d *decoder) keep(data []byte) []byte {
	if len(data) > keepTogether/4 {
		return bytes.Clone(data)
	}
	if cap(d.kept)-len(d.kept) < len(data) {
		d.kept = make([]byte, 0, keepTogether)
	}
	begin := len(d.kept)
	d.kept = append(d.kept, data...)
	return d.kept[begin:len(d.kept):len(d.kept)]
}

// measurement scans rows of table measurement, preceded by the window's id. It can be reused for many rows, one after another.
type measurement struct {
	window            int64
	row               column.Measurement
	response, service [4]pgtype.Int8
	blobs             [2]pgtype.DriverBytes
	into              []any // the destinations of its columns
}

func (m *measurement) scan(row pgx.Rows, decode func([]byte) (*latency.Histogram, error)) (latency.Series, error) {
	if m.into == nil {
		names, key := make(repeated), &m.row.Key
		m.into = []any{
			&m.window, names.into(&key.Op), names.into(&key.Outcome), names.into(&key.PartOf), &m.row.Count,
			&m.response[0], &m.response[1], &m.response[2], &m.response[3], &m.service[0], &m.service[1], &m.service[2], &m.service[3],
			&m.blobs[0], &m.blobs[1],
		}
	}
	if err := row.Scan(m.into...); err != nil {
		return latency.Series{}, err
	}
	set := func(h *column.Histogram, figures *[4]pgtype.Int8, blob []byte) {
		h.Sum.Int64, h.Sum.Valid = figures[0].Int64, figures[0].Valid
		h.Lowest.Int64, h.Lowest.Valid = figures[1].Int64, figures[1].Valid
		h.Highest.Int64, h.Highest.Valid = figures[2].Int64, figures[2].Valid
		h.Overflow.Int64, h.Overflow.Valid = figures[3].Int64, figures[3].Valid
		h.Blob = blob
	}
	set(&m.row.Response, &m.response, m.blobs[0])
	set(&m.row.Service, &m.service, m.blobs[1])
	return m.row.Series(decode)
}
