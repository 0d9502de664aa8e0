package xlsx_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/xlsx"
)

// written is a workbook: as excelize reads it, and its parts.
func written(t *testing.T, b book.Book, o xlsx.Options) (*excelize.File, map[string]string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, xlsx.Write(&out, b, o))
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	parts := make(map[string]string)
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		parts[f.Name] = string(text)
		if ext := path.Ext(f.Name); ext == ".xml" || ext == ".rels" {
			d := xml.NewDecoder(bytes.NewReader(text))
			for {
				if _, err = d.Token(); err != nil {
					break
				}
			}
			require.ErrorIs(t, err, io.EOF, f.Name)
		}
	}
	f, err := excelize.OpenReader(&out)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f, parts
}

// cells are all texts of a sheet.
func cells(t *testing.T, f *excelize.File, sheet string) []string {
	t.Helper()
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	var out []string
	for _, row := range rows {
		for _, c := range row {
			if c != "" {
				out = append(out, c)
			}
		}
	}
	return out
}

func over(kind book.Kind, series ...book.Series) book.Chart {
	return book.Chart{Title: "Throughput", How: "Mean of 3 runs.", Kind: kind, X: book.Axis{Title: "Threads"}, Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}}, Series: series}
}

// Whatever names and texts are, they are text: no formula, no markup, no control character.
func TestHostileTextsAreText(t *testing.T) {
	hostile := []string{
		"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "<script>alert(1)</script>", "]]>&amp;\"'", "\x00\x1b[31m\u202eevil\ufffe\xff",
		"{=1}", strings.Repeat("x", 40_000), "_x0041_", "\t=1", "http://example.com", "'quoted",
	}
	for _, text := range hostile {
		table := book.Table{
			Title: text, How: text, Notes: []string{text}, Columns: []book.Column{{Head: text, Unit: text, Figure: true}, {Head: text, Published: true}, {Head: text}},
			Rows: [][]book.Cell{{book.Number(1, text), book.Text(text), book.Text(text)}},
		}
		chart := over(book.Lines, book.Series{Name: text, X: []float64{1, 2}, Y: []float64{3, 4}})
		chart.Title, chart.How, chart.X.Title, chart.Y[0].Title = text, text, text, text
		chart.Marks, chart.Limits = []book.Mark{{From: 1, Kind: book.Event, Label: text, Text: text}}, []book.Limit{{Value: 1, Label: text}}
		bars := chart
		bars.Kind, bars.X.Categories, bars.Series = book.Bars, []string{text, text}, []book.Series{{Name: text, Y: []float64{1, 2}}}
		b := book.Book{
			ID: text, Title: text, Question: text, Status: text, Answer: []string{text}, Lead: []string{text},
			Chapters: []book.Chapter{
				{Title: text, Sheet: text, Text: []string{text}, Tables: []book.Table{table}, Charts: []book.Chart{chart, bars}},
				{Title: text, Detail: true, Files: []book.File{{Name: text, Text: text + "\n" + text}}},
			},
			Data: []book.Table{table},
		}
		f, parts := written(t, b, xlsx.Options{})
		for name, part := range parts {
			if strings.HasPrefix(name, "xl/worksheets/") {
				require.NotContains(t, part, "<f>", "a formula in %s of %q", name, text)
				require.NotContains(t, part, "<script>", "markup in %s of %q", name, text)
			}
			require.NotContains(t, part, "http://example.com\" TargetMode", "a link in %s", name)
		}
		found := 0
		for _, sheet := range f.GetSheetList() {
			for _, c := range cells(t, f, sheet) {
				if len(text) < 100 && strings.Contains(c, strings.TrimLeft(strings.Trim(text, "\x00\t"), "\x1b")) {
					found++
				}
			}
		}
		if !strings.ContainsAny(text, "\x00") && len(text) < 100 {
			require.Greater(t, found, 10, "%q is not shown as it is", text)
		}
	}
}

// Figures are numbers with the unit in the head; a text that says more than its figure stands beside it.
func TestFiguresAreNumbers(t *testing.T) {
	table := book.Table{
		Columns: []book.Column{{Head: "operation"}, {Head: "avg", Unit: "µs", Figure: true}, {Head: "median", Unit: "ops/s", Figure: true}, {Head: "p99", Unit: "µs", Figure: true, Published: true}},
		Rows: [][]book.Cell{
			{book.Text("READ"), book.Number(1_100, "1.10 ms"), book.Number(42_105, "42,105 (41,000 to 43,000)"), book.Text("–")},
			{book.Text("007"), book.Number(math.NaN(), "none"), book.Number(1, "1"), book.Number(0.5, "0.5")},
		},
	}
	f, _ := written(t, book.Book{Title: "t", Chapters: []book.Chapter{{Title: "c", Sheet: "s", Tables: []book.Table{table}}}}, xlsx.Options{})
	got := cells(t, f, "s")
	require.Subset(t, got, []string{"operation", "avg (µs)", "median (ops/s)", "median (ops/s), as shown", "published: p99 (µs)", "1100", "42105", "42,105 (41,000 to 43,000)", "–", "007", "none", "0.5"})
	rows, err := f.GetRows("s")
	require.NoError(t, err)
	for i, row := range rows {
		for k, text := range row {
			at, err := excelize.CoordinatesToCellName(k+1, i+1)
			require.NoError(t, err)
			kind, err := f.GetCellType("s", at)
			require.NoError(t, err)
			isFigure := slices.Contains([]string{"1,100", "42,105", "0.500", "1"}, text) && k != 3 // as shown
			require.Equal(t, isFigure, kind == excelize.CellTypeUnset || kind == excelize.CellTypeNumber, "%s %q", at, text)
		}
	}
}

// A series that is a column of a table of intervals refers to it, and is not written a second time.
func TestChartsReferToTheTablesOfIntervals(t *testing.T) {
	var xs, ys []float64
	table := book.Table{Title: "Every interval: operations", Columns: []book.Column{{Head: "phase"}, {Head: "throughput", Unit: "ops/s", Figure: true}}}
	for i := range 100 {
		y := 1000 + float64(i*37%91)
		if i == 40 {
			y = math.NaN()
		}
		xs, ys = append(xs, float64(i)+0.5), append(ys, y)
		table.Rows = append(table.Rows, []book.Cell{book.Text("measure"), book.Number(y, "")})
	}
	c := over(book.Time, book.Series{Name: "all", X: xs, Y: ys}, book.Series{Name: "the same", Y: ys})
	_, parts := written(t, book.Book{Title: "t", Chapters: []book.Chapter{{Title: "c", Charts: []book.Chart{c}}}, Data: []book.Table{table}}, xlsx.Options{})
	chart := parts["xl/charts/chart1.xml"]
	require.Equal(t, 2, strings.Count(chart, "<c:yVal><c:numRef><c:f>&#39;Data operations&#39;!$B$4:$B$103</c:f>"), chart)
	require.Equal(t, 2, strings.Count(chart, "<c:xVal><c:numRef><c:f>&#39;Chart data&#39;!$A$4:$A$103</c:f>"), chart)
}

// Logarithmic axes have no figures at 0 and below: Excel complains about them whenever the workbook is opened.
func TestLogarithmicAxesHaveOnlyPositiveFigures(t *testing.T) {
	c := over(book.Lines, book.Series{Name: "a", X: []float64{0, 10, 1000}, Y: []float64{5, 0, 70}})
	c.X.Scale, c.Y[0].Scale = book.Log, book.Log
	f, parts := written(t, book.Book{Title: "t", Chapters: []book.Chapter{{Title: "c", Charts: []book.Chart{c}}}}, xlsx.Options{})
	require.Equal(t, 2, strings.Count(parts["xl/charts/chart1.xml"], `<c:logBase val="10"/>`))
	require.NotContains(t, cells(t, f, "Chart data"), "0")
}

// Everything a chart shows is in the workbook: intervals, runs, limits, marks and hidden series.
func TestEverythingOfAChartIsInTheWorkbook(t *testing.T) {
	c := over(book.Lines,
		book.Series{Name: "measured", X: []float64{10, 20}, Y: []float64{100, 200}, Low: []float64{90, 190}, High: []float64{115, 215}, Runs: [][]float64{{91, 109}, {195, 205}}},
		book.Series{Name: "measured", X: []float64{20}, Y: []float64{math.NaN()}, Low: []float64{210}, High: []float64{230}, Published: true},
		book.Series{Name: "rs9", Hidden: true, X: []float64{10, 20}, Y: []float64{7, 8}},
	)
	c.Limits = []book.Limit{{Value: 300, Label: "limit of the disks"}}
	c.Marks = []book.Mark{{From: 20, Kind: book.Chosen, Label: "20 threads"}}
	bars := over(book.Bars, book.Series{Name: "only", Y: []float64{11, 12}, Runs: [][]float64{{10.5, 11.5}, {12.5}}})
	bars.X.Categories = []string{"one", "two"}
	f, parts := written(t, book.Book{Title: "t", Chapters: []book.Chapter{{Title: "c", Sheet: "s", Charts: []book.Chart{c, bars}}}}, xlsx.Options{})
	require.Subset(t, cells(t, f, "Chart data"), []string{"100", "200", "15", "10", "91", "205", "220", "7", "300", "one", "10.5", "12.5"})
	chart := parts["xl/charts/chart1.xml"]
	for _, name := range []string{"measured", "measured, runs", "measured (published)", "limit of the disks", "answer"} {
		require.Contains(t, chart, "<c:tx><c:v>"+name+"</c:v></c:tx>")
	}
	require.NotContains(t, chart, "rs9")
	require.Contains(t, strings.Join(cells(t, f, "s"), "\n"), "but not drawn: rs9")
	require.Contains(t, cells(t, f, "s"), "20 threads")
	require.Equal(t, 3, strings.Count(chart, "<c:errBars>"), "intervals of two series, and the line of the mark")
}

func TestTheWorkbookIsInTheLanguageOfTheReader(t *testing.T) {
	asked := make(map[string]bool)
	o := xlsx.Options{Lang: "zh", Text: func(s string) string {
		asked[s] = true
		return "译" + s
	}}
	c := over(book.Lines, book.Series{Name: "a", X: []float64{1}, Y: []float64{1}, Published: true})
	f, _ := written(t, book.Book{Title: "t", Answer: []string{"a"}, Chapters: []book.Chapter{{Title: "c", Sheet: "s", Charts: []book.Chart{c}}}}, o)
	require.Equal(t, []string{"译Summary", "s", "译Chart data"}, f.GetSheetList())
	for text := range asked {
		require.Contains(t, xlsx.Texts(), text, "Texts lists what is translated")
	}
}
