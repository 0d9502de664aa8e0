package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A terminal of this many columns fits into the width of a page on GitHub.
const columns = 104

// The picture of a terminal in the READMEs shows a recorded demo, abridged, in which the load generator was not the limit.
func TestPictureOfATerminalShowsTheRecordedDemo(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(images, "terminal.txt"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^summary  complete; `, string(content))
	shown := abridged(string(content))
	require.Greater(t, len(shown), 20)
	for _, theme := range themes() {
		drawn(t, "terminal-"+theme.name+".svg", terminal(shown, theme))
	}
}

// abridged returns the lines of a demo that the picture shows: two of its progress, the head of the result, the measurement, the load
// generator and the summary.
func abridged(recording string) []string {
	shown := []string{"$ make demo", "…"}
	keep := func(block string, most int, lines string) {
		shown = append(shown, first(most, regexp.MustCompile(lines).FindAllString(block, -1))...)
	}
	measured := false
	for block := range strings.SplitSeq(recording, "\n\n") {
		switch {
		case strings.Contains(block, "\nrun "):
			keep(block, 2, `(?m)^\S+  running  measure  [1-9].*`)
			shown = append(shown, "…")
			keep(block, 5, `(?m)^(run|agents|target|start|counts) .*`)
		case strings.HasPrefix(block, "measure "):
			measured = true
			shown = append(shown, "")
			keep(block, 6, `(?m)^(measure|operation|[A-Z]+ |  service time) .*`)
		case strings.HasPrefix(block, "generator ") && measured:
			shown = append(shown, "")
			keep(block, 6, `(?m)^(generator|agent|telemetry|          ) .*`)
		case strings.HasPrefix(block, "summary "):
			shown = append(shown, "…")
			keep(block, 4, `(?m)^.+`)
		}
	}
	return shown
}

func first(most int, lines []string) []string { return lines[:min(most, len(lines))] }

// A span is a part of a line in one colour.
type span struct {
	column int
	text   string
	colour string
	bold   bool
}

// terminal draws a window with lines of text.
func terminal(lines []string, t theme) string {
	const (
		size, advance, leading = 13.0, 7.8, 19.0 // of a character
		left, top, bar         = 18.0, 26.0, 32.0
	)
	width := left*2 + columns*advance
	height := bar + top + float64(len(lines))*leading
	p := picture{theme: t}
	p.add(`<rect x="0.5" y="0.5" width="%g" height="%g" rx="8" fill="%s" stroke="%s"/>`, width-1, height-1, t.page, t.border)
	p.add(`<path d="M0.5 %g V8.5 a8 8 0 0 1 8 -8 H%g a8 8 0 0 1 8 8 V%g Z" fill="%s" stroke="%s"/>`, bar, width-8.5, bar, t.bar, t.border)
	for i := range 3 {
		p.add(`<circle cx="%g" cy="%g" r="5.5" fill="%s"/>`, left+float64(i)*18, bar/2, t.border)
	}
	for i, line := range lines {
		for _, s := range spans(cut(line), t) {
			weight := ""
			if s.bold {
				weight = ` font-weight="600"`
			}
			// With its length given, text in any font stays in its columns.
			p.add(`<text x="%.1f" y="%g" font-size="%g" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s xml:space="preserve">%s</text>`,
				left+float64(s.column)*advance, bar+top+float64(i)*leading, size, float64(utf8.RuneCountInString(s.text))*advance, s.colour, weight, escape(s.text))
		}
	}
	return p.document(width, height, "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
		"A terminal: make demo measures reads and updates of the sandbox at a fixed rate and prints the result")
}

// cut shortens a line that is wider than the terminal.
func cut(line string) string {
	if runes := []rune(line); len(runes) > columns {
		return strings.TrimRight(string(runes[:columns-1]), " ") + "…"
	}
	return line
}

// spans cuts a line into parts of one colour. Two spaces part columns, and belong to none.
func spans(line string, t theme) []span {
	var found []span
	add := func(from, to int, colour string, bold bool) {
		text := strings.TrimLeft(line[from:to], " ")
		column := utf8.RuneCountInString(line[:to]) - utf8.RuneCountInString(text)
		if text = strings.TrimRight(text, " "); text != "" {
			found = append(found, span{column: column, text: text, colour: colour, bold: bold})
		}
	}
	command := strings.HasPrefix(line, "$ ")
	dim := regexp.MustCompile(`^(…|operation|generator|  service time|telemetry|  {9}|\S+  running)`).MatchString(line)
	label := regexp.MustCompile(`^(run|agents|target|start|counts|measure|summary|  measure|    [A-Z]+)  ?`).FindString(line)
	good := regexp.MustCompile(`complete|issued = recorded = merged|none of \d+ verdicts raised|no operation failed`)
	for _, at := range regexp.MustCompile(`\S+( \S+)*`).FindAllStringIndex(line, -1) {
		from, to := at[0], at[1]
		switch {
		case command:
			add(from, to, t.text, true)
			continue
		case dim:
			add(from, to, t.dim, false)
			continue
		case from < len(label):
			add(from, min(to, len(label)), t.blue, true)
			from = min(to, len(label))
		}
		rest := from
		for _, praise := range good.FindAllStringIndex(line[from:to], -1) {
			add(rest, from+praise[0], t.text, false)
			add(from+praise[0], from+praise[1], t.good, false)
			rest = from + praise[1]
		}
		add(rest, to, t.text, false)
	}
	return found
}
