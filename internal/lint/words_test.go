package lint

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// database is a word that only the folder of its target may use, except for the mentions.
const database = "hbase"

// mention is a folder or a file whose code may use the word.
type mention struct{ path, reason string }

// mentions are all of them. Comments may use the word anywhere; so may tests, which need a database for an example, and
// generated code.
func mentions() []mention {
	return []mention{
		{"internal/target/hbase", "the target itself"},
		{"internal/target/all/all.go", "its registration"},
		{"internal/sandbox", "the sandbox speaks its protocols"},
		{"cmd/benchd/sandbox.go", "the command that starts a sandbox prints how its clients reach it"},
		{"cmd/benchctl/fault.go", "the help of a sandbox's faults names tables that they leave alone"},
		{"cmd/benchctl/sandbox.go", "the help of a sandbox's commands compares it with HBase"},
		{"internal/spec/keys.go", "asynchbase. is the prefix of the properties of another binding of YCSB"},
	}
}

// covers reports whether the mention is about a file.
func (m mention) covers(f file) bool { return within(f.path, m.path) }

// words finds code that uses a word outside of the allowed folders and files: in an identifier, a text, the path of an import,
// or its own path.
func words(t tree, word string, allowed []mention) []finding {
	var found []finding
	for _, f := range t.files {
		if f.test() || f.generated() || within(f.path, "test") || slices.ContainsFunc(allowed, func(m mention) bool { return m.covers(f) }) {
			continue
		}
		for _, pos := range uses(t, f, word) {
			found = append(found, t.at(f, pos, "it names %s: move that to the target's folder, or ask the target's description", word))
		}
	}
	return found
}

// uses returns the first place of each line where a file uses a word, in any case.
func uses(t tree, f file, word string) []token.Pos {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), word) }
	var at []token.Pos
	if has(f.path) {
		at = append(at, f.syntax.Package)
	}
	line := 0
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		used := false
		switch n := n.(type) {
		case *ast.Ident:
			used = has(n.Name)
		case *ast.BasicLit:
			used = n.Kind == token.STRING && has(n.Value)
		}
		if used && t.fset.Position(n.Pos()).Line != line {
			line = t.fset.Position(n.Pos()).Line
			at = append(at, n.Pos())
		}
		return true
	})
	return at
}

// Every mention covers a use.
func TestEveryMentionIsNeeded(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	for _, m := range mentions() {
		assert.NotEmpty(t, m.reason, m.path)
		assert.True(t, slices.ContainsFunc(tree.files, func(f file) bool {
			return m.covers(f) && len(uses(tree, f, database)) > 0
		}), "%s does not name %s any more", m.path, database)
	}
}
