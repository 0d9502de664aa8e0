package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive"
)

// HandOver begins a new attempt at a shard of a load and returns where it begins: for each worker the row below which all
// rows of its range were answered and counted in earlier attempts, or nil if none has a window. From then on windows of
// earlier attempts are refused: their rows are written and counted again. A repeated call returns the same.
func (a *Archive) HandOver(ctx context.Context, run string, shard, attempt int) (rows []int64, err error) {
	err = a.write(ctx, "hand over a shard of run "+run+" in", func(ctx context.Context, tx *transaction) error {
		text := "null"
		err := tx.QueryRow(ctx, `SELECT rows FROM loaded WHERE run = $1 AND shard = $2 AND attempt <= $3 ORDER BY attempt DESC LIMIT 1`,
			encode(run), shard, attempt).Scan(&text)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			return archive.Faultf(archive.ErrCorrupt, err, "read what shard %d of run %s has loaded: %v", shard, run, err)
		}
		tx.later(`INSERT INTO loaded (run, shard, attempt, seq, rows) VALUES ($1, $2, $3, -1, $4) ON CONFLICT DO NOTHING`,
			encode(run), shard, attempt, text)
		return nil
	})
	return rows, err
}
