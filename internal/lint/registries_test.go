//go:build !race

package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// A registry is a list in the code with a table in one document, which names exactly the entries of the list.
type registry struct {
	dir, function string // the package, and its function that returns the list
	what          string // an entry is
	document      string // that has the table
	heading       string // of the section that the table is the first of
}

func registries() []registry {
	return []registry{
		{dir: "internal/report", function: "Formats", what: "format", document: "docs/reports.md", heading: "# Reports"},
		{dir: "internal/workload", function: "Distributions", what: "distribution", document: "docs/suites.md", heading: "## Distributions"},
		{dir: "internal/observe", function: "Origins", what: "source", document: "docs/telemetry.md", heading: "## Sources"},
	}
}

// undocumented finds entries of registries that are missing in their documents, and names in documents that no registry has.
func undocumented(t tree, root string, all []registry) ([]finding, error) {
	var found []finding
	for _, r := range all {
		names, at, ok := r.entries(t)
		if !ok {
			found = append(found, finding{r.dir, 1, "no function " + r.function + " with a list of entries"})
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(r.document)))
		if err != nil {
			return nil, fmt.Errorf("read document of %s: %w", r.dir, err)
		}
		documented := r.documented(string(content))
		for i, name := range names {
			if !slices.Contains(documented, name) {
				found = append(found, finding{at[i].path, at[i].line, fmt.Sprintf("%s %q is not in the table of %s", r.what, name, r.document)})
			}
		}
		for _, name := range documented {
			if !slices.Contains(names, name) {
				found = append(found, finding{r.document, 1, fmt.Sprintf("unknown %s %q", r.what, name)})
			}
		}
	}
	return found, nil
}

// entries returns the names of a registry's entries and their places: the field Name of each, or a first field without a key.
func (r registry) entries(t tree) (names []string, at []finding, ok bool) {
	constants := make(map[string]string)
	var list *ast.CompositeLit
	var in file
	for _, f := range t.files {
		if f.dir() != r.dir || f.test() {
			continue
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, isValue := s.(*ast.ValueSpec); isValue && d.Tok == token.CONST && len(v.Values) == len(v.Names) {
						for i, name := range v.Names {
							constants[name.Name] = literal(v.Values[i], nil)
						}
					}
				}
			case *ast.FuncDecl:
				if d.Name.Name == r.function && d.Recv == nil {
					ast.Inspect(d.Body, func(n ast.Node) bool {
						if c, isList := n.(*ast.CompositeLit); isList && list == nil {
							list, in = c, f
						}
						return list == nil
					})
				}
			}
		}
	}
	if list == nil {
		return nil, nil, false
	}
	for _, e := range list.Elts {
		entry, isEntry := e.(*ast.CompositeLit)
		if !isEntry || len(entry.Elts) == 0 {
			continue
		}
		value := entry.Elts[0]
		for _, field := range entry.Elts {
			if kv, keyed := field.(*ast.KeyValueExpr); keyed {
				if key, isName := kv.Key.(*ast.Ident); isName && key.Name == "Name" {
					value = kv.Value
				}
			}
		}
		if name := literal(value, constants); name != "" {
			names = append(names, name)
			at = append(at, t.at(in, entry.Pos(), "%s", name))
		}
	}
	return names, at, len(names) > 0
}

// literal is the text of a string, or of a constant.
func literal(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.Ident:
		return constants[e.Name]
	}
	return ""
}

// documented are the names in the first column of the registry's table.
func (r registry) documented(text string) []string {
	tables := doctable.Tables(doctable.Section(text, r.heading))
	if len(tables) == 0 {
		return nil
	}
	return tables[0].Names(0)
}

// Every registry's entries are those of its document.
func TestRegistriesAreDocumented(t *testing.T) {
	const root = "../.."
	tree, err := readTree(root)
	require.NoError(t, err)
	found, err := undocumented(tree, root, registries())
	require.NoError(t, err)
	for _, f := range found {
		t.Error(f)
	}
}

// The test of the test: it finds entries that are not documented, and documented names that are not registered.
func TestAnUndocumentedEntryIsFound(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/registries.txtar")
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, txtar.Write(archive, root))
	tree, err := readTree(root)
	require.NoError(t, err)
	found, err := undocumented(tree, root, []registry{
		{dir: "internal/report", function: "Formats", what: "format", document: "docs/reports.md", heading: "# Reports"},
		{dir: "internal/workload", function: "Distributions", what: "distribution", document: "docs/suites.md", heading: "## Distributions"},
		{dir: "internal/observe", function: "Sources", what: "source", document: "docs/suites.md", heading: "## Distributions"},
	})
	require.NoError(t, err)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	want := archive.Files[len(archive.Files)-1]
	require.Equal(t, "want", want.Name, "the last section")
	require.Equal(t, string(want.Data), strings.Join(lines, "\n")+"\n")
}
