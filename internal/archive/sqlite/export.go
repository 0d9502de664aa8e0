package sqlite

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// exported is a table in an exported file: without columns that are specific to an archive, and without the reference to
// the preceding row.
type exported struct {
	name  string
	less  []string
	query string // its rows, of a suite or of a phase; %s is replaced by the columns
}

// The tables in the order of their rows. The last four are of a phase, and are read in parallel: a window's measurements,
// messages and lateness follow it.
const (
	tableSuite = iota
	tableRun
	tableAgent
	tableEvent
	tableLoaded
	tableFigure
	tableObservation
	tablePhase
	tableWindow
	tableMeasurement
	tableSample
	tableLateness
	tables // how many there are
)

func exportedTables() []exported {
	const ofRuns = ` WHERE run IN (SELECT id FROM run WHERE suite = ?)`
	return []exported{
		tableSuite:       {"suite", []string{"number", "removed"}, `SELECT %s FROM suite WHERE id = ?`},
		tableRun:         {"run", []string{"number"}, `SELECT %s FROM run WHERE suite = ? ORDER BY number`},
		tableAgent:       {"agent", nil, `SELECT %s FROM agent` + ofRuns + ` ORDER BY run, shard, attempt`},
		tableEvent:       {"event", []string{"id"}, `SELECT %s FROM event` + ofRuns + ` ORDER BY id`},
		tableLoaded:      {"loaded", nil, `SELECT %s FROM loaded` + ofRuns + ` ORDER BY run, shard, attempt`},
		tableFigure:      {"figure", nil, `SELECT %s FROM figure` + ofRuns + ` ORDER BY run, number`},
		tableObservation: {"observation", []string{"id"}, `SELECT %s FROM observation` + ofRuns + ` ORDER BY id`},
		tablePhase:       {"phase", []string{"id"}, `SELECT id, %s FROM phase` + ofRuns + ` ORDER BY id`},
		tableWindow:      {"window", []string{"id", "phase"}, `SELECT id, %s FROM window WHERE phase = ? ORDER BY seq, shard, attempt`},
		tableMeasurement: {"measurement", []string{"id", "window"}, `SELECT w.id, %s FROM window w CROSS JOIN measurement c ON c.window = w.id
			WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt, c.id`},
		tableSample: {"error_sample", []string{"id", "window"}, `SELECT w.id, %s FROM window w CROSS JOIN error_sample c ON c.window = w.id
			WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt, c.id`},
		tableLateness: {"lateness", []string{"window"}, `SELECT w.id, %s FROM window w CROSS JOIN lateness c ON c.window = w.id
			WHERE w.phase = ? ORDER BY w.seq, w.shard, w.attempt`},
	}
}

// columns are the exported columns of a table of this build's schema.
func (e exported) columns(ctx context.Context, tx *sql.Tx) (list []string, err error) {
	err = each(ctx, tx, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		if !slices.Contains(e.less, name) {
			list = append(list, name)
		}
		return err
	}, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, e.name)
	return list, err
}

// Export writes an ended suite with all its rows as one file, from one snapshot; a suite that has not ended is ErrNotEnded.
// As with Windows, write without pauses.
func (a *Archive) Export(ctx context.Context, id string, to io.Writer) error {
	return a.readLong(ctx, "export suite "+id+" of", func(ctx context.Context, tx *sql.Tx) error {
		if err := requireEnded(ctx, tx, id, "export", "wait for its end, or cancel it"); err != nil {
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
	ctx    context.Context
	tx     *sql.Tx
	out    *portableWriter
	tables []portableTable
}

func (x *exporter) export(id string, to io.Writer) error {
	for _, e := range exportedTables() {
		columns, err := e.columns(x.ctx, x.tx)
		if err != nil {
			return err
		}
		x.tables = append(x.tables, portableTable{e.name, columns})
	}
	var err error
	if x.out, err = newPortableWriter(to, x.tables); err != nil {
		return err
	}
	for table := range tablePhase {
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
	phases, err := x.open(tablePhase, id)
	if err != nil {
		return err
	}
	for phases.valid && err == nil {
		phase := phases.key
		if err = x.write(phases, tablePhase, 1); err == nil {
			err = x.phase(phase)
		}
	}
	if err := errors.Join(err, phases.rows.Close()); err != nil {
		return err
	}
	return x.out.end()
}

// phase writes a phase's windows.
func (x *exporter) phase(id int64) (err error) {
	var cursors [tables - tableWindow]*cursor
	defer func() {
		for _, c := range cursors {
			if c != nil {
				err = errors.Join(err, c.rows.Close())
			}
		}
	}()
	for i := range cursors {
		if cursors[i], err = x.open(tableWindow+i, id); err != nil {
			return err
		}
	}
	for windows := cursors[0]; windows.valid; {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		window := windows.key
		if err := x.write(windows, tableWindow, 1); err != nil {
			return err
		}
		for i, c := range cursors[1:] {
			for c.valid && c.key == window {
				if err := x.write(c, tableMeasurement+i, 1); err != nil {
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
	columns := x.tables[table].columns
	keyed := 0
	prefix := ""
	if table >= tablePhase {
		keyed = 1
	}
	if table > tableWindow {
		prefix = "c."
	}
	query := fmt.Sprintf(exportedTables()[table].query, prefix+strings.Join(columns, ", "+prefix))
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
	if err := x.out.row(table, c.values[keyed:]); err != nil {
		return err
	}
	return c.next(keyed)
}
