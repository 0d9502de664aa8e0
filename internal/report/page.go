package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/descriptor"
)

// Options are how a table is written.
type Options struct {
	Width  int  // of a line; 0 is 100
	Colour bool // for a terminal
	Agents bool // the figures of each agent below those of each operation
	// Targets are the descriptions of the targets whose telemetry is shown.
	Targets descriptor.List
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return o.Width
}

// page is a text that is built line by line and written at once.
type page struct {
	text    strings.Builder
	options Options
}

func newPage(o Options) *page { return &page{options: o} }

func (p *page) line(parts ...string) {
	for _, part := range parts {
		p.text.WriteString(part)
	}
	p.text.WriteByte('\n')
}

// wrap writes text after a label. Long text continues on the next lines, indented by the label's width.
func (p *page) wrap(label, text string, style func(string) string) {
	p.wrapBehind(label, label, text, style)
}

// wrapBehind is wrap with a styled label.
func (p *page) wrapBehind(label, shown, text string, style func(string) string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(label))
	room := max(p.options.width()-len(indent), 20)
	for i, line := range broken(text, room) {
		if i > 0 {
			shown = indent
		}
		p.line(shown, style(line))
	}
}

// broken breaks text between words into lines of at most room characters. A number stays with its unit.
func broken(text string, room int) []string {
	var lines []string
	var line strings.Builder
	length := 0
	for _, word := range together(strings.Fields(text)) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > room {
			lines = append(lines, line.String())
			line.Reset()
			length = 0
		}
		if length > 0 {
			line.WriteByte(' ')
			length++
		}
		line.WriteString(word)
		length += n
	}
	return append(lines, line.String())
}

// together joins numbers with the units that follow them.
func together(words []string) []string {
	out := make([]string, 0, len(words))
	for i, word := range words {
		if i > 0 && isUnit(strings.TrimRight(word, ".,;:)")) && isNumber(words[i-1]) {
			out[len(out)-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func isUnit(word string) bool {
	switch word {
	case "%", "ns", "µs", "ms", "s", "ops", "ops/s", "rows", "B", "kB", "MB", "GB", "TB", "PB":
		return true
	}
	return false
}

func isNumber(word string) bool {
	last := word[len(word)-1]
	return last >= '0' && last <= '9'
}

// write writes the page.
func (p *page) write(w io.Writer) error {
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func plain(s string) string { return s }

func (p *page) bold(s string) string { return p.escape("1", s) }
func (p *page) dim(s string) string  { return p.escape("2", s) }
func (p *page) red(s string) string  { return p.escape("31", s) }

func (p *page) green(s string) string  { return p.escape("32", s) }
func (p *page) yellow(s string) string { return p.escape("33", s) }

func (p *page) escape(code, s string) string {
	if !p.options.Colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// grid is a table of cells. The first left columns are left-aligned, the others right-aligned.
type grid struct {
	left int
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// without removes columns.
func (g *grid) without(columns ...string) *grid {
	out := &grid{left: g.left}
	for _, row := range g.rows {
		var kept []string
		for i, cell := range row {
			drop := false
			for _, c := range columns {
				drop = drop || g.rows[0][i] == c
			}
			if !drop {
				kept = append(kept, cell)
			}
		}
		out.rows = append(out.rows, kept)
	}
	return out
}

// lines are the rows, two blanks between the columns.
func (g *grid) lines() []string {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(g.rows))
	for _, row := range g.rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < g.left {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// length is the length of the longest line.
func length(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// grid writes rows below a header. Rows that are too wide lose the named columns one after another.
func (p *page) grid(g *grid, spare ...string) {
	lines := g.lines()
	for i := range spare {
		if length(lines) <= p.options.width() {
			break
		}
		lines = g.without(spare[:i+1]...).lines()
	}
	for i, line := range lines {
		if i == 0 {
			line = p.dim(line)
		}
		p.line(line)
	}
}
