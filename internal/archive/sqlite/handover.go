package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/benchd/benchd/internal/archive"
)

// HandOver begins a new attempt at a shard of a load and returns where it begins: for each worker the row below which all
// rows of its range were answered and counted in earlier attempts, or nil if none has a window. From then on windows of
// earlier attempts are refused: their rows are written and counted again. A repeated call returns the same.
func (a *Archive) HandOver(ctx context.Context, run string, shard, attempt int) (rows []int64, err error) {
	err = a.write(ctx, "hand over a shard of run "+run+" in", func(ctx context.Context, tx *sql.Tx) error {
		text := "null"
		err := tx.QueryRowContext(ctx, `SELECT rows FROM loaded WHERE run = ? AND shard = ? AND attempt <= ? ORDER BY attempt DESC LIMIT 1`,
			run, shard, attempt).Scan(&text)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			return archive.Faultf(archive.ErrCorrupt, err, "read what shard %d of run %s has loaded: %v", shard, run, err)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO loaded (run, shard, attempt, seq, rows) VALUES (?, ?, ?, -1, ?) ON CONFLICT DO NOTHING`,
			run, shard, attempt, text)
		return err
	})
	return rows, err
}

// newest reports whether no later attempt at a shard has begun.
func (d *adder) newest(run string, shard, attempt int) (newest bool, err error) {
	var later int
	err = d.statements.findLater.QueryRowContext(d.ctx, run, shard, attempt).Scan(&later)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}
