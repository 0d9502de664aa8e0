package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/benchd/benchd/internal/descriptor"
)

// Options are how a table is written.
type Options struct {
	Width  int  // of a line; 0 is 100
	Colour bool // for a terminal
	Agents bool // the figures of each agent below those of each operation
	// Targets are the descriptions of the targets whose telemetry is shown.
	Targets descriptor.List
	// Text translates a text that benchd wrote; nil leaves it English.
	Text func(string) string
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

func newPage(o Options) *page {
	if o.Text == nil {
		o.Text = plain
	}
	return &page{options: o}
}

// t is a text in the language of the page.
func (p *page) t(english string) string { return p.options.Text(english) }

// columns is how many columns of a terminal a text takes: East Asian characters take two.
func columns(s string) int { return ansi.StringWidth(s) }

func (p *page) line(parts ...string) {
	for _, part := range parts {
		p.text.WriteString(part)
	}
	p.text.WriteByte('\n')
}

// wrap writes text after a label, both in the language of the page. Long text continues on the next lines, indented by the
// label's width.
func (p *page) wrap(label, text string, style func(string) string) {
	label = p.label(cut(printable(label), longCell))
	p.wrapBehind(label, label, text, style)
}

// label is a label in the language of the page. It keeps its width where that is possible.
func (p *page) label(english string) string {
	word := strings.TrimRight(english, " ")
	if word == "" {
		return english
	}
	text, blanks := p.t(word), len(english)-len(word)
	return text + strings.Repeat(" ", max(columns(english)-columns(text), min(blanks, 2)))
}

// wrapBehind is wrap with a styled label, which is in the language of the page.
func (p *page) wrapBehind(label, shown, text string, style func(string) string) {
	indent := strings.Repeat(" ", columns(label))
	room := max(p.options.width()-len(indent), 20)
	for i, line := range broken(p.t(cut(printable(text), longText)), room) {
		if i > 0 {
			shown = indent
		}
		p.line(shown, style(line))
	}
}

// broken breaks text between words into lines of at most room columns. A number stays with its unit. Words of East Asian
// characters may be broken between two of them.
func broken(text string, room int) []string {
	var lines []string
	var line strings.Builder
	length := 0
	for _, word := range together(strings.Fields(text)) {
		for i, piece := range pieces(word) {
			n, blank := columns(piece), 0
			if i == 0 && length > 0 {
				blank = 1
			}
			if length > 0 && length+blank+n > room {
				lines = append(lines, line.String())
				line.Reset()
				length, blank = 0, 0
			}
			line.WriteString(strings.Repeat(" ", blank) + piece)
			length += blank + n
		}
	}
	return append(lines, line.String())
}

// pieces are the parts of a word that may be in different lines: an East Asian character with the punctuation behind it, or
// before it if it opens something.
func pieces(word string) []string {
	if !strings.ContainsFunc(word, wide) {
		return []string{word}
	}
	var out []string
	from, runes := 0, []rune(word)
	for i := 1; i < len(runes); i++ {
		before, after := runes[i-1], runes[i]
		if (wide(before) || wide(after)) && !strings.ContainsRune("（“", before) && !strings.ContainsRune("，。；：）”、！？,.;:)%", after) {
			out = append(out, string(runes[from:i]))
			from = i
		}
	}
	return append(out, string(runes[from:]))
}

// wide reports whether a character is an East Asian one.
func wide(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
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
	case "%", "ns", "µs", "ms", "s", "ops", "ops/s", "rows", "rows/s", "B", "kB", "MB", "GB", "TB", "PB":
		return true
	}
	return false
}

func isNumber(word string) bool {
	last := word[len(word)-1]
	return last >= '0' && last <= '9'
}

// longCell bounds a cell of a table in a terminal.
const longCell = 120

// write writes the page.
func (p *page) write(w io.Writer) error {
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// all are texts in the language of the page.
func (p *page) all(english []string) []string {
	out := slices.Clone(english)
	for i, s := range out {
		out[i] = p.t(s)
	}
	return out
}

func plain(s string) string { return s }

func (p *page) bold(s string) string { return p.escape("1", s) }
func (p *page) dim(s string) string  { return p.escape("2", s) }
func (p *page) red(s string) string  { return p.escape("31", s) }

func (p *page) green(s string) string  { return p.escape("32", s) }
func (p *page) yellow(s string) string { return p.escape("33", s) }

func (p *page) escape(code, s string) string {
	if s = cut(printable(s), longText); !p.options.Colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// grid is a table of cells. The first left columns are left-aligned, the others right-aligned.
type grid struct {
	left int
	rows [][]string
}

func (g *grid) add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = cut(printable(cell), longCell)
	}
	g.rows = append(g.rows, row)
}

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
			widths[i] = max(widths[i], columns(cell))
		}
	}
	lines := make([]string, 0, len(g.rows))
	for _, row := range g.rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-columns(cell))
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
		n = max(n, columns(line))
	}
	return n
}

// grid writes rows below a header, which it translates. Rows that are too wide lose the named columns one after another.
func (p *page) grid(g *grid, spare ...string) {
	g.rows[0] = p.all(g.rows[0])
	spare = p.all(spare)
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
