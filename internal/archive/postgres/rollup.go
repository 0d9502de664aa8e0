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

const (
	// rollRows is about how many measurements one transaction of a roll-up merges: some 30 ms, for which an arriving
	// window has to wait.
	rollRows = 1500
	// rollWindows is about how many windows are read together.
	rollWindows = 3000
)

// Extents returns the extents of all phases of a run in their order, even of one being imported; an empty run selects all
// runs except those of suites being imported. Suites being removed have none.
func (a *Archive) Extents(ctx context.Context, run string) ([]archive.PhaseExtent, error) {
	var list []archive.PhaseExtent
	suite, _, _ := strings.Cut(run, ".")
	_, coming := a.coming.Load(suite)
	err := a.read(ctx, "look at phases of", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var e archive.PhaseExtent
			var length int64
			err := row.Scan(into(&e.Run), into(&e.Phase), &e.Ended, &e.Shards, &e.Windows, &length, &e.Rolled, &e.RolledTo)
			e.Length = time.Duration(length)
			list = append(list, e)
			return err
		}, `SELECT p.run, p.name, p.ended, (SELECT count(DISTINCT shard) FROM agent WHERE agent.run = p.run), p.newest + 1,
			(SELECT max(end_ns) FROM "window" w WHERE w.week = p.week AND w.phase = p.id AND w.seq = p.newest), p.rolled_windows, p.rolled_seq
			FROM (SELECT phase.*, s.week, r.status `+ended+` AS ended,
				(SELECT max(seq) FROM "window" w WHERE w.week = s.week AND w.phase = phase.id) AS newest
				FROM phase JOIN run r ON r.id = phase.run JOIN suite s ON s.id = r.suite
				WHERE ($1 = '' OR phase.run = $1) AND (s.removed = 0 OR $2 AND s.removed = 1)) p
			WHERE p.newest IS NOT NULL ORDER BY p.id`, encode(run), coming)
	})
	return list, err
}

// holder is a window with measurements.
type holder struct {
	id                  int64
	seq, shard, attempt int64
}

type roll = column.Roll[holder]

// RollUp rolls windows up, one stretch of numbers after another, and returns when there is nothing left to do. Each
// transaction is small and keeps the archive exact: a roll-up may be interrupted anywhere, and continued by the same call.
// Between transactions it calls pause, which may wait, and returns its error.
//
// A phase that was rolled up by steps of fewer windows is rolled up further; one rolled up by more is left alone. The next
// call merges windows that arrive late.
func (a *Archive) RollUp(ctx context.Context, r archive.RollUp, pause func(context.Context) error) error {
	if r.Windows < 2 {
		return nil
	}
	stretches := 1
	for {
		phase, from, err := a.beginRolling(ctx, r)
		if err != nil || from < 0 || from+r.Windows > r.Before {
			return err
		}
		span := min(stretches, (r.Before-from)/r.Windows) * r.Windows
		rolls, count, err := a.stretch(ctx, phase, from, span, r)
		if err != nil {
			return err
		}
		// With few agents, several stretches together have that many windows.
		stretches = max(1, cmp.Or(a.rollTogether, rollWindows)/max(count*r.Windows/span, 1))
		for done := false; !done; {
			n := 0
			if err := a.write(ctx, "roll up windows in", func(ctx context.Context, tx *transaction) error {
				var err error
				if n, err = a.mergeSome(ctx, tx, phase, rolls); err != nil {
					return err
				}
				if done = n == len(rolls); !done {
					return nil
				}
				// Unless a window has arrived meanwhile, these stretches are done.
				tx.later(`UPDATE phase SET rolled_seq = $1::bigint + $2::bigint WHERE id = $3 AND rolled_seq = $1 AND rolled_windows = $5
					AND $4 = (SELECT count(*) FROM "window" WHERE week = $6 AND phase = $3 AND seq >= $1 AND seq < $1::bigint + $2::bigint)`,
					from, span, phase.id, count, r.Windows, phase.week)
				return nil
			}); err != nil {
				return err
			}
			rolls = rolls[n:]
			if err := pause(ctx); err != nil {
				return err
			}
		}
	}
}

// beginRolling finds the next stretch of a phase; it is negative if there is none.
func (a *Archive) beginRolling(ctx context.Context, r archive.RollUp) (phase storedPhase, from int, err error) {
	var windows int
	phase = storedPhase{run: r.Run, name: r.Phase}
	if err := a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT p.id, s.week, s.id, p.rolled_windows, p.rolled_seq FROM phase p JOIN run r ON r.id = p.run JOIN suite s ON s.id = r.suite
			WHERE p.run = $1 AND p.name = $2`, encode(r.Run), encode(r.Phase)).Scan(&phase.id, &phase.week, &phase.suite, &windows, &from)
		if errors.Is(err, pgx.ErrNoRows) {
			from = -1
			return nil
		}
		return err
	}); err != nil || from < 0 || windows == r.Windows {
		return phase, from, err
	}
	if windows < 1 || windows > r.Windows || r.Windows%windows != 0 {
		return phase, -1, nil
	}
	return phase, 0, a.write(ctx, "roll up windows in", func(_ context.Context, tx *transaction) error {
		tx.later(`UPDATE phase SET rolled_windows = $1, rolled_seq = 0 WHERE id = $2`, r.Windows, phase.id)
		return nil
	})
}

// stretch lists the windows to merge in some stretches, and counts their windows.
func (a *Archive) stretch(ctx context.Context, phase storedPhase, from, span int, r archive.RollUp) (rolls []roll, count int, err error) {
	groups := column.Stretch[holder]{Step: r.Step}
	err = a.read(ctx, "look for windows to roll up in", func(ctx context.Context, tx pgx.Tx) error {
		return each(ctx, tx, func(row pgx.Rows) error {
			var h holder
			var w column.Placed
			var tail int64
			err := row.Scan(&h.id, &h.seq, &h.shard, &h.attempt, (*int64)(&w.Start), (*int64)(&w.End), &tail, &w.Holds)
			w.Shard, w.Attempt, w.Tail = int(h.shard), int(h.attempt), tail != 0
			groups.Add(w, h)
			return err
		}, `SELECT id, seq, shard, attempt, start_ns, end_ns, tail, rolled_ns IS NULL OR rolled_ns <> 0
			FROM "window" WHERE week = $1 AND phase = $2 AND seq >= $3 AND seq < $4 ORDER BY seq, shard, attempt`, phase.week, phase.id, from, from+span)
	})
	return groups.Rolls(), groups.Count, err
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

// mergeSome merges the first of some rolls: about as many as have rollRows measurements. It returns how many.
func (a *Archive) mergeSome(ctx context.Context, tx *transaction, phase storedPhase, rolls []roll) (n int, err error) {
	var some int
	var ids []int64
	for n < len(rolls) && some < rollRows {
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
