package sqlite

import (
	"context"
	"database/sql"

	"github.com/benchd/benchd/internal/archive"
)

// Counts returns which windows of a run are in the archive, ordered by phase (in the order of their first windows), shard
// and attempt. A shard without windows is not in the list.
func (a *Archive) Counts(ctx context.Context, run string) ([]archive.Count, error) {
	var list []archive.Count
	err := a.read(ctx, "count windows of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
		phases, err := phasesOf(ctx, tx, run)
		if err != nil {
			return err
		}
		for _, phase := range phases {
			first := len(list)
			if err := each(ctx, tx, func(row scanner) error {
				count := archive.Count{Phase: phase.name}
				err := row.Scan(&count.Shard, &count.Attempt, &count.Windows, &count.Highest, &count.Last, &count.Ops, &count.From, &count.Until)
				list = append(list, count)
				return err
			}, `SELECT shard, attempt, count(*), max(seq), max(last), sum(ops), min(start_ns), max(end_ns) FROM window WHERE phase = ?
				GROUP BY shard, attempt ORDER BY shard, attempt`, phase.id); err != nil {
				return err
			}
			for i := first; i < len(list); i++ {
				if list[i].Windows <= list[i].Highest {
					if list[i].Missing, err = gapsOf(ctx, tx, phase.id, list[i].Shard, list[i].Attempt); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	return list, err
}

func gapsOf(ctx context.Context, tx *sql.Tx, phase int64, shard, attempt int) ([]archive.Gap, error) {
	var list []archive.Gap
	err := each(ctx, tx, func(row scanner) error {
		var gap archive.Gap
		err := row.Scan(&gap.From, &gap.To)
		list = append(list, gap)
		return err
	}, `SELECT before + 1, seq - 1
		FROM (SELECT seq, lag(seq, 1, -1) OVER (ORDER BY seq) AS before FROM window WHERE phase = ? AND shard = ? AND attempt = ?)
		WHERE seq > before + 1 ORDER BY seq`, phase, shard, attempt)
	return list, err
}
