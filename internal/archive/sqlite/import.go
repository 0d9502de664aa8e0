package sqlite

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

const (
	importRows  = 1000    // of one transaction
	importBytes = 4 << 20 // likewise, about
)

// Import stores a suite that Export wrote, and returns its id. Errors: ErrDamaged, ErrNewer, ErrExists.
//
// The suite is stored in small transactions and is invisible until validate accepts it; validate may read its windows. If
// ctx or the process ends, the incomplete suite is deleted, now or by Purge.
func (a *Archive) Import(ctx context.Context, from io.Reader, validate func(ctx context.Context, s archive.Suite, runs []archive.RunRecord) error) (string, error) {
	im := &importer{a: a, runs: make(map[string]bool)}
	defer func() {
		if im.suite != "" {
			a.coming.Delete(im.suite)
		}
	}()
	err := im.read(ctx, from)
	if err == nil {
		err = im.validate(ctx, validate)
	}
	if err == nil {
		err = a.write(ctx, "import suite "+im.suite+" into", func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE suite SET removed = 0 WHERE id = ?`, im.suite)
			return err
		})
	}
	if err == nil {
		return im.suite, nil
	}
	if im.stored {
		clean := context.WithoutCancel(ctx)
		if e := a.purge(clean, im.suite); e != nil {
			a.logger.Warn("remove an incomplete import", "suite", im.suite, "error", e)
		}
	}
	if wrong, ok := errors.AsType[*portableError](err); ok {
		return "", faultf(wrong.kind, err, "import suite: %s%s", wrong.text, cureOf(wrong.kind))
	}
	return "", err
}

func cureOf(kind error) string {
	if errors.Is(kind, archive.ErrNewer) {
		return ": import it with that benchd's release"
	}
	return ": export it again, and copy the file as it is"
}

// importer imports one file.
type importer struct {
	a      *Archive
	in     *portableReader
	tables []importedTable
	suite  string
	runs   map[string]bool
	stored bool        // there are rows to remove if the import fails
	rows   map[int]int // read so far, by table
	whole  int         // bytes of rows that are read at once
	points map[any]int // observed, by run

	phase, window int64 // the rows that the next ones belong to
}

// importedTable maps a table of the file to this archive.
type importedTable struct {
	table  int // one of the constants
	insert string
	at     map[string]int // columns
	// late is the column of windows with their lateness, in files from before it had a table of its own; otherwise -1.
	late int
}

// rowOf is a row of the file.
type rowOf struct {
	table  *importedTable
	values []any
}

// read stores all of a file.
func (im *importer) read(ctx context.Context, from io.Reader) error {
	packed := &countedReader{in: from}
	zip, err := gzip.NewReader(packed)
	if errors.Is(err, io.EOF) {
		return damaged("it is not a suite exported by benchctl")
	}
	if err != nil {
		return gzipError(err)
	}
	defer func() { _ = zip.Close() }() // it has been read to its end
	zip.Multistream(false)
	if im.in, err = newPortableReader(&plainReader{zip: zip, packed: packed}); err != nil {
		return err
	}
	if err := im.match(ctx); err != nil {
		return err
	}
	for last := false; !last; {
		var rows []rowOf
		size := 0
		for len(rows) < importRows && size < importBytes {
			table, values, err := im.in.next()
			if errors.Is(err, io.EOF) {
				last = true
				break
			}
			if err != nil {
				return err
			}
			rows = append(rows, rowOf{&im.tables[table], values})
			for _, v := range values {
				if b, ok := v.([]byte); ok {
					size += len(b)
				} else if s, ok := v.(string); ok {
					size += len(s)
				}
			}
		}
		if err := im.a.write(ctx, "import a suite into", func(ctx context.Context, tx *sql.Tx) error { return im.store(ctx, tx, rows) }); err != nil {
			return err
		}
		im.stored = im.suite != ""
	}
	if im.suite == "" || len(im.runs) == 0 {
		return damaged("it contains no suite")
	}
	return nil
}

// plainReader returns errors that describe the damage of the deflated form.
type plainReader struct {
	zip    *gzip.Reader
	packed *countedReader
	size   int64 // read from zip
}

// Read refuses a file that is made to fill the disk: a small one that unpacks to a large one.
func (p *plainReader) Read(b []byte) (int, error) {
	n, err := p.zip.Read(b)
	if p.size += int64(n); p.size > ratioFrom && p.size > maxRatio*p.packed.size {
		return 0, damaged("its content is more than %d times as large as the file", maxRatio)
	}
	return n, gzipError(err)
}

// countedReader counts what is read.
type countedReader struct {
	in   io.Reader
	size int64
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.size += int64(n)
	return n, err //nolint:wrapcheck // io.EOF and the errors of the source are for gzip
}

func gzipError(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it is truncated")
	case errors.Is(err, gzip.ErrHeader):
		return damaged("it is not a suite exported by benchctl")
	case errors.Is(err, gzip.ErrChecksum) || strings.HasPrefix(err.Error(), "flate: "):
		return damaged("its content is corrupt (%v)", err)
	}
	return err
}

// match finds the tables and columns of the file in this archive.
func (im *importer) match(ctx context.Context) error {
	known := exportedTables()
	return im.a.read(ctx, "look at the tables of", func(ctx context.Context, tx *sql.Tx) error {
		for _, t := range im.in.tables {
			i := slices.IndexFunc(known, func(e exported) bool { return e.name == t.name })
			if i < 0 {
				return tooNew("table " + t.name)
			}
			columns, err := known[i].columns(ctx, tx)
			if err != nil {
				return err
			}
			to := importedTable{table: i, at: make(map[string]int), late: -1}
			var names []string
			for at, c := range t.columns {
				if i == tableWindow && c == "lateness" && to.late < 0 {
					to.late = at
					continue
				}
				if !slices.Contains(columns, c) {
					return tooNew("column " + c + " of table " + t.name)
				}
				if _, twice := to.at[c]; twice {
					return damaged("it has column %s of table %s twice", c, t.name)
				}
				to.at[c] = at
				names = append(names, c)
			}
			switch i {
			case tableSuite:
				names = append(names, "removed")
			case tableWindow:
				names = append(names, "phase")
			case tableMeasurement, tableSample, tableLateness:
				names = append(names, "window")
			}
			to.insert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", t.name, strings.Join(names, ", "), strings.Repeat(", ?", max(len(names)-1, 0)))
			if len(names) == 0 {
				return damaged("table %s has no column", t.name)
			}
			im.tables = append(im.tables, to)
		}
		return nil
	})
}

func tooNew(what string) error {
	return &portableError{archive.ErrNewer, fmt.Sprintf("it was exported by a newer benchd (this one does not know %q)", what)}
}

// store stores rows in one transaction.
func (im *importer) store(ctx context.Context, tx *sql.Tx, rows []rowOf) (err error) {
	prepared := make(map[*importedTable]*sql.Stmt)
	defer func() {
		for _, s := range prepared {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, row := range rows {
		if err := im.bounded(row); err != nil {
			return err
		}
		args, err := im.check(ctx, tx, row)
		if err != nil {
			return err
		}
		if prepared[row.table] == nil {
			if prepared[row.table], err = tx.PrepareContext(ctx, row.table.insert); err != nil { //nolint:sqlclosecheck // above
				return err
			}
		}
		res, err := prepared[row.table].ExecContext(ctx, args...)
		if isConstraint(err) {
			return damaged("a row of it cannot be stored (%v)", err)
		}
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		switch row.table.table {
		case tablePhase:
			im.phase, im.window = id, 0
		case tableWindow:
			im.window = id
			if row.table.late >= 0 {
				if err := storeLateness(ctx, tx, id, row.values[row.table.late]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// storeLateness stores the lateness of a window in its current table.
func storeLateness(ctx context.Context, tx *sql.Tx, window int64, histogram any) error {
	if histogram == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO lateness (window, histogram) VALUES (?, ?)`, window, histogram)
	if isConstraint(err) {
		return damaged("a row of it cannot be stored (%v)", err)
	}
	return err
}

var idForm = regexp.MustCompile(`^[a-zA-Z0-9-]{1,64}$`)

// check checks that a row belongs to its parent, and adds the reference to it.
func (im *importer) check(ctx context.Context, tx *sql.Tx, row rowOf) (args []any, err error) {
	text := func(column string) string {
		at, ok := row.table.at[column]
		if !ok {
			return ""
		}
		s, _ := row.values[at].(string)
		return s
	}
	wrong := damaged("it has a misplaced row of table %s", exportedTables()[row.table.table].name)
	switch row.table.table {
	case tableSuite:
		id := text("id")
		if im.suite != "" || !idForm.MatchString(id) || !result.Status(text("status")).Ended() {
			return nil, wrong
		}
		if taken, err := exists(ctx, tx, `SELECT 1 FROM suite WHERE id = ?`, id); err != nil {
			return nil, err
		} else if taken {
			return nil, faultf(archive.ErrExists, nil, "import suite %s: the archive already has a suite of this id: `benchctl rm %s` removes it", id, id)
		}
		im.suite = id
		im.a.coming.Store(id, true)
		return append(row.values, int64(1)), nil
	case tableRun:
		id := text("id")
		number, ok := strings.CutPrefix(id, im.suite+".")
		if im.suite == "" || text("suite") != im.suite || !ok || !idForm.MatchString(number) || !result.Status(text("status")).Ended() {
			return nil, wrong
		}
		im.runs[id] = true
	case tableWindow:
		if im.phase == 0 {
			return nil, wrong
		}
		args = append(slices.Clone(row.values), im.phase)
		if row.table.late >= 0 {
			args = slices.Delete(args, row.table.late, row.table.late+1)
		}
		return args, nil
	case tableMeasurement, tableSample, tableLateness:
		if im.window == 0 {
			return nil, wrong
		}
		return append(row.values, im.window), nil
	default:
		if !im.runs[text("run")] {
			return nil, wrong
		}
	}
	return row.values, nil
}

// validate lets the caller check the stored suite.
func (im *importer) validate(ctx context.Context, validate func(context.Context, archive.Suite, []archive.RunRecord) error) error {
	var suite archive.Suite
	var runs []archive.RunRecord
	if err := im.a.read(ctx, "read imported suite of", func(ctx context.Context, tx *sql.Tx) (err error) {
		row := tx.QueryRowContext(ctx, `SELECT id, name, note, tags, status, created_ns, submitted_by, db, spec, plan FROM suite WHERE id = ?`, im.suite)
		if err := scanSuite(row, &suite); err != nil {
			return err
		}
		runs, err = readRuns(ctx, tx, `WHERE suite = ? ORDER BY number`, im.suite)
		return err
	}); err != nil {
		return damaged("it cannot be read back (%v)", err)
	}
	err := validate(ctx, suite, runs)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return damaged("no result can be made from it (%v)", err)
}
