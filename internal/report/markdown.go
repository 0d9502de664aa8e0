package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// Markdown writes a book as Markdown, with tables as GitHub knows them.
func Markdown(w io.Writer, b Book) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", inline(b.Title))
	paragraphs(&out, b.Lead)
	for _, c := range b.Chapters {
		fmt.Fprintf(&out, "\n## %s\n", inline(c.Title))
		paragraphs(&out, c.Text)
		for _, t := range c.Tables {
			markdownTable(&out, t)
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

func markdownTable(out *strings.Builder, t result.Table) {
	if t.Title != "" {
		fmt.Fprintf(out, "\n### %s\n", inline(t.Title))
	}
	out.WriteByte('\n')
	status := unwell(t)
	line := func(cells []string) {
		for _, cell := range cells {
			out.WriteString("| " + inline(cell) + " ")
		}
		out.WriteString("|\n")
	}
	head := heads(t)
	rule := make([]string, 0, len(head)+1)
	for _, c := range t.Columns {
		if c.Figure || c.Unit != "" {
			rule = append(rule, "---:")
		} else {
			rule = append(rule, "---")
		}
	}
	if status {
		head, rule = append(head, "status"), append(rule, "---")
	}
	line(head)
	out.WriteString("| " + strings.Join(rule, " | ") + " |\n")
	for _, row := range t.Rows {
		cells := make([]string, 0, len(head))
		for i, cell := range row.Cells {
			cells = append(cells, cellText(t.Columns[i], cell))
		}
		if status {
			cells = append(cells, string(row.Status))
		}
		line(cells)
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
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "#", `\#`).Replace(printable(s))
}
