package doctable_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

const document = "# One\n\n## Two\n\n" +
	"```\n# no heading\n| no | table |\n```\n\n" +
	"| Name | Meaning |\n| --- | :--- |\n| `a`, `b` | on \\| off |\n|  |  |\n| c | `d` |\n\n### Three\n\n| Other |\n| --- |\n| `e` |\n\n" +
	"## Four\n\n| Last |\n| --- |\n| `f` |\n"

func TestTablesOfASection(t *testing.T) {
	tables := doctable.Tables(doctable.Section(document, "## Two"))
	require.Len(t, tables, 3, "those of the sections within it, and of its code")
	require.Equal(t, doctable.Table{
		Head: []string{"Name", "Meaning"}, Rows: [][]string{{"`a`, `b`", "on | off"}, {"", ""}, {"c", "`d`"}},
	}, tables[1])
	require.Equal(t, []string{"a", "b"}, tables[1].Names(0))
	require.Equal(t, []string{"d"}, tables[1].Names(1))
	require.Empty(t, tables[1].Names(2))
	require.Len(t, doctable.Tables(doctable.Section(document, "### Three")), 1)
	require.Len(t, doctable.Tables(doctable.Section(document, "# One")), 4)
	require.Empty(t, doctable.Section(document, "## Five"))
}

func TestATableIsReadAsItWasWritten(t *testing.T) {
	table := doctable.Table{Head: []string{"Name", "Meaning"}, Rows: [][]string{{"`a`", "on | off"}, {"", "two\nlines"}}}
	require.Equal(t, "| Name | Meaning |\n| --- | --- |\n| `a` | on \\| off |\n|  | two lines |\n", table.Markdown())
	table.Rows[1][1] = "two lines"
	require.Equal(t, []doctable.Table{table}, doctable.Tables(table.Markdown()))
}

// A generated table is compared cell by cell, and -update rewrites it in the document.
func TestADocumentThatDiffersFromTheCodeIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("go.mod", nil, 0o600))
	require.NoError(t, os.MkdirAll("docs", 0o700))
	require.NoError(t, os.MkdirAll("internal/report", 0o700))
	t.Chdir("internal/report")
	const before, after = "# Reports\n\n<!-- formats -->\n", "<!-- end -->\n\nMore.\n"
	require.NoError(t, os.WriteFile("../../docs/reports.md", []byte(before+after), 0o600))
	table := doctable.Table{Head: []string{"Format"}, Rows: [][]string{{"`md`"}}}

	require.True(t, refuses(t, "formats", table), "the table is missing")
	doctable.Generated(t, "docs/reports.md", "formats", table, true)
	require.Equal(t, before+table.Markdown()+after, doctable.Read(t, "docs/reports.md"))
	require.False(t, refuses(t, "formats", table))
	require.True(t, refuses(t, "figures", table), "the document has no such mark")
	table.Rows = append(table.Rows, []string{"`html`"})
	require.True(t, refuses(t, "formats", table), "a row is missing")
}

// refuses reports whether a comparison with docs/reports.md fails.
func refuses(t *testing.T, mark string, table doctable.Table) (refused bool) {
	t.Helper()
	r := recorder{t}
	defer func() { refused = recover() == any(r) }()
	doctable.Generated(r, "docs/reports.md", mark, table, false)
	return false
}

// recorder is a test whose failure is what is tested.
type recorder struct{ testing.TB }

// Errorf implements testing.TB.
func (recorder) Errorf(string, ...any) {}

// FailNow implements testing.TB. It ends the comparison.
func (r recorder) FailNow() { panic(r) }
