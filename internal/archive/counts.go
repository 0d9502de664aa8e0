package archive

import (
	"context"
	"database/sql"
	"time"
)

// Count tells which windows of one shard's attempt at a phase are in the archive.
type Count struct {
	Phase          string
	Shard, Attempt int
	Windows        int  // how many
	Highest        int  // the highest seq
	Last           bool // the shard's last window of the phase is there
	Ops            uint64
	From, Until    time.Duration // of all windows, since the phase's start
	// Missing are the gaps below Highest.
	Missing []Gap
}

// Sealed reports whether all windows are there, up to the last.
func (c Count) Sealed() bool { return c.Last && len(c.Missing) == 0 }

// Gap is a range of windows that are not there, both ends included.
type Gap struct{ From, To int }

// Counts tells which windows of a run are in the archive, ordered by phase (in the order of their first
// windows), shard and attempt. A shard without any window is not in the list.
func (a *Archive) Counts(ctx context.Context, run string) ([]Count, error) {
	var list []Count
	err := a.read(ctx, "count windows of run "+run+" of", func(ctx context.Context, tx *sql.Tx) error {
		phases, err := phasesOf(ctx, tx, run)
		if err != nil {
			return err
		}
		for _, phase := range phases {
			first := len(list)
			if err := each(ctx, tx, func(row scanner) error {
				count := Count{Phase: phase.name}
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

func gapsOf(ctx context.Context, tx *sql.Tx, phase int64, shard, attempt int) ([]Gap, error) {
	var list []Gap
	err := each(ctx, tx, func(row scanner) error {
		var gap Gap
		err := row.Scan(&gap.From, &gap.To)
		list = append(list, gap)
		return err
	}, `SELECT before + 1, seq - 1
		FROM (SELECT seq, lag(seq, 1, -1) OVER (ORDER BY seq) AS before FROM window WHERE phase = ? AND shard = ? AND attempt = ?)
		WHERE seq > before + 1 ORDER BY seq`, phase, shard, attempt)
	return list, err
}
