package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/report/html"
	"github.com/benchd/benchd/internal/report/xlsx"
	"github.com/benchd/benchd/internal/result"
)

// Document is what a report is written from: a suite, a run or comparisons.
type Document struct {
	ID    string // as requested
	Text  []byte // the JSON
	Run   result.Run
	Suite *result.Suite // nil if the result is a run's
	// Comparisons are of one result with each of some others; empty if the document is the result of a suite or run.
	Comparisons []compare.Comparison
	Created     time.Time // of comparisons: when the newest of the compared results was submitted
}

// runs are the runs of the result. Comparisons have none.
func (d Document) runs() []result.Run {
	switch {
	case len(d.Comparisons) > 0:
		return nil
	case d.Suite != nil:
		return d.Suite.Runs
	}
	return []result.Run{d.Run}
}

// cases are the cases of a suite, of versions that compute them.
func (d Document) cases() []result.Case {
	if d.Suite == nil {
		return nil
	}
	return d.Suite.Cases
}

// Source provides what a result does not contain: the histograms and the single operations of a run.
type Source interface {
	// Histograms passes on the intervals of a run. If atMost is not 0, neighbouring intervals are merged, so that each phase has at
	// most so many: result.Columns are quick to get.
	Histograms(ctx context.Context, run string, atMost int, take func(Interval) error) error
	// Logged passes on all intervals of a run as logs contain them: a coordinator has those of ended long runs at hand.
	Logged(ctx context.Context, run string, take func(latency.LoggedInterval) error) error
	Points(ctx context.Context, run string, take func(Point) error) (Fetched, error)
}

// FileSource is the Source of a result that a file of JSON contains: it has neither histograms nor single operations.
type FileSource struct{ Name string }

// NotInFileError reports that a file of JSON does not contain what a format needs.
type NotInFileError struct{ File, What string }

// Error names the file and the cure.
func (e *NotInFileError) Error() string {
	return fmt.Sprintf("file %s has no %s: report the result by its ID, or a file of benchctl export, or choose other formats", e.File, e.What)
}

// Histograms returns a NotInFileError.
func (f FileSource) Histograms(context.Context, string, int, func(Interval) error) error {
	return &NotInFileError{f.Name, "histograms"}
}

// Logged returns a NotInFileError.
func (f FileSource) Logged(context.Context, string, func(latency.LoggedInterval) error) error {
	return &NotInFileError{f.Name, "histograms"}
}

// Points returns a NotInFileError.
func (f FileSource) Points(context.Context, string, func(Point) error) (Fetched, error) {
	return Fetched{}, &NotInFileError{f.Name, "single operations"}
}

// Writer writes reports into a directory.
type Writer struct {
	Files  *Files
	Dir    string
	Source Source
	Warn   func(text string)
	// Targets describe the targets of the reported runs.
	Targets descriptor.List
	// Lang is the language of formats for people, and Text translates into it; nil is English.
	Lang string
	Text func(string) string
}

// NoPointsError reports that a run was submitted without raw points.
type NoPointsError struct{ Run string }

// Error names the run and the cure.
func (e *NoPointsError) Error() string {
	return fmt.Sprintf("run %s has no raw points: submit with -p measurementtype=raw or hdrhistogram+raw", e.Run)
}

// ComparisonFormatError reports that a format cannot hold a comparison.
type ComparisonFormatError struct{ Format string }

// Error names the format and the cure.
func (e *ComparisonFormatError) Error() string {
	var names []string
	for _, f := range Formats() {
		if f.compares || f.book != nil {
			names = append(names, f.Name)
		}
	}
	return fmt.Sprintf("format %s cannot hold a comparison: choose of %s, or write a report of each result alone", e.Format, strings.Join(names, ", "))
}

// CheckComparison returns an error if one of some formats cannot hold a comparison.
func CheckComparison(names []string) error {
	for _, f := range Formats() {
		if slices.Contains(names, f.Name) && !f.compares && f.book == nil {
			return &ComparisonFormatError{f.Name}
		}
	}
	return nil
}

// Write writes a document in some formats.
func (w *Writer) Write(ctx context.Context, d Document, names []string) error {
	if len(d.Comparisons) > 0 {
		if err := CheckComparison(names); err != nil {
			return err
		}
	}
	all := Formats()
	var made *book.Book // once for all formats
	for _, name := range names {
		i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("write report of %s: unknown format %q", d.ID, name)
		}
		if write := all[i].book; write != nil {
			if made == nil {
				b, err := w.book(ctx, d)
				if err != nil {
					return err
				}
				made = &b
			}
			if err := write(w, d, *made); err != nil {
				return err
			}
		}
		if write := all[i].document; write != nil {
			if err := write(w, d); err != nil {
				return err
			}
		}
		if write := all[i].run; write != nil {
			for _, run := range d.runs() {
				if err := write(w, ctx, run); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// file writes a file of the report.
func (w *Writer) file(name string, write func(io.Writer) error) error {
	out, err := w.Files.Create(filepath.Join(w.Dir, name))
	if err != nil {
		return err
	}
	return write(out)
}

// book is the report of a document in the language of the reader.
func (w *Writer) book(ctx context.Context, d Document) (book.Book, error) {
	b, err := w.english(ctx, d)
	if err != nil || w.Text == nil {
		return b, err
	}
	return b.Map(w.Text), nil
}

// english is the report of a document, with the histograms of the runs that have charts over time.
func (w *Writer) english(ctx context.Context, d Document) (book.Book, error) {
	if len(d.Comparisons) > 0 {
		return clean(ComparisonBook(d.ID, d.Created, d.Comparisons)), nil
	}
	o := draw.Options{Histograms: make(map[string]*draw.Histograms)}
	shown := []result.Run{d.Run}
	if d.Suite != nil {
		shown = shownRuns(*d.Suite)
	}
	var ids []string
	for _, run := range shown {
		ids = append(ids, run.ID)
		if err := w.readHistograms(ctx, run, o); err != nil {
			return book.Book{}, err
		}
	}
	var b book.Book
	if d.Suite != nil {
		b = suiteBook(*d.Suite, w.Targets, o)
	} else {
		b = runBook(d.Run, w.Targets, o)
	}
	b.Data = everyInterval(d.runs(), ids, o)
	return clean(b), nil
}

// readHistograms adds the histograms of a run for its charts. Without them, charts are made of the document.
func (w *Writer) readHistograms(ctx context.Context, run result.Run, o draw.Options) error {
	if w.Source == nil || run.Provenance.Foreign != nil || len(run.Phases) == 0 {
		return nil
	}
	h := draw.NewHistograms(run)
	err := w.Source.Histograms(ctx, run.ID, result.Columns, func(i Interval) error {
		return h.Add(draw.Interval{Phase: i.Phase, Start: i.Start, End: i.End, Series: i.Series, Tail: i.Tail})
	})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("read histograms of %s: %w", run.ID, ctx.Err())
	case errors.As(err, new(*NotInFileError)):
	case err != nil:
		w.Warn(fmt.Sprintf("the charts of run %s are made without its histograms: %v", run.ID, err))
	default:
		o.Histograms[run.ID] = h
	}
	return nil
}

func (w *Writer) markdown(d Document, b book.Book) error {
	return w.markdownBook(d.BaseName(), b)
}

func (w *Writer) workbook(d Document, b book.Book) error {
	return w.file(d.BaseName()+".xlsx", func(out io.Writer) error { return xlsx.Write(out, b, xlsx.Options{Lang: w.Lang, Text: w.Text}) })
}

func (w *Writer) html(d Document, b book.Book) error {
	return w.file(d.BaseName()+".html", func(out io.Writer) error { return html.Write(out, b, html.Options{Lang: w.Lang, Text: w.Text}) })
}

// benchmarks writes Go's benchmark format. Runs that no mean includes are left out with a warning.
func (w *Writer) benchmarks(d Document) error {
	return w.file(fileID(d.ID)+".bench.txt", func(out io.Writer) error {
		if len(d.Comparisons) > 0 {
			return ComparisonBenchmarks(out, d.Comparisons)
		}
		for _, text := range leftOfBenchmarks(d.runs()) {
			w.Warn(text)
		}
		return Benchmarks(out, d.runs(), d.cases())
	})
}

// json writes the text as it was received, so that fields unknown to this build remain.
func (w *Writer) json(d Document) error {
	return w.file(fileID(d.ID)+".json", func(out io.Writer) error { return Indent(out, d.Text) })
}

// Indent formats the JSON of a result for people, with a trailing newline.
func Indent(out io.Writer, text []byte) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, bytes.TrimSpace(text), "", "  "); err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	indented.WriteByte('\n')
	_, err := indented.WriteTo(out)
	return err
}

func (w *Writer) junit(d Document) error {
	return w.file(fileID(d.ID)+".junit.xml", func(out io.Writer) error { return JUnit(out, d) })
}

func (w *Writer) github(d Document) error {
	return errors.Join(
		w.file(fileID(d.ID)+".github.md", func(out io.Writer) error { return GitHub(out, d) }),
		w.file(fileID(d.ID)+".github.txt", func(out io.Writer) error { return Annotations(out, d) }),
	)
}

func (w *Writer) suiteCSV(d Document) error {
	if d.Suite == nil {
		return nil
	}
	return errors.Join(
		w.file(fileID(d.Suite.ID)+"-cases.csv", func(out io.Writer) error { return CasesCSV(out, *d.Suite) }),
		w.file(fileID(d.Suite.ID)+"-tables.csv", func(out io.Writer) error { return TablesCSV(out, *d.Suite) }),
		w.file(fileID(d.Suite.ID)+"-capacity.csv", func(out io.Writer) error { return CapacityCSV(out, *d.Suite) }),
	)
}

func (w *Writer) runCSV(_ context.Context, run result.Run) error {
	return errors.Join(
		w.file(fileID(run.ID)+"-operations.csv", func(out io.Writer) error { return OperationsCSV(out, run) }),
		w.file(fileID(run.ID)+"-series.csv", func(out io.Writer) error { return SeriesCSV(out, run) }),
		w.file(fileID(run.ID)+"-incidents.csv", func(out io.Writer) error { return IncidentsCSV(out, run) }),
	)
}

func (w *Writer) ycsb(_ context.Context, run result.Run) error {
	y, err := YCSBOf(run)
	if err != nil {
		return err
	}
	name := fileID(run.ID) + ".ycsb.txt"
	if y.Exporter != Text {
		name = fileID(run.ID) + ".ycsb.json"
	}
	return w.file(name, func(out io.Writer) error { return y.Write(out, run) })
}

func (w *Writer) histogramLogs(ctx context.Context, run result.Run) error {
	if run.Provenance.Foreign != nil {
		return &NotHeldError{Run: run.ID, Format: "hlog", What: "histograms"}
	}
	return w.Source.Logged(ctx, run.ID, NewLogs(w.Files, w.Dir, run.ID).Add)
}

// rawPoints writes a run's operations in both formats.
func (w *Writer) rawPoints(ctx context.Context, run result.Run) error {
	if run.Provenance.Foreign != nil {
		return &NotHeldError{Run: run.ID, Format: "raw", What: "single operations"}
	}
	y, err := YCSBOf(run)
	if err != nil {
		return err
	}
	if !y.Raw() {
		return &NoPointsError{run.ID}
	}
	points := y.NewYCSBPoints()
	defer func() { _ = points.Close() }() // temporary files
	if err := w.file(fileID(run.ID)+"-raw.csv", func(out io.Writer) error {
		table, err := NewPointsCSV(out)
		if err != nil {
			return err
		}
		got, err := w.Source.Points(ctx, run.ID, func(p Point) error { return errors.Join(points.Add(p), table.Add(p)) })
		for _, text := range got.Warnings(run) {
			w.Warn(text)
		}
		return errors.Join(err, table.Close())
	}); err != nil {
		return err
	}
	return w.file(fileID(run.ID)+".raw.txt", func(out io.Writer) error {
		_, err := points.WriteTo(out)
		return err
	})
}
