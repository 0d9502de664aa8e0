package sqlite

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/archive/portable"
)

// rowsOf returns the queries of the rows of the tables: those before portable.Phase of a suite, the others of a phase. The latter are read in
// parallel, by the id in the first column. %s is replaced by the columns.
func rowsOf() []string {
	return []string{
		portable.Suite:       `SELECT %s FROM suite WHERE id = ?`,
		portable.Run:         `SELECT %s FROM run WHERE suite = ? ORDER BY number`,
		portable.Agent:       `SELECT %s FROM agent` + ofRuns + ` ORDER BY run, shard, attempt`,
		portable.Event:       `SELECT %s FROM event` + ofRuns + ` ORDER BY id`,
		portable.Loaded:      `SELECT %s FROM loaded` + ofRuns + ` ORDER BY run, shard, attempt`,
		portable.Figure:      `SELECT %s FROM figure` + ofRuns + ` ORDER BY run, number`,
		portable.Observation: `SELECT %s FROM observation` + ofRuns + ` ORDER BY id`,
		portable.Phase:       `SELECT id, %s FROM phase` + ofRuns + ` ORDER BY id`,
		portable.Window:      `SELECT id, %s FROM window WHERE phase = ? ORDER BY seq, shard, attempt`,
		portable.Measurement: `SELECT w.id, %s FROM window w CROSS JOIN measurement c ON c.window = w.id
		WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt, c.id`,
		portable.Sample: `SELECT w.id, %s FROM window w CROSS JOIN error_sample c ON c.window = w.id
		WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt, c.id`,
		portable.Lateness: `SELECT w.id, %s FROM window w CROSS JOIN lateness c ON c.window = w.id
		WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt`,
	}
}

const ofRuns = ` WHERE run IN (SELECT id FROM run WHERE suite = ?)`

// Export writes an ended suite with all its rows as one file, from one snapshot; a suite that has not ended is ErrNotEnded.
// As with Windows, write without pauses.
func (a *Archive) Export(ctx context.Context, id string, to io.Writer) error {
	return a.copyTo(ctx, id, to, func(ctx context.Context, tx *sql.Tx) error {
		return requireEnded(ctx, tx, id, "export", "wait for its end, or cancel it")
	})
}

// Copy writes a suite as Export does, whether it has ended or not.
func (a *Archive) Copy(ctx context.Context, id string, to io.Writer) error {
	return a.copyTo(ctx, id, to, func(ctx context.Context, tx *sql.Tx) error {
		_, err := suiteOf(ctx, tx, id)
		return err
	})
}

func (a *Archive) copyTo(ctx context.Context, id string, to io.Writer, allowed func(context.Context, *sql.Tx) error) error {
	return a.readLong(ctx, "export suite "+id+" of", func(ctx context.Context, tx *sql.Tx) error {
		if err := allowed(ctx, tx); err != nil {
			return err
		}
		zip, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err != nil {
			return err
		}
		x := exporter{ctx: ctx, tx: tx}
		if err := x.export(id, zip); err != nil {
			return err
		}
		return zip.Close()
	})
}

type exporter struct {
	ctx context.Context
	tx  *sql.Tx
	out *portable.Writer
}

func (x *exporter) export(id string, to io.Writer) (err error) {
	if x.out, err = portable.NewWriter(to, portable.Tables()); err != nil {
		return err
	}
	for table := range portable.Phase {
		c, err := x.open(table, id)
		if err != nil {
			return err
		}
		for c.valid && err == nil {
			err = x.write(c, table, 0)
		}
		if err := errors.Join(err, c.rows.Close()); err != nil {
			return err
		}
	}
	phases, err := x.open(portable.Phase, id)
	if err != nil {
		return err
	}
	for phases.valid && err == nil {
		phase := phases.key
		if err = x.write(phases, portable.Phase, 1); err == nil {
			err = x.phase(phase)
		}
	}
	if err := errors.Join(err, phases.rows.Close()); err != nil {
		return err
	}
	return x.out.End()
}

// phase writes a phase's windows.
func (x *exporter) phase(id int64) (err error) {
	var cursors [portable.Lateness + 1 - portable.Window]*cursor
	defer func() {
		for _, c := range cursors {
			if c != nil {
				err = errors.Join(err, c.rows.Close())
			}
		}
	}()
	for i := range cursors {
		if cursors[i], err = x.open(portable.Window+i, id); err != nil {
			return err
		}
	}
	for windows := cursors[0]; windows.valid; {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		window := windows.key
		if err := x.write(windows, portable.Window, 1); err != nil {
			return err
		}
		for i, c := range cursors[1:] {
			for c.valid && c.key == window {
				if err := x.write(c, portable.Measurement+i, 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cursor is positioned at a row.
type cursor struct {
	rows   *sql.Rows
	values []any
	into   []any
	key    int64 // the row's id, or its window's; 0 for tables without one
	valid  bool
}

func (x *exporter) open(table int, of any) (*cursor, error) {
	columns := portable.Tables()[table].Columns
	keyed := 0
	prefix := ""
	if table >= portable.Phase {
		keyed = 1
	}
	if table > portable.Window {
		prefix = "c."
	}
	query := fmt.Sprintf(rowsOf()[table], prefix+strings.Join(columns, ", "+prefix))
	rows, err := x.tx.QueryContext(x.ctx, query, of) //nolint:rowserrcheck // next does
	if err != nil {
		return nil, err
	}
	c := &cursor{rows: rows, values: make([]any, keyed+len(columns)), into: make([]any, keyed+len(columns))}
	for i := range c.values {
		c.into[i] = &c.values[i]
	}
	err = c.next(keyed)
	return c, err
}

func (c *cursor) next(keyed int) error {
	if c.valid = c.rows.Next(); !c.valid {
		return c.rows.Err()
	}
	if err := c.rows.Scan(c.into...); err != nil {
		return err
	}
	if keyed > 0 {
		c.key, _ = c.values[0].(int64)
	}
	return nil
}

// write writes the row of a cursor, and advances it.
func (x *exporter) write(c *cursor, table, keyed int) error {
	if err := x.out.Row(table, c.values[keyed:]); err != nil {
		return err
	}
	return c.next(keyed)
}
