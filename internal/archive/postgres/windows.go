package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// idBlock is how many ids of windows a number of sequence window_id stands for.
const idBlock = 1024

// block are ids of windows that are not used yet.
type block struct{ next, end []int64 }

func (b *block) left() (n int64) {
	for i := range b.next {
		n += b.end[i] - b.next[i]
	}
	return n
}

// add adds the ids from one on.
func (b *block) add(first int64) { b.next, b.end = append(b.next, first), append(b.end, first+idBlock) }

// take takes an id; there must be one.
func (b *block) take() int64 {
	for b.next[0] == b.end[0] {
		b.next, b.end = b.next[1:], b.end[1:]
	}
	b.next[0]++
	return b.next[0] - 1
}

// AddWindows stores windows in one transaction, each once, and returns when the server has committed it: a window without an Err in
// its Receipt may be acknowledged. After an error nothing is acknowledged; it is always safe to add the windows again: one that an
// unanswered commit has stored is then Fresh, once.
//
// Each call waits for the server three times, and for its disk once, so a caller should add all windows that have arrived since its last call.
func (a *Archive) AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	d := &adder{a: a, windows: windows, receipts: make([]archive.Receipt, len(windows)), byPhase: make(map[phaseName]*phaseRow), seen: make(map[latency.WindowID]struct{})}
	for i := range windows {
		w := &windows[i]
		if err := column.Check(w); err != nil {
			d.receipts[i].Err = err
			continue
		}
		key := phaseName{w.ID.Run, w.ID.Phase}
		row := d.byPhase[key]
		if row == nil {
			row = &phaseRow{phaseName: key}
			d.byPhase[key] = row
			d.phases = append(d.phases, row)
		}
		row.windows = append(row.windows, i)
	}
	if err := a.change(ctx, "add windows to", change{first: d.findPhases, do: d.add, fresh: func() []latency.WindowID { return d.fresh }}); err != nil {
		return nil, err
	}
	return d.receipts, nil
}

// adder adds windows within one transaction.
type adder struct {
	a        *Archive
	windows  []latency.Window
	receipts []archive.Receipt
	phases   []*phaseRow // in the order of their first windows
	byPhase  map[phaseName]*phaseRow
	newest   map[shardName]int // attempts at shards of loads
	fresh    []latency.WindowID
	seen     map[latency.WindowID]struct{}
}

// once reports whether a window is the first of its identity.
func (d *adder) once(id latency.WindowID) bool {
	if _, again := d.seen[id]; again {
		return false
	}
	d.seen[id] = struct{}{}
	return true
}

type phaseName struct{ run, phase string }

type shardName struct {
	run   string
	shard int
}

type phaseRow struct {
	phaseName
	windows []int // indexes

	found bool // the run is there
	suite string
	week  int64
	ended bool // the run has

	id       int64 // 0 if there is no such phase
	rolled   int   // windows of a shard are rolled into one
	rolledTo int   // below this number
	unrolled bool

	stored map[int]bool // indexes of windows that are stored already
}

// findPhases queues the search for the runs and phases of the windows.
func (d *adder) findPhases(b *pgx.Batch) {
	runs, names := make([]string, len(d.phases)), make([]string, len(d.phases))
	for i, p := range d.phases {
		runs[i], names[i] = encode(p.run), encode(p.phase)
		*p = phaseRow{phaseName: p.phaseName, windows: p.windows}
	}
	b.Queue(`SELECT k.at, r.status, s.id, s.week, coalesce(p.id, 0), coalesce(p.rolled_windows, 1), coalesce(p.rolled_seq, 0)
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (run, phase, at)
		JOIN run r ON r.id = k.run JOIN suite s ON s.id = r.suite AND s.removed <> 2 LEFT JOIN phase p ON p.run = r.id AND p.name = k.phase`,
		runs, names).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			var at int
			var status result.Status
			var p phaseRow
			if err := row.Scan(&at, into(&status), &p.suite, &p.week, &p.id, &p.rolled, &p.rolledTo); err != nil {
				return err
			}
			p.phaseName, p.windows, p.found, p.ended = d.phases[at-1].phaseName, d.phases[at-1].windows, true, status.Ended()
			*d.phases[at-1] = p
			return nil
		})
	})
}

func (d *adder) add(ctx context.Context, tx *transaction) error {
	if err := d.look(ctx, tx); err != nil {
		return err
	}
	batches := make(map[int64]*rows)
	sizes := make(map[string]int64)
	for i := range d.windows {
		w := &d.windows[i]
		if d.receipts[i].Err != nil {
			continue
		}
		p := d.byPhase[phaseName{w.ID.Run, w.ID.Phase}]
		store, receipt := d.decide(p, i, w)
		d.receipts[i] = receipt
		if !store {
			continue
		}
		r := batches[p.week]
		if r == nil {
			r = &rows{week: p.week}
			batches[p.week] = r
		}
		before := r.bytes
		if err := r.add(d.a.ids.take(), p.id, w); err != nil {
			return err
		}
		sizes[p.suite] += r.bytes - before
		if w.Loaded != nil {
			if err := d.loaded(tx, w); err != nil {
				return err
			}
		}
	}
	for _, r := range batches {
		r.store(tx)
	}
	for _, p := range d.phases {
		if p.unrolled {
			tx.later(`UPDATE phase SET rolled_seq = $2 WHERE id = $1`, p.id, p.rolledTo)
		}
	}
	for suite, size := range sizes {
		account(tx, suite, size)
	}
	return nil
}

// look finds the windows that are stored already, creates missing phases, and has enough ids.
func (d *adder) look(ctx context.Context, tx *transaction) error {
	var b pgx.Batch
	var runs []string
	for _, p := range d.phases {
		if p.id > 0 {
			d.findStored(&b, p)
		} else if p.found && !p.ended {
			b.Queue(`INSERT INTO phase (run, name) VALUES ($1, $2) RETURNING id`, encode(p.run), encode(p.phase)).QueryRow(func(row pgx.Row) error {
				return row.Scan(&p.id)
			})
		}
		for _, i := range p.windows {
			if d.windows[i].Loaded != nil {
				runs = append(runs, encode(p.run))
				break
			}
		}
	}
	if len(runs) > 0 {
		d.newest = make(map[shardName]int)
		b.Queue(`SELECT run, shard, max(attempt) FROM loaded WHERE run = ANY($1) GROUP BY run, shard`, runs).Query(func(rows pgx.Rows) error {
			return eachOf(rows, func(row pgx.Rows) error {
				var name shardName
				var attempt int
				err := row.Scan(into(&name.run), &name.shard, &attempt)
				d.newest[name] = attempt
				return err
			})
		})
	}
	if d.a.ids.left() < int64(len(d.windows)) {
		blocks := (len(d.windows) + idBlock - 1) / idBlock
		b.Queue(`SELECT nextval('window_id') FROM generate_series(1, $1::bigint)`, blocks).Query(func(rows pgx.Rows) error {
			return eachOf(rows, func(row pgx.Rows) error {
				var first int64
				err := row.Scan(&first)
				d.a.ids.add(first)
				return err
			})
		})
	}
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, &b).Close()
}

// findStored queues the search for windows of a phase that are stored already.
func (d *adder) findStored(b *pgx.Batch, p *phaseRow) {
	n := len(p.windows)
	seqs, shards, attempts := make([]int64, n), make([]int64, n), make([]int64, n)
	for k, i := range p.windows {
		id := d.windows[i].ID
		seqs[k], shards[k], attempts[k] = int64(id.Seq), int64(id.Shard), int64(id.Attempt)
	}
	p.stored = make(map[int]bool)
	// The limit makes each window a search in the index of identities: without statistics, a plan might read the whole phase.
	b.Queue(`SELECT k.at FROM unnest($3::bigint[], $4::bigint[], $5::bigint[]) WITH ORDINALITY AS k (seq, shard, attempt, at)
		CROSS JOIN LATERAL (SELECT 1 FROM "window" w WHERE w.week = $1 AND w.phase = $2 AND w.seq = k.seq AND w.shard = k.shard AND w.attempt = k.attempt LIMIT 1) w`,
		p.week, p.id, seqs, shards, attempts).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			var at int
			err := row.Scan(&at)
			if err == nil {
				p.stored[p.windows[at-1]] = true
			}
			return err
		})
	})
}

// decide reports whether a window is to be stored, and returns its receipt. Windows are decided in their order, each knows those before.
func (d *adder) decide(p *phaseRow, i int, w *latency.Window) (store bool, receipt archive.Receipt) {
	if !p.found {
		return false, archive.Receipt{Err: notFound("run", w.ID.Run)}
	}
	if p.stored[i] {
		_, owed := d.a.owed[w.ID] // an earlier call has stored it, without knowing it
		if owed = owed && d.once(w.ID); owed {
			d.fresh = append(d.fresh, w.ID)
		}
		return false, archive.Receipt{Fresh: owed}
	}
	if p.ended {
		return false, archive.Receipt{Err: archive.Faultf(archive.ErrEnded, nil, "add window %d of shard %d (attempt %d) in phase %s of run %s: the run has ended",
			w.ID.Seq, w.ID.Shard, w.ID.Attempt, w.ID.Phase, w.ID.Run)}
	}
	if w.Loaded != nil && d.newest[shardName{w.ID.Run, w.ID.Shard}] > w.ID.Attempt {
		return false, archive.Receipt{}
	}
	if !d.once(w.ID) {
		return false, archive.Receipt{}
	}
	if w.ID.Seq < p.rolledTo { // a late window: it is merged, too
		p.rolledTo, p.unrolled = w.ID.Seq-w.ID.Seq%max(p.rolled, 1), true
	}
	d.fresh = append(d.fresh, w.ID)
	return true, archive.Receipt{Fresh: true}
}

// loaded queues the progress of a load.
func (d *adder) loaded(tx *transaction, w *latency.Window) error {
	rows, err := json.Marshal(w.Loaded)
	if err != nil {
		return err
	}
	name := shardName{w.ID.Run, w.ID.Shard}
	d.newest[name] = max(d.newest[name], w.ID.Attempt)
	tx.later(`INSERT INTO loaded AS l (run, shard, attempt, seq, rows) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (run, shard, attempt) DO UPDATE SET seq = excluded.seq, rows = excluded.rows WHERE excluded.seq > l.seq`,
		encode(w.ID.Run), w.ID.Shard, w.ID.Attempt, w.ID.Seq, string(rows))
	return nil
}
