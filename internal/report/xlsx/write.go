package xlsx

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"fmt"
	"io"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// Options are how a book is written.
type Options struct {
	Lang string                   // of the book's texts, such as zh; empty is en
	Text func(text string) string // translates the texts that the workbook adds, which Texts lists; nil leaves them in English
}

// maxRows is how many rows a sheet can have.
const maxRows = 1_048_576

// workbook is a workbook that is being made.
type workbook struct {
	file   *excelize.File
	styles *styles
	text   func(string) string
	names  names
	rows   int // of a sheet at most

	pages  []*page
	tables []*dataSheet
	plots  plots
	charts int // how many the file has
	first  bool
}

// Write writes a book as a workbook.
func Write(w io.Writer, b book.Book, o Options) error {
	if err := write(w, b, o, maxRows); err != nil {
		return fmt.Errorf("write report as workbook: %w", err)
	}
	return nil
}

func write(out io.Writer, b book.Book, o Options, rows int) (err error) {
	if o.Text == nil {
		o.Text = func(text string) string { return text }
	}
	f := excelize.NewFile()
	f.SetZipWriter(fastZip)
	defer func() {
		if closed := f.Close(); err == nil { // it removes temporary files
			err = closed
		}
	}()
	font := "Calibri"
	if o.Lang == "zh" {
		font = "Microsoft YaHei"
	}
	wb := &workbook{
		file: f, styles: &styles{file: f, font: font, ids: make(map[look]int)},
		text: o.Text, names: make(names), rows: rows, first: true,
	}
	wb.arrange(b)
	if err := wb.emit(); err != nil {
		return err
	}
	if err := wb.properties(b, o); err != nil {
		return err
	}
	return f.Write(out)
}

// fastZip compresses with little effort: the best takes several times as long for a tenth of the size.
func fastZip(w io.Writer) excelize.ZipWriter {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return z
}

// emit writes the sheets in their order: the pages, the figures, and the files at the end.
func (wb *workbook) emit() error {
	var last []*page
	for _, p := range wb.pages {
		if p.files {
			last = append(last, p)
			continue
		}
		if err := p.emit(); err != nil {
			return fmt.Errorf("sheet %q: %w", p.name, err)
		}
	}
	for _, d := range wb.tables {
		if err := d.emit(wb); err != nil {
			return fmt.Errorf("sheet %q: %w", d.name, err)
		}
	}
	if err := wb.plots.emit(wb); err != nil {
		return err
	}
	for _, p := range last {
		if err := p.emit(); err != nil {
			return fmt.Errorf("sheet %q: %w", p.name, err)
		}
	}
	return wb.styles.err
}

// sheet adds an empty sheet to the file.
func (wb *workbook) sheet(name string) error {
	if wb.first {
		wb.first = false
		return wb.file.SetSheetName("Sheet1", name)
	}
	_, err := wb.file.NewSheet(name)
	return err
}

func (wb *workbook) properties(b book.Book, o Options) error {
	created := b.Created
	if created.IsZero() {
		created = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := created.UTC().Format(time.RFC3339)
	if err := wb.file.SetDocProps(&excelize.DocProperties{
		Title: clean(b.Title), Subject: clean(b.Question), Identifier: clean(b.ID), Creator: "benchd", LastModifiedBy: "benchd",
		Created: at, Modified: at, Language: cmp.Or(o.Lang, "en"),
	}); err != nil {
		return fmt.Errorf("set properties: %w", err)
	}
	if err := wb.file.SetAppProps(&excelize.AppProperties{Application: "benchd"}); err != nil {
		return fmt.Errorf("set properties: %w", err)
	}
	return nil
}

// printed sets how a sheet is printed: landscape, as wide as the page unless it is very wide, its first rows on each page.
func (wb *workbook) printed(name string, wide bool, repeated string) error {
	f := wb.file
	landscape, paper, fit, one, endless := "landscape", 9, true, 1, 0
	if wide {
		one = 0
	}
	if err := f.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return err
	}
	if err := f.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, Size: &paper, FitToWidth: &one, FitToHeight: &endless}); err != nil {
		return err
	}
	margin, low := 0.4, 0.6
	if err := f.SetPageMargins(name, &excelize.PageLayoutMarginsOptions{Left: &margin, Right: &margin, Top: &margin, Bottom: &low, Header: &margin, Footer: &margin}); err != nil {
		return err
	}
	if err := f.SetHeaderFooter(name, &excelize.HeaderFooterOptions{OddFooter: "&L&8&A&R&8&P / &N"}); err != nil {
		return err
	}
	if repeated == "" {
		return nil
	}
	return f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: quoted(name) + "!" + repeated, Scope: name})
}

// freeze keeps the first rows and columns of a sheet in view.
func (wb *workbook) freeze(name string, rows, columns int) error {
	corner, err := excelize.CoordinatesToCellName(columns+1, rows+1)
	if err != nil {
		return err
	}
	pane := "bottomLeft"
	if columns > 0 {
		pane = "bottomRight"
	}
	return wb.file.SetPanes(name, &excelize.Panes{
		Freeze: true, XSplit: columns, YSplit: rows, TopLeftCell: corner, ActivePane: pane,
		Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: pane}},
	})
}

func (wb *workbook) filter(name string, f filter) error {
	from, err := excelize.CoordinatesToCellName(1, f.at+1)
	if err != nil {
		return err
	}
	to, err := excelize.CoordinatesToCellName(f.columns, f.at+1+f.rows)
	if err != nil {
		return err
	}
	return wb.file.AutoFilter(name, from+":"+to, nil)
}
