package report

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// Bounds of texts in reports for people. Names of suites, cases, servers and agents come from elsewhere, and so do notes and messages.
const (
	longTitle = 240
	longName  = 160
)

// clean makes every text of a book printable, and cuts those that nobody reads. Formats escape what has a meaning in them.
func clean(b book.Book) book.Book {
	text, title, name := cleaner(longText), cleaner(longTitle), cleaner(longName)
	b.ID, b.Name, b.Title, b.Question, b.Status = name(b.ID), name(b.Name), title(b.Title), text(b.Question), text(b.Status)
	b.Answer, b.Lead = changed(b.Answer, text), changed(b.Lead, text)
	b.Chapters = slices.Clone(b.Chapters)
	for i, c := range b.Chapters {
		c.Title, c.Sheet, c.Text = title(c.Title), name(c.Sheet), changed(c.Text, text)
		c.Tables, c.Charts, c.Files = slices.Clone(c.Tables), slices.Clone(c.Charts), slices.Clone(c.Files)
		for k, t := range c.Tables {
			c.Tables[k] = cleanTable(t)
		}
		for k, chart := range c.Charts {
			c.Charts[k] = cleanChart(chart)
		}
		for k, f := range c.Files {
			c.Files[k] = book.File{Name: name(f.Name), Text: cleanLines(f.Text)}
		}
		b.Chapters[i] = c
	}
	b.Data = slices.Clone(b.Data)
	for i, t := range b.Data {
		b.Data[i] = cleanTable(t)
	}
	return b
}

func cleaner(length int) func(string) string {
	return func(s string) string { return cut(printable(s), length) }
}

// changed are texts with f applied to each.
func changed(texts []string, f func(string) string) []string {
	out := slices.Clone(texts)
	for i, s := range out {
		out[i] = f(s)
	}
	return out
}

// cleanLines is the text of a file, whose lines stay.
func cleanLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

func cleanTable(t book.Table) book.Table {
	text, title, name := cleaner(longText), cleaner(longTitle), cleaner(longName)
	t.Title, t.How, t.Notes = title(t.Title), text(t.How), changed(t.Notes, text)
	t.Columns, t.Rows = slices.Clone(t.Columns), slices.Clone(t.Rows)
	for i := range t.Columns {
		t.Columns[i].Head, t.Columns[i].Unit = name(t.Columns[i].Head), name(t.Columns[i].Unit)
	}
	for i, row := range t.Rows {
		copied := false
		for k, cell := range row {
			s := text(cell.Text)
			if k < len(t.Columns) && t.Columns[k].Names {
				s = name(cell.Text)
			}
			if s == cell.Text {
				continue
			}
			if !copied {
				row, copied = slices.Clone(row), true
			}
			row[k].Text = s
		}
		t.Rows[i] = row
	}
	return t
}

func cleanChart(c book.Chart) book.Chart {
	text, title, name := cleaner(longText), cleaner(longTitle), cleaner(longName)
	axis := func(a book.Axis) book.Axis {
		a.Title, a.Unit, a.Categories = title(a.Title), name(a.Unit), changed(a.Categories, name)
		return a
	}
	c.Title, c.How, c.Group, c.X = title(c.Title), text(c.How), name(c.Group), axis(c.X)
	c.Y, c.Series, c.Marks, c.Limits = slices.Clone(c.Y), slices.Clone(c.Series), slices.Clone(c.Marks), slices.Clone(c.Limits)
	for i, a := range c.Y {
		c.Y[i] = axis(a)
	}
	for i, s := range c.Series {
		c.Series[i].Name = name(s.Name)
	}
	for i, m := range c.Marks {
		c.Marks[i].Label, c.Marks[i].Text = name(m.Label), text(m.Text)
	}
	for i, l := range c.Limits {
		c.Limits[i].Label = name(l.Label)
	}
	return c
}
