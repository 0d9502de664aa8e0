package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/svg"
)

// maxPictures is the number of pictures beside a report in Markdown. A reader of more wants the HTML report.
const maxPictures = 40

// pictures are the files beside a report in Markdown, one for each chart that is drawn.
type pictures struct {
	base   string // the beginning of their names
	create func(name string, write func(io.Writer) error) error
	text   func(string) string // translates the words that pictures have of their own; nil is English
	drawn  map[place]bool
	count  int
}

// place is that of a chart in a book.
type place struct{ chapter, chart int }

// markdownBook writes a book as Markdown, with its charts as pictures beside it. Names of files begin with base.
func (w *Writer) markdownBook(base string, b book.Book) error {
	p := pictures{base: base, create: w.file, text: w.Text, drawn: mostUseful(b, maxPictures)}
	return w.file(base+".md", func(out io.Writer) error { return markdown(out, b, p.add, p.text) })
}

// add writes a chart, and returns the name of its file; none if it is not drawn.
func (p *pictures) add(at place, c book.Chart) (name string, err error) {
	if !p.drawn[at] {
		return "", nil
	}
	p.count++
	name = fmt.Sprintf("%s-%02d-%s.svg", p.base, p.count, slug(c.Title))
	return name, p.create(name, func(out io.Writer) error { return svg.Write(out, c, svg.Options{Text: p.text}) })
}

// mostUseful chooses n charts: those that the suite's file asks for, those that compare cases, then those of single runs. Chapters
// with evidence that few readers need come last; otherwise the first charts of all chapters come before the second ones.
func mostUseful(b book.Book, n int) map[place]bool {
	type candidate struct {
		place
		rank, turn int
	}
	var all []candidate
	for i, c := range b.Chapters {
		rank := 0
		if slices.ContainsFunc(c.Charts, func(chart book.Chart) bool { return chart.Kind == book.Time }) {
			rank = 1 // the charts are of one run
		}
		if c.Title == resultsTitle {
			rank = -1
		}
		if c.Detail {
			rank += 2
		}
		for k := range c.Charts {
			all = append(all, candidate{place{i, k}, rank, k})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.turn, b.turn))
	})
	chosen := make(map[place]bool)
	for _, c := range all[:min(n, len(all))] {
		chosen[c.place] = true
	}
	return chosen
}

// slug is a title as a part of a file's name: at most 40 letters and digits of ASCII.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(words, "-")
	const most = 40
	if len(s) > most {
		if end := strings.LastIndexByte(s[:most+1], '-'); end > 0 {
			s = s[:end]
		} else {
			s = s[:most]
		}
	}
	if s == "" {
		return "chart"
	}
	return s
}
