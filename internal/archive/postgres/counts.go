package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// Counts returns which windows of a run are in the archive, ordered by phase (in the order of their first windows), shard
// and attempt. A shard without windows is not in the list.
func (a *Archive) Counts(ctx context.Context, run string) ([]archive.Count, error) {
	var list []archive.Count
	err := a.read(ctx, "count windows of run "+run+" of", func(ctx context.Context, tx pgx.Tx) error {
		phases, err := phasesOf(ctx, tx, run)
		if err != nil {
			return err
		}
		for _, phase := range phases {
			first, gaps := len(list), false
			if err := each(ctx, tx, func(row pgx.Rows) error {
				count := archive.Count{Phase: phase.name}
				var from, until, last int64
				err := row.Scan(&count.Shard, &count.Attempt, &count.Windows, &count.Highest, &last, &count.Ops, &from, &until)
				count.From, count.Until, count.Last = time.Duration(from), time.Duration(until), last != 0
				list, gaps = append(list, count), gaps || count.Windows <= count.Highest
				return err
			}, `SELECT shard, attempt, count(*), max(seq), max(last), sum(ops)::bigint, min(start_ns), max(end_ns) FROM "window"
				WHERE week = $1 AND phase = $2 GROUP BY shard, attempt ORDER BY shard, attempt`, phase.week, phase.id); err != nil {
				return err
			}
			if gaps {
				if err := fillGaps(ctx, tx, phase, list[first:]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return list, err
}

// fillGaps finds the gaps of all shards of a phase.
func fillGaps(ctx context.Context, tx querier, phase storedPhase, counts []archive.Count) error {
	type part struct{ shard, attempt int }
	at := make(map[part]int)
	for i, c := range counts {
		at[part{c.Shard, c.Attempt}] = i
	}
	return each(ctx, tx, func(row pgx.Rows) error {
		var p part
		var gap archive.Gap
		err := row.Scan(&p.shard, &p.attempt, &gap.From, &gap.To)
		if i, ok := at[p]; ok {
			counts[i].Missing = append(counts[i].Missing, gap)
		}
		return err
	}, `SELECT shard, attempt, before + 1, seq - 1
		FROM (SELECT shard, attempt, seq, lag(seq, 1, -1::bigint) OVER (PARTITION BY shard, attempt ORDER BY seq) AS before FROM "window" WHERE week = $1 AND phase = $2) w
		WHERE seq > before + 1 ORDER BY shard, attempt, seq`, phase.week, phase.id)
}
