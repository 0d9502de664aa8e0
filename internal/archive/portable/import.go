package portable

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

const (
	batchRows  = 1000    // that are stored together
	batchBytes = 4 << 20 // likewise, about
)

// Row is a row of a file, for an archive.
type Row struct {
	Table   int // one of the constants
	Columns []string
	Values  []any // nil, int64, float64, string or []byte for each column
}

// Text is the text in a column; empty if it has none.
func (r *Row) Text(column string) string {
	at := slices.Index(r.Columns, column)
	if at < 0 {
		return ""
	}
	s, _ := r.Values[at].(string)
	return s
}

// Sink stores the suite of a file in an archive.
type Sink interface {
	// Store stores rows, all or none, in their order: the first of all is that of the suite; a row of Window belongs to the newest row of Phase,
	// and one of Measurement, Sample or Lateness to the newest of Window. A suite that is there already is archive.ErrExists; a
	// row that the database refuses is Damaged.
	Store(ctx context.Context, rows []Row) error
	// Read is called when all is stored, and reads the suite back. What cannot be read back is Damaged.
	Read(ctx context.Context, suite string) (archive.Suite, []archive.RunRecord, error)
	// Accept makes the suite visible.
	Accept(ctx context.Context, suite string) error
	// Drop deletes what was stored of a suite that is not accepted.
	Drop(ctx context.Context, suite string)
}

// Import stores an ended suite of a file that validate accepts, and returns its id. Its errors are archive.ErrDamaged, ErrNewer and ErrExists,
// and those of the sink.
func Import(ctx context.Context, from io.Reader, sink Sink, validate func(context.Context, archive.Suite, []archive.RunRecord) error) (string, error) {
	return take(ctx, from, &importer{sink: sink, validate: validate})
}

// Take stores a suite of a copy of a whole archive, whether it has ended or not, as Import does.
func Take(ctx context.Context, from io.Reader, sink Sink) (string, error) {
	trusted := func(context.Context, archive.Suite, []archive.RunRecord) error { return nil }
	return take(ctx, from, &importer{sink: sink, validate: trusted, unended: true})
}

func take(ctx context.Context, from io.Reader, im *importer) (string, error) {
	im.known, im.runs = Tables(), make(map[string]bool)
	err := im.read(ctx, from)
	if err == nil {
		err = im.accept(ctx)
	}
	if err == nil {
		return im.suite, nil
	}
	if im.stored {
		im.sink.Drop(context.WithoutCancel(ctx), im.suite)
	}
	if wrong, ok := errors.AsType[*fileError](err); ok {
		return "", archive.Faultf(wrong.kind, err, "import suite: %s%s", wrong.text, cureOf(wrong.kind))
	}
	return "", err
}

// accept reads the stored suite back, has it validated, and makes it visible.
func (im *importer) accept(ctx context.Context) error {
	suite, runs, err := im.sink.Read(ctx, im.suite)
	if err == nil {
		if err = im.validate(ctx, suite, runs); err != nil && ctx.Err() == nil {
			err = Damaged("no result can be made from it (%v)", err)
		}
	}
	if err != nil {
		return err
	}
	return im.sink.Accept(ctx, im.suite)
}

func cureOf(kind error) string {
	if errors.Is(kind, archive.ErrNewer) {
		return ": import it with that benchd's release"
	}
	return ": export it again, and copy the file as it is"
}

// importer imports one file.
type importer struct {
	sink     Sink
	validate func(context.Context, archive.Suite, []archive.RunRecord) error
	unended  bool // the suite and runs need not have ended

	known  []Table
	in     *Reader
	tables []declared
	suite  string
	runs   map[string]bool
	stored bool // there are rows to drop if the import fails

	phase, window bool // there is a row that the next ones can belong to

	rows   map[int]int // read so far, by table
	whole  int         // bytes of rows that are read at once
	points map[any]int // observed, by run
}

// declared is a table of the file.
type declared struct {
	table   int      // one of the constants
	columns []string // without late
	// late is the column of windows with their lateness, in files from before it had a table of its own; otherwise -1.
	late int
}

// read stores all of a file.
func (im *importer) read(ctx context.Context, from io.Reader) error {
	packed := &countedReader{in: from}
	zip, err := gzip.NewReader(packed)
	if errors.Is(err, io.EOF) {
		return Damaged("it is not a suite exported by benchctl")
	}
	if err != nil {
		return gzipError(err)
	}
	defer func() { _ = zip.Close() }() // it has been read to its end
	zip.Multistream(false)
	if im.in, err = NewReader(&plainReader{zip: zip, packed: packed}); err != nil {
		return err
	}
	if err := im.match(); err != nil {
		return err
	}
	for last := false; !last; {
		var rows []Row
		if rows, last, err = im.batch(); err != nil {
			return err
		}
		if err := im.sink.Store(ctx, rows); err != nil {
			return err
		}
		im.stored = im.suite != ""
	}
	if im.suite == "" || len(im.runs) == 0 {
		return Damaged("it contains no suite")
	}
	return nil
}

// batch reads and checks the next rows.
func (im *importer) batch() (rows []Row, last bool, err error) {
	for size := 0; len(rows) < batchRows && size < batchBytes; {
		at, values, err := im.in.Next()
		if errors.Is(err, io.EOF) {
			return rows, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		for _, v := range values {
			switch v := v.(type) {
			case []byte:
				size += len(v)
			case string:
				size += len(v)
			}
		}
		of := im.tables[at]
		var late any
		if of.late >= 0 {
			late = values[of.late]
			values = slices.Delete(values, of.late, of.late+1)
		}
		row := Row{Table: of.table, Columns: of.columns, Values: values}
		if err := im.bounded(row); err != nil {
			return nil, false, err
		}
		if err := im.check(row); err != nil {
			return nil, false, err
		}
		rows = append(rows, row)
		if late == nil {
			continue
		}
		row = Row{Table: Lateness, Columns: im.known[Lateness].Columns, Values: []any{late}}
		if err := im.bounded(row); err != nil {
			return nil, false, err
		}
		rows = append(rows, row)
	}
	return rows, false, nil
}

// match finds the tables and columns of the file among those of this build.
func (im *importer) match() error {
	for _, t := range im.in.tables {
		i := slices.IndexFunc(im.known, func(known Table) bool { return known.Name == t.Name })
		if i < 0 {
			return tooNew("table " + t.Name)
		}
		to := declared{table: i, late: -1}
		for at, c := range t.Columns {
			switch {
			case i == Window && c == "lateness" && to.late < 0:
				to.late = at
				continue
			case !slices.Contains(im.known[i].Columns, c):
				return tooNew("column " + c + " of table " + t.Name)
			case slices.Contains(to.columns, c):
				return Damaged("it has column %s of table %s twice", c, t.Name)
			}
			to.columns = append(to.columns, c)
		}
		if len(to.columns) == 0 {
			return Damaged("table %s has no column", t.Name)
		}
		im.tables = append(im.tables, to)
	}
	return nil
}

func tooNew(what string) error {
	return &fileError{archive.ErrNewer, "it was exported by a newer benchd (this one does not know \"" + what + "\")"}
}

var idForm = regexp.MustCompile(`^[a-zA-Z0-9-]{1,64}$`)

// check checks that a row belongs to the suite and to its parent.
func (im *importer) check(row Row) error {
	wrong := Damaged("it has a misplaced row of table %s", im.known[row.Table].Name)
	ended := im.unended || result.Status(row.Text("status")).Ended()
	switch row.Table {
	case Suite:
		if im.suite != "" || !idForm.MatchString(row.Text("id")) || !ended {
			return wrong
		}
		im.suite = row.Text("id")
	case Run:
		number, ok := strings.CutPrefix(row.Text("id"), im.suite+".")
		if im.suite == "" || row.Text("suite") != im.suite || !ok || !idForm.MatchString(number) || !ended {
			return wrong
		}
		im.runs[row.Text("id")] = true
	case Window:
		if !im.phase {
			return wrong
		}
		im.window = true
	case Measurement, Sample, Lateness:
		if !im.window {
			return wrong
		}
	default:
		if !im.runs[row.Text("run")] {
			return wrong
		}
		if row.Table == Phase {
			im.phase, im.window = true, false
		}
	}
	return nil
}
