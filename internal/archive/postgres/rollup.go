package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

// Extents returns the extents of all phases of a run in their order, even of one being imported; an empty run selects all
// runs except those of suites being imported. Suites being removed have none.
func (a *Archive) Extents(ctx context.Context, run string) ([]archive.PhaseExtent, error) {
	var list []archive.PhaseExtent
	suite, _, _ := strings.Cut(run, ".")
	_, coming := a.coming.Load(suite)
	err := a.read(ctx, "look at phases of", func(ctx context.Context, tx pgx.Tx) error {
		at := make(map[int64]int)        // places in the list, by phase
		weeks := make(map[int64][]int64) // phases
		if err := each(ctx, tx, func(row pgx.Rows) error {
			var e archive.PhaseExtent
			var phase, week int64
			err := row.Scan(&phase, &week, into(&e.Run), into(&e.Phase), &e.Ended, &e.Shards, &e.Rolled, &e.RolledTo)
			at[phase], weeks[week] = len(list), append(weeks[week], phase)
			list = append(list, e)
			return err
		}, `SELECT p.id, s.week, p.run, p.name, r.status `+ended+`, (SELECT count(DISTINCT shard) FROM agent WHERE agent.run = p.run), p.rolled_windows, p.rolled_seq
			FROM phase p JOIN run r ON r.id = p.run JOIN suite s ON s.id = r.suite
			WHERE ($1 = '' OR p.run = $1) AND (s.removed = 0 OR $2 AND s.removed = 1) ORDER BY p.id`, encode(run), coming); err != nil {
			return err
		}
		for week, phases := range weeks {
			if err := each(ctx, tx, func(row pgx.Rows) error {
				var phase int64
				var windows int
				var length time.Duration
				err := row.Scan(&phase, &windows, (*int64)(&length))
				e := &list[at[phase]]
				e.Windows, e.Length = windows, length
				return err
			}, newestWindows, week, phases); err != nil {
				return err
			}
		}
		list = slices.DeleteFunc(list, func(e archive.PhaseExtent) bool { return e.Windows == 0 })
		return nil
	})
	return list, err
}

// newestWindows reads the extents of phases of one week. A server that had to find the week first would plan for the partitions of all weeks, which takes
// longer than everything else.
const newestWindows = `SELECT k.phase, n.seq + 1, (SELECT max(end_ns) FROM "window" w WHERE w.week = $1 AND w.phase = k.phase AND w.seq = n.seq)
	FROM unnest($2::bigint[]) AS k (phase) CROSS JOIN LATERAL (SELECT max(seq) AS seq FROM "window" w WHERE w.week = $1 AND w.phase = k.phase) n
	WHERE n.seq IS NOT NULL`

// holder is a window with measurements.
type holder struct {
	id                  int64
	seq, shard, attempt int64
}

type roll = column.Roll[holder]

// RollUp rolls windows up, as column.RollUp describes.
func (a *Archive) RollUp(ctx context.Context, r archive.RollUp, pause func(context.Context) error) error {
	return column.RollUp(ctx, r, column.Rolling[storedPhase, holder]{
		Phase: a.rollPhase, Begin: a.rollBegin, Windows: a.rollWindows, Merge: a.rollMerge, Together: a.rollTogether,
	}, pause)
}

func (a *Archive) rollPhase(ctx context.Context, run, name string) (phase storedPhase, windows, rolled int, err error) {
	phase = storedPhase{run: run, name: name}
	err = a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT p.id, s.week, s.id, p.rolled_windows, p.rolled_seq FROM phase p JOIN run r ON r.id = p.run JOIN suite s ON s.id = r.suite
			WHERE p.run = $1 AND p.name = $2`, encode(run), encode(name)).Scan(&phase.id, &phase.week, &phase.suite, &windows, &rolled)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return phase, windows, rolled, err
}

func (a *Archive) rollBegin(ctx context.Context, phase storedPhase, windows int) error {
	return a.write(ctx, "roll up windows in", func(_ context.Context, tx *transaction) error {
		tx.later(`UPDATE phase SET rolled_windows = $1, rolled_seq = 0 WHERE id = $2`, windows, phase.id)
		return nil
	})
}

func (a *Archive) rollWindows(ctx context.Context, phase storedPhase, from, below int, add func(column.Placed, holder)) error {
	return a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var h holder
			var w column.Placed
			var tail int64
			err := row.Scan(&h.id, &h.seq, &h.shard, &h.attempt, (*int64)(&w.Start), (*int64)(&w.End), &tail, &w.Holds)
			w.Shard, w.Attempt, w.Tail = int(h.shard), int(h.attempt), tail != 0
			add(w, h)
			return err
		}, `SELECT id, seq, shard, attempt, start_ns, end_ns, tail, rolled_ns IS NULL OR rolled_ns <> 0
			FROM "window" WHERE week = $1 AND phase = $2 AND seq >= $3 AND seq < $4 ORDER BY seq, shard, attempt`, phase.week, phase.id, from, below)
	})
}

// rollMerge repeats a transaction that took this process so long that the server has ended its session, with fewer measurements each time:
// the machine may be too busy to merge the usual number within idleWithin.
func (a *Archive) rollMerge(ctx context.Context, phase storedPhase, rolls []roll, done column.Done) (n int, err error) {
	for most := column.RollRows; ; most /= 8 {
		n, err = a.mergeOnce(ctx, phase, rolls, done, most)
		if stateOf(err) != stateIdle || most == 0 {
			return n, err
		}
	}
}

func (a *Archive) mergeOnce(ctx context.Context, phase storedPhase, rolls []roll, done column.Done, most int) (n int, err error) {
	err = a.write(ctx, "roll up windows in", func(ctx context.Context, tx *transaction) error {
		if n, err = a.mergeSome(ctx, tx, phase, rolls, most); err != nil || n < len(rolls) {
			return err
		}
		tx.later(`UPDATE phase SET rolled_seq = $3::bigint WHERE id = $1 AND rolled_seq = $2 AND rolled_windows = $5
			AND $4 = (SELECT count(*) FROM "window" WHERE week = $6 AND phase = $1 AND seq >= $2 AND seq < $3::bigint)`,
			phase.id, done.From, done.To, done.Count, done.Windows, phase.week)
		return nil
	})
	return n, err
}

const (
	deleteMeasurements = `DELETE FROM measurement m WHERE week = $1 AND m."window" = ANY($2)`
	deleteLateness     = `DELETE FROM lateness l WHERE week = $1 AND l."window" = ANY($2)`
	deleteSamples      = `DELETE FROM error_sample e USING unnest($2::bigint[], $3::bigint[]) AS k (holder, number)
		WHERE e.week = $1 AND e."window" = k.holder AND e.id = k.number`
	markRolled = `UPDATE "window" w SET rolled_ns = k.ends FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS k (seq, shard, attempt, ends)
		WHERE w.week = $1 AND w.phase = $2 AND w.seq BETWEEN $7 AND $8
		AND w.seq = k.seq AND w.shard = k.shard AND w.attempt = k.attempt`
)

// mergeSome merges the first of some rolls: about as many as have most measurements, but at least one. It returns how many.
func (a *Archive) mergeSome(ctx context.Context, tx *transaction, phase storedPhase, rolls []roll, most int) (n int, err error) {
	var some int
	var ids []int64
	for n < len(rolls) && some < max(most, 1) {
		for _, h := range rolls[n].Holders {
			ids = append(ids, h.id)
		}
		some += len(rolls[n].Holders) * cmp.Or(a.perWindow, 5)
		n++
	}
	if n == 0 {
		return 0, nil
	}
	held, err := heldBy(ctx, tx, &a.compact, phase, ids)
	if err != nil {
		return 0, err
	}
	a.perWindow = held.rows/len(ids) + 1
	m := merger{held: held, sum: &a.merged, out: rows{week: phase.week, compact: &a.compact}}
	for _, r := range rolls[:n] {
		if err := m.merge(r); err != nil {
			return 0, err
		}
	}
	tx.later(deleteMeasurements, phase.week, ids)
	tx.later(deleteLateness, phase.week, ids)
	if len(m.again.window) > 0 {
		tx.later(deleteSamples, phase.week, m.again.window, m.again.number)
	}
	m.out.store(tx)
	tx.later(markRolled, phase.week, phase.id, m.mark[0], m.mark[1], m.mark[2], m.mark[3], slices.Min(m.mark[0]), slices.Max(m.mark[0]))
	account(tx, phase.suite, m.out.bytes-held.bytes)
	return n, nil
}

// heldRows is what windows have, by their ids.
type heldRows struct {
	series   map[int64][]latency.Series
	lateness map[int64]*latency.Histogram
	samples  map[int64][]heldSample
	rows     int   // measurements
	bytes    int64 // of what the roll-up replaces, about
}

type heldSample struct {
	number int64
	kind   latency.Key
	size   int64
}

// heldBy reads what windows have.
func heldBy(ctx context.Context, tx *transaction, compact *latency.Compactor, phase storedPhase, ids []int64) (*heldRows, error) {
	held := &heldRows{series: make(map[int64][]latency.Series), lateness: make(map[int64]*latency.Histogram), samples: make(map[int64][]heldSample)}
	var b pgx.Batch
	b.Queue(seriesOf, phase.week, ids).Query(func(rows pgx.Rows) error {
		var m measurement
		return eachOf(rows, func(row pgx.Rows) error {
			s, err := m.scan(row, compact.Decode)
			if err != nil {
				return archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: %v", m.window, err)
			}
			held.series[m.window] = append(held.series[m.window], s)
			held.rows++
			held.bytes += int64(measurementBytes + len(m.blobs[0]) + len(m.blobs[1]))
			return nil
		})
	})
	b.Queue(latenessOf, phase.week, ids).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			var id int64
			var blob pgtype.DriverBytes
			if err := row.Scan(&id, &blob); err != nil {
				return err
			}
			h, err := compact.Decode(blob)
			if err != nil {
				return archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: its lateness: %v", id, err)
			}
			held.lateness[id] = h
			held.bytes += int64(latenessBytes + len(blob))
			return nil
		})
	})
	b.Queue(`SELECT e."window", id, op, outcome, octet_length(message) FROM error_sample e WHERE week = $1 AND e."window" = ANY($2) ORDER BY e."window", id`,
		phase.week, ids).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			var id int64
			var s heldSample
			err := row.Scan(&id, &s.number, into(&s.kind.Op), into(&s.kind.Outcome), &s.size)
			held.samples[id] = append(held.samples[id], s)
			return err
		})
	})
	return held, tx.SendBatch(ctx, &b).Close()
}

// merger merges rolls.
type merger struct {
	held  *heldRows
	sum   *latency.Merged // of one roll at a time
	out   rows
	again struct{ window, number []int64 } // error messages whose kind is there already
	mark  [4][]int64                       // seq, shard, attempt and new rolled_ns of windows
}

// merge moves the measurements of windows into the first of them, and keeps the first error message of its kind among them.
func (m *merger) merge(r roll) error {
	m.sum.Reset()
	var lateness latency.Histogram
	late, kinds := false, make(map[latency.Key]bool)
	for i, h := range r.Holders {
		if err := m.sum.Add(m.held.series[h.id]); err != nil {
			return archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: %v", h.id, err)
		}
		if l := m.held.lateness[h.id]; l != nil {
			late = true
			if err := lateness.Merge(l); err != nil {
				return archive.Faultf(archive.ErrCorrupt, err, "roll up window row %d: its lateness: %v", h.id, err)
			}
		}
		for _, s := range m.held.samples[h.id] {
			if kinds[s.kind] {
				m.again.window, m.again.number = append(m.again.window, h.id), append(m.again.number, s.number)
				m.held.bytes += sampleBytes + s.size
			}
			kinds[s.kind] = true
		}
		ends := int64(0) // an earlier window has its measurements
		if i == 0 {
			ends = int64(r.Ends)
		}
		for k, v := range [4]int64{h.seq, h.shard, h.attempt, ends} {
			m.mark[k] = append(m.mark[k], v)
		}
	}
	first := r.Holders[0].id
	if late {
		if err := m.out.addLateness(first, &lateness); err != nil {
			return err
		}
	}
	number := int64(0)
	for s := range m.sum.All {
		if err := m.out.addSeries(first, number, &s); err != nil {
			return err
		}
		number++
	}
	return nil
}
