package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
)

// markdownFiles writes a book as Markdown, and returns the text and the names of all files.
func markdownFiles(t *testing.T, b book.Book) (text string, names []string) {
	t.Helper()
	files := NewFiles(false)
	t.Cleanup(files.Discard)
	w := Writer{Files: files, Dir: t.TempDir()}
	require.NoError(t, w.markdownBook("S", b))
	require.NoError(t, files.Commit())
	for _, path := range files.Paths() {
		names = append(names, filepath.Base(path))
	}
	content, err := os.ReadFile(filepath.Join(w.Dir, "S.md"))
	require.NoError(t, err)
	return string(content), names
}

func chartOf(title string) book.Chart {
	return book.Chart{Title: title, How: "Mean of 3 repeats, *as is*.", Kind: book.Lines, Series: []book.Series{{Y: []float64{1, 2}}}}
}

func TestMarkdownHasItsChartsAsPictures(t *testing.T) {
	b := book.Book{Title: "T", Chapters: []book.Chapter{
		{Title: "One", Charts: []book.Chart{chartOf("Throughput over threads: read [only]"), chartOf("吞吐量")}},
		{Title: "Two", Charts: []book.Chart{chartOf("p99 <by> ../case")}},
	}}
	text, names := markdownFiles(t, b)
	require.Equal(t, []string{"S.md", "S-01-throughput-over-threads-read-only.svg", "S-02-chart.svg", "S-03-p99-by-case.svg"}, names)
	require.Contains(t, text, "## One\n\n"+`![Throughput over threads: read \[only\]](S-01-throughput-over-threads-read-only.svg)`+"\n\n"+`*Mean of 3 repeats, \*as is\*.*`+"\n")
	var linked []string
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
		linked = append(linked, link[1])
	}
	require.Equal(t, names[1:], linked)
}

// Every chart is a picture, or named: none is missing without a word.
func TestMarkdownNamesTheChartsThatItLeavesOut(t *testing.T) {
	var b book.Book
	for i := range 3 {
		c := book.Chapter{Title: fmt.Sprint("Chapter ", i)}
		for k := range 15 {
			c.Charts = append(c.Charts, chartOf(fmt.Sprintf("Chart %d-%d", i, k)))
		}
		b.Chapters = append(b.Chapters, c)
	}
	text, names := markdownFiles(t, b)
	require.Len(t, names, 1+maxPictures)
	require.Equal(t, maxPictures, strings.Count(text, "!["))
	require.Contains(t, text, "The HTML report has these charts, for which there was no room here: Chart 1-13; Chart 1-14.")
}

// The charts that a suite was run for are there, even if those of many runs come before them.
func TestMarkdownDrawsComparisonsBeforeSingleRuns(t *testing.T) {
	course, curve, bars := chartOf("course"), chartOf("curve"), chartOf("bars")
	course.Kind, curve.X.Scale, bars.Kind = book.Time, book.Percentile, book.Bars
	b := book.Book{Chapters: []book.Chapter{
		{Title: "evidence", Detail: true, Charts: []book.Chart{bars}},
		{Title: "run", Charts: []book.Chart{course, course, curve}},
		{Title: "second run", Charts: []book.Chart{course}},
		{Title: "sweep", Charts: []book.Chart{bars, chartOf("line")}},
	}}
	require.Equal(t, map[place]bool{{3, 0}: true, {3, 1}: true, {1, 0}: true, {2, 0}: true}, mostUseful(b, 4))
	require.Len(t, mostUseful(b, 40), 7)
}

// What a suite's file asks for has a picture, also where a chart is over time.
func TestMarkdownDrawsRequestedChartsFirst(t *testing.T) {
	asked := book.Chapter{Title: resultsTitle}
	for range maxPictures {
		asked.Charts = append(asked.Charts, book.Chart{Kind: book.Time})
	}
	drawn := mostUseful(book.Book{Chapters: []book.Chapter{{Title: "One", Charts: []book.Chart{chartOf("p99")}}, asked}}, maxPictures)
	require.False(t, drawn[place{0, 0}])
	require.True(t, drawn[place{1, maxPictures - 1}])
}

func TestMarkdownWithoutFilesHasNoPictures(t *testing.T) {
	var out strings.Builder
	require.NoError(t, Markdown(&out, book.Book{Title: "T", Chapters: []book.Chapter{{Title: "One", Charts: []book.Chart{chartOf("a")}}}}))
	require.NotContains(t, out.String(), "![")
}

func TestAPictureThatCannotBeWrittenIsAnError(t *testing.T) {
	p := pictures{base: "S", create: func(string, func(io.Writer) error) error { return os.ErrPermission }, drawn: map[place]bool{{}: true}}
	b := book.Book{Chapters: []book.Chapter{{Charts: []book.Chart{chartOf("a")}}}}
	require.ErrorIs(t, markdown(io.Discard, b, p.add, nil), os.ErrPermission)
}
