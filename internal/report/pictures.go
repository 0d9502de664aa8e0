package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/svg"
)

// maxPictures is the number of pictures beside a report in Markdown. A reader of more wants the HTML report.
const maxPictures = 40

// pictures are the files beside a report in Markdown, one for each chart.
type pictures struct {
	base   string // the beginning of their names
	create func(name string, write func(io.Writer) error) error
	text   func(string) string // translates the words that pictures have of their own; nil is English
	count  int
}

// markdownBook writes a book as Markdown, with its charts as pictures beside it. Names of files begin with base.
func (w *Writer) markdownBook(base string, b book.Book) error {
	p := pictures{base: base, create: w.file}
	return w.file(base+".md", func(out io.Writer) error { return markdown(out, b, p.add, p.text) })
}

// add writes a chart, and returns the name of its file; none if there are enough.
func (p *pictures) add(c book.Chart) (name string, err error) {
	if p.count == maxPictures {
		return "", nil
	}
	p.count++
	name = fmt.Sprintf("%s-%02d-%s.svg", p.base, p.count, slug(c.Title))
	return name, p.create(name, func(out io.Writer) error { return svg.Write(out, c, svg.Options{Text: p.text}) })
}

// slug is a title as a part of a file's name: at most 40 letters and digits of ASCII.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(words, "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	if s == "" {
		return "chart"
	}
	return s
}
