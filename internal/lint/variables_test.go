//go:build !race

package lint

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// variables finds the variables of the environment that code reads by their names, or sets for other programs. Those of flags are
// made from the flags' names.
func variables(t tree) map[string]finding {
	ofTests := regexp.MustCompile(`^internal/target/\w+/\w+test/`) // they start servers
	set := regexp.MustCompile(`^([A-Z][A-Z_]+)=$`)
	found := make(map[string]finding)
	for _, f := range t.files {
		if f.test() || f.generated() || within(f.path, "test") || ofTests.MatchString(f.path) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Getenv" || s.Sel.Name == "LookupEnv") && len(n.Args) == 1 {
					if name := literal(n.Args[0], nil); name != "" {
						found[name] = t.at(f, n.Pos(), "")
					}
				}
			case *ast.BasicLit:
				if name := set.FindStringSubmatch(literal(n, nil)); name != nil {
					found[name[1]] = t.at(f, n.Pos(), "")
				}
			}
			return true
		})
	}
	return found
}

// undocumentedVariables compares variables with a document's table, both ways.
func undocumentedVariables(t tree, root, document string) ([]finding, error) {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(document)))
	if err != nil {
		return nil, err
	}
	var documented []string
	for _, table := range doctable.Tables(doctable.Section(string(content), "## Other variables")) {
		documented = append(documented, table.Names(0)...)
	}
	var flaws []finding
	used := variables(t)
	for name, at := range used {
		if !slices.Contains(documented, name) {
			at.text = name + " is not in " + document
			flaws = append(flaws, at)
		}
	}
	for _, name := range documented {
		if _, ok := used[name]; !ok {
			flaws = append(flaws, finding{document, 1, "nothing uses " + name})
		}
	}
	slices.SortFunc(flaws, func(a, b finding) int { return strings.Compare(a.String(), b.String()) })
	return flaws, nil
}

// Every variable that has no flag is in the reference of both programs.
func TestVariablesAreDocumented(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	for _, document := range []string{"docs/benchctl.md", "docs/benchd.md"} {
		flaws, err := undocumentedVariables(tree, "../..", document)
		require.NoError(t, err)
		for _, f := range flaws {
			t.Error(f)
		}
	}
}

// The test of the test: a variable that is missing and one that is invented are found.
func TestAnUndocumentedVariableIsFound(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, txtar.Write(txtar.Parse([]byte("-- x.go --\npackage x\n\nvar a = os.Getenv(\"LEFT_OUT\") + os.Getenv(name) + \"SET=\" + \"Not=\"\n"+
		"-- d.md --\n## Other variables\n\n| V | M |\n| --- | --- |\n| `INVENTED` | x |\n| `SET` | x |\n")), root))
	tree, err := readTree(root)
	require.NoError(t, err)
	flaws, err := undocumentedVariables(tree, root, "d.md")
	require.NoError(t, err)
	require.Equal(t, []finding{{"d.md", 1, "nothing uses INVENTED"}, {"x.go", 3, "LEFT_OUT is not in d.md"}}, flaws)
}
