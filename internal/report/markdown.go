package report

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// Markdown writes a book as Markdown, with tables as GitHub knows them.
func Markdown(w io.Writer, b book.Book) error { return markdown(w, b, nil, nil) }

// markdown writes a book with its charts: picture writes one, and returns the name of its file, or none if there are too many. With
// picture nil there are no charts. The function text translates the words that the format adds; nil is English.
func markdown(w io.Writer, b book.Book, picture func(place, book.Chart) (string, error), text func(string) string) error {
	if text == nil {
		text = func(s string) string { return s }
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", inline(b.Title))
	if b.Question != "" {
		fmt.Fprintf(&out, "\n**%s**\n", inline(b.Question))
	}
	if b.Status != "" {
		fmt.Fprintf(&out, "\n%s\n", inline(text("Status: "+b.Status+".")))
	}
	var answer []string
	for _, text := range b.Answer {
		answer = append(answer, "- "+text)
	}
	paragraphs(&out, answer)
	paragraphs(&out, b.Lead)
	for i, c := range b.Chapters {
		fmt.Fprintf(&out, "\n## %s\n", inline(c.Title))
		paragraphs(&out, c.Text)
		if err := markdownCharts(&out, i, c.Charts, picture, text); err != nil {
			return err
		}
		for _, t := range c.Tables {
			markdownTable(&out, t)
		}
		for _, f := range c.Files {
			markdownFile(&out, f)
		}
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write report as Markdown: %w", err)
	}
	return nil
}

// paragraphs writes texts with a blank line between them, except between the items of a list.
func paragraphs(out *strings.Builder, texts []string) {
	list := false
	for _, text := range texts {
		item, isItem := strings.CutPrefix(text, "- ")
		if !isItem || !list {
			out.WriteByte('\n')
		}
		if list = isItem; isItem {
			out.WriteString("- ")
		}
		out.WriteString(inline(item) + "\n")
	}
}

// markdownCharts writes references to pictures, and names the charts that have none.
func markdownCharts(out *strings.Builder, chapter int, charts []book.Chart, picture func(place, book.Chart) (string, error), text func(string) string) error {
	if picture == nil {
		return nil
	}
	var left []string
	for i, c := range charts {
		name, err := picture(place{chapter, i}, c)
		if err != nil {
			return err
		}
		if name == "" {
			left = append(left, inline(c.Title))
			continue
		}
		fmt.Fprintf(out, "\n![%s](%s)\n", strings.ReplaceAll(inline(c.Title), "]", `\]`), url.PathEscape(name))
		if c.How != "" {
			fmt.Fprintf(out, "\n*%s*\n", inline(strings.TrimSpace(c.How)))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "\n%s %s.\n", text("The HTML report has these charts, for which there was no room here:"), strings.Join(left, "; "))
	}
	return nil
}

// markdownFile writes a file as a block of code, whose fence is longer than any in the file.
func markdownFile(out *strings.Builder, f book.File) {
	fence := "```"
	for strings.Contains(f.Text, fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "\n### %s\n\n%s\n", inline(f.Name), fence)
	for line := range strings.Lines(f.Text) {
		out.WriteString(printable(strings.TrimRight(line, "\r\n")) + "\n")
	}
	out.WriteString(fence + "\n")
}

func markdownTable(out *strings.Builder, t book.Table) {
	if t.Title != "" {
		fmt.Fprintf(out, "\n### %s\n", inline(t.Title))
	}
	if t.How != "" {
		fmt.Fprintf(out, "\n%s\n", inline(t.How))
	}
	out.WriteByte('\n')
	head, rule := make([]book.Cell, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i], rule[i] = book.Text(c.Head), "---"
		if c.Figure {
			rule[i] = "---:"
		}
	}
	line := func(cells []book.Cell) {
		for _, cell := range cells {
			out.WriteString("| " + inline(cell.Text) + " ")
		}
		out.WriteString("|\n")
	}
	line(head)
	out.WriteString("| " + strings.Join(rule, " | ") + " |\n")
	for _, row := range t.Rows {
		line(row)
	}
	if len(t.Notes) > 0 {
		out.WriteByte('\n')
	}
	for _, note := range t.Notes {
		out.WriteString("- " + inline(note) + "\n")
	}
}

// inline escapes text from elsewhere, so that it is not taken for Markdown.
func inline(s string) string {
	return strings.NewReplacer(`\`, `\\`, "&", "&amp;", "~", `\~`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "#", `\#`).Replace(printable(s))
}
