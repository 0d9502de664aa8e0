package doctable

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Table is a table of a Markdown document.
type Table struct {
	Head []string
	Rows [][]string
}

// Markdown formats the table. A cell can contain bars and line breaks.
func (t Table) Markdown() string {
	var b strings.Builder
	write := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			b.WriteString(" " + strings.NewReplacer("\n", " ", "|", `\|`).Replace(cell) + " |")
		}
		b.WriteString("\n")
	}
	write(t.Head)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.Head)) + "\n")
	for _, row := range t.Rows {
		write(row)
	}
	return b.String()
}

// Names returns the names that the cells of a column quote, from the top to the bottom.
func (t Table) Names(column int) []string {
	var names []string
	for _, row := range t.Rows {
		if column < len(row) {
			names = append(names, Names(row[column])...)
		}
	}
	return names
}

// Names returns the names that a cell quotes with backquotes.
func Names(cell string) []string {
	var names []string
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, quoted[1])
	}
	return names
}

// Section returns the text below a heading such as "## Actions", up to the next heading of its level or above. It is empty if
// the text has no such heading.
func Section(text, heading string) string {
	_, below, _ := strings.Cut("\n"+text, "\n"+heading+"\n")
	level := strings.Index(heading, " ")
	code := false
	var b strings.Builder
	for line := range strings.Lines(below) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if !code && marks > 0 && marks <= level && strings.HasPrefix(line[marks:], " ") {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Tables returns the tables of a text in their order.
func Tables(text string) []Table {
	var tables []Table
	lines := 0 // of the table so far
	for line := range strings.Lines(text) {
		cells := split(strings.TrimSpace(line))
		if cells == nil {
			lines = 0
			continue
		}
		lines++
		switch lines {
		case 1:
			tables = append(tables, Table{Head: cells})
		case 2: // the rule below the head
		default:
			last := &tables[len(tables)-1]
			last.Rows = append(last.Rows, cells)
		}
	}
	return tables
}

// split returns the cells of a line of a table, and nil for any other line.
func split(line string) []string {
	const escaped = "\x00" // no document has it
	line, ok := strings.CutPrefix(strings.ReplaceAll(line, `\|`, escaped), "|")
	if !ok {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, escaped, "|"))
	}
	return cells
}

// Read returns the text of a document, which is named from the root of the repository: docs/suites.md.
func Read(tb testing.TB, document string) string {
	tb.Helper()
	text, err := os.ReadFile(locate(tb, document))
	require.NoError(tb, err)
	return string(text)
}

// Exists reports whether there is a document.
func Exists(tb testing.TB, document string) bool {
	tb.Helper()
	_, err := os.Stat(locate(tb, document))
	return err == nil
}

// locate returns the path of a document. Go runs a test in the folder of its package, which is somewhere below the root.
func locate(tb testing.TB, document string) string {
	tb.Helper()
	dir, err := os.Getwd()
	require.NoError(tb, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, filepath.FromSlash(document))
		}
		parent := filepath.Dir(dir)
		require.NotEqual(tb, dir, parent, "the test runs outside of a module")
		dir = parent
	}
}

// Generated requires that a document has a table between the lines <!-- mark --> and <!-- end -->. With update it writes the
// table there.
func Generated(tb testing.TB, document, mark string, want Table, update bool) {
	tb.Helper()
	GeneratedText(tb, document, mark, want.Markdown(), update)
}

// Marks reports whether a document exists and has a line <!-- mark -->.
func Marks(tb testing.TB, document, mark string) bool {
	tb.Helper()
	return Exists(tb, document) && strings.Contains(Read(tb, document), "<!-- "+mark+" -->\n")
}

// GeneratedText requires that a document has a text between the lines <!-- mark --> and <!-- end -->. With update it writes the text there.
func GeneratedText(tb testing.TB, document, mark, want string, update bool) {
	tb.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(Read(tb, document), begin)
	require.True(tb, ok, "%s has no line %s", document, begin)
	got, after, ok := strings.Cut(rest, end)
	require.True(tb, ok, "%s has no line %s below %s", document, end, begin)
	if update {
		text := before + begin + want + end + after
		require.NoError(tb, os.WriteFile(locate(tb, document), []byte(text), 0o644))
		return
	}
	require.Equal(tb, want, got, "%s: go test -run '^%s$' -update writes it", document, tb.Name())
}
