package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
)

// A comparison as a report: question, answer with the worst case first, a table and a chart for each figure, and what else differs.
func TestComparisonBook(t *testing.T) {
	c := comparison()
	c.Cases[0].Figures[2].Odd = []compare.Odd{{Side: "b", Run: "20260302-x2ra.4", Value: 52_000}}
	b := report.ComparisonBook("A-vs-B", planned, []compare.Comparison{c})
	var out bytes.Buffer
	require.NoError(t, report.Markdown(&out, b))
	golden(t, "comparison.md", out.String())
	require.Equal(t, "Is 20260302-x2ra faster than 20260301-k7mp?", b.Question)
	require.Equal(t, book.Good, b.State)
	require.Len(t, b.Answer, 3)
	require.Contains(t, b.Answer[0], "B is better and worse")
	figures := b.Chapters[1]
	require.Len(t, figures.Tables, 4)
	require.Len(t, figures.Charts, 2*4, "the change of each figure with its interval, then both sides")
	require.Equal(t, "Change of READ p99", figures.Charts[2].Title)
	p99 := figures.Tables[2]
	require.Equal(t, "µs", p99.Columns[1].Unit)
	require.InDelta(t, 11_200, *p99.Rows[0][1].Number, 0.1)
	require.Equal(t, []float64{11_200}, figures.Charts[6].Series[0].Y)
}

// Without a case that was decided there is nothing to rely upon, and several comparisons name their sides.
func TestComparisonBookOfRefusedCases(t *testing.T) {
	c := comparison()
	c.Cases = c.Cases[1:]
	other := comparison()
	other.B = "third"
	require.Equal(t, book.Caution, report.ComparisonBook("x", planned, []compare.Comparison{c}).State)
	b := report.ComparisonBook("x", planned, []compare.Comparison{c, other})
	require.Equal(t, "Is 20260302-x2ra or third faster than 20260301-k7mp?", b.Question)
	require.Equal(t, "20260302-x2ra: 2 cases: 1 not compared, 1 not enough runs; third: 3 cases: 1 better and worse, 1 not compared, 1 not enough runs", b.Status)
	require.Equal(t, "Figures: third", b.Chapters[4].Title)
	require.Empty(t, report.ComparisonBook("x", planned, nil).Chapters)
}

// A format that cannot hold a comparison is an error with the formats that can.
func TestFormatsOfOneResultRefuseComparisons(t *testing.T) {
	require.NoError(t, report.CheckComparison([]string{"md", "html", "xlsx", "json", "benchfmt"}))
	for _, name := range []string{"csv", "ycsb", "hlog", "raw"} {
		w := report.Writer{Files: report.NewFiles(false), Dir: t.TempDir(), Source: source{}, Warn: func(string) {}}
		err := w.Write(t.Context(), report.Document{ID: "x", Comparisons: []compare.Comparison{comparison()}}, []string{"md", name})
		require.ErrorContains(t, err, "format "+name+" cannot hold a comparison: choose of md, html, xlsx, json, ")
		require.Empty(t, w.Files.Paths())
	}
}
