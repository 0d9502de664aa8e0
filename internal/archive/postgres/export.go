package postgres

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/benchd/benchd/internal/archive/portable"
)

const ofRuns = ` WHERE run IN (SELECT id FROM run WHERE suite = $1)`

// rowsOf returns the queries of the rows of a suite's tables up to portable.Phase, by the suite's id. %s is replaced by the columns.
func rowsOf() []string {
	return []string{
		portable.Suite:       `SELECT %s FROM suite WHERE id = $1`,
		portable.Run:         `SELECT %s FROM run WHERE suite = $1 ORDER BY number`,
		portable.Agent:       `SELECT %s FROM agent` + ofRuns + ` ORDER BY run, shard, attempt`,
		portable.Event:       `SELECT %s FROM event` + ofRuns + ` ORDER BY id`,
		portable.Loaded:      `SELECT %s FROM loaded` + ofRuns + ` ORDER BY run, shard, attempt`,
		portable.Figure:      `SELECT %s FROM figure` + ofRuns + ` ORDER BY run, number`,
		portable.Observation: `SELECT %s FROM observation` + ofRuns + ` AND week = (SELECT week FROM suite WHERE id = $1) ORDER BY id`,
		portable.Phase:       `SELECT id, %s FROM phase` + ofRuns + ` ORDER BY id`,
	}
}

// partsOf returns the queries of the rows that belong to windows, by their week and ids. The first column is the window's id.
func partsOf() []string {
	return []string{
		portable.Measurement: `SELECT c."window", %s FROM measurement c WHERE c.week = $1 AND c."window" = ANY($2) ORDER BY c."window", c.id`,
		portable.Sample:      `SELECT c."window", %s FROM error_sample c WHERE c.week = $1 AND c."window" = ANY($2) ORDER BY c."window", c.id`,
		portable.Lateness:    `SELECT c."window", %s FROM lateness c WHERE c.week = $1 AND c."window" = ANY($2)`,
	}
}

const exportedWindows = `SELECT id, %s FROM "window" WHERE week = $1 AND phase = $2 AND (seq, shard, attempt) > ($3, $4, $5) ORDER BY seq, shard, attempt LIMIT $6`

// columnsOf are the columns of a table in a query.
func columnsOf(table int) string {
	return strings.Join(portable.Tables()[table].Columns, ", ")
}

// Export writes an ended suite with all its rows as one file, from one snapshot; a suite that has not ended is ErrNotEnded.
// As with Windows, write without pauses.
func (a *Archive) Export(ctx context.Context, id string, to io.Writer) error {
	return a.copyTo(ctx, id, to, func(ctx context.Context, tx pgx.Tx) error {
		return requireEnded(ctx, tx, id, "export", "wait for its end, or cancel it")
	})
}

// Copy writes a suite as Export does, whether it has ended or not.
func (a *Archive) Copy(ctx context.Context, id string, to io.Writer) error {
	return a.copyTo(ctx, id, to, func(ctx context.Context, tx pgx.Tx) error {
		_, err := suiteOf(ctx, tx, id)
		return err
	})
}

func (a *Archive) copyTo(ctx context.Context, id string, to io.Writer, allowed func(context.Context, pgx.Tx) error) error {
	return a.readLong(ctx, "export suite "+id+" of", func(ctx context.Context, tx pgx.Tx) error {
		if err := allowed(ctx, tx); err != nil {
			return err
		}
		zip, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err != nil {
			return err
		}
		x := exporter{ctx: ctx, tx: tx, suite: encode(id)}
		if err := tx.QueryRow(ctx, `SELECT week FROM suite WHERE id = $1`, x.suite).Scan(&x.week); err != nil {
			return err
		}
		if err := x.export(zip); err != nil {
			return err
		}
		return zip.Close()
	})
}

type exporter struct {
	ctx   context.Context
	tx    pgx.Tx
	out   *portable.Writer
	suite string
	week  int64
}

func (x *exporter) export(to io.Writer) (err error) {
	if x.out, err = portable.NewWriter(to, portable.Tables()); err != nil {
		return err
	}
	for table := range portable.Phase {
		if err := each(x.ctx, x.tx, func(row pgx.Rows) error {
			values, err := valuesOf(row)
			if err != nil {
				return err
			}
			return x.out.Row(table, values)
		}, fmt.Sprintf(rowsOf()[table], columnsOf(table)), x.suite); err != nil {
			return err
		}
	}
	var phases [][]any
	if err := each(x.ctx, x.tx, func(row pgx.Rows) error {
		values, err := valuesOf(row)
		phases = append(phases, values)
		return err
	}, fmt.Sprintf(rowsOf()[portable.Phase], columnsOf(portable.Phase)), x.suite); err != nil {
		return err
	}
	for _, phase := range phases {
		if err := x.out.Row(portable.Phase, phase[1:]); err != nil {
			return err
		}
		if err := x.phase(phase[0]); err != nil {
			return err
		}
	}
	return x.out.End()
}

// valuesOf returns the values of a row in the form of a file.
func valuesOf(row pgx.Rows) ([]any, error) {
	values, err := row.Values()
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = decode(s)
		}
	}
	return values, err
}

// phase writes a phase's windows: what belongs to a chunk comes in one round trip with the next chunk.
func (x *exporter) phase(id any) error {
	now := &exportedChunk{after: []any{int64(-1), int64(-1), int64(-1)}}
	if err := x.fetch(id, nil, now); err != nil {
		return err
	}
	for len(now.ids) > 0 {
		last := now.windows[len(now.windows)-1]
		next := &exportedChunk{after: last[1:4]} // the first columns of a window are its place
		if err := x.fetch(id, now, next); err != nil {
			return err
		}
		if err := now.write(x.out); err != nil {
			return err
		}
		now = next
	}
	return nil
}

// exportedChunk are the rows of some windows with their parts.
type exportedChunk struct {
	after   []any
	ids     []int64
	windows [][]any                                // with their ids in front
	parts   [portable.Lateness + 1]map[any][][]any // by table and window
}

// fetch reads the parts of one chunk, and the windows of another one.
func (x *exporter) fetch(phase any, now, next *exportedChunk) error {
	var b pgx.Batch
	if now != nil {
		for table := portable.Measurement; table <= portable.Lateness; table++ {
			parts := make(map[any][][]any, len(now.ids))
			now.parts[table] = parts
			columns := "c." + strings.ReplaceAll(columnsOf(table), ", ", ", c.")
			b.Queue(fmt.Sprintf(partsOf()[table], columns), x.week, now.ids).Query(func(rows pgx.Rows) error {
				return eachOf(rows, func(row pgx.Rows) error {
					values, err := valuesOf(row)
					if err != nil {
						return err
					}
					parts[values[0]] = append(parts[values[0]], values[1:])
					return nil
				})
			})
		}
	}
	args := append([]any{x.week, phase}, next.after...)
	b.Queue(fmt.Sprintf(exportedWindows, columnsOf(portable.Window)), append(args, chunkWindows)...).Query(func(rows pgx.Rows) error {
		return eachOf(rows, func(row pgx.Rows) error {
			values, err := valuesOf(row)
			if err != nil {
				return err
			}
			id, _ := values[0].(int64)
			next.ids, next.windows = append(next.ids, id), append(next.windows, values)
			return nil
		})
	})
	return x.tx.SendBatch(x.ctx, &b).Close()
}

// write writes the windows of a chunk, each followed by its parts.
func (c *exportedChunk) write(out *portable.Writer) error {
	for _, window := range c.windows {
		if err := out.Row(portable.Window, window[1:]); err != nil {
			return err
		}
		for table := portable.Measurement; table <= portable.Lateness; table++ {
			for _, values := range c.parts[table][window[0]] {
				if err := out.Row(table, values); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
