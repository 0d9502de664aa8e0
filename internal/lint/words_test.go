//go:build !race

package lint

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ordinary are names of targets that also have another meaning in code.
func ordinary() map[string]string {
	return map[string]string{
		"null":  "the null of JSON and SQL",
		"basic": "basic authentication of HTTP",
	}
}

// name is a word for a database: the name of its folder below internal/target, also as a part of a word, or one of its aliases,
// as a word of its own. Code may use it in that folder only, except for the mentions.
type name struct {
	word, folder string
	used         *regexp.Regexp
}

// namesOf returns the names of the targets: their folders, and the aliases of their descriptions.
func namesOf(t tree) []name {
	var names []name
	for _, folder := range databasesOf(t) {
		dir := "internal/target/" + folder
		words := map[string]bool{folder: true}
		for _, f := range t.files {
			if f.dir() == dir+"/"+folder+"spec" && !f.test() {
				for _, alias := range aliases(f) {
					words[strings.ToLower(alias)] = true
				}
			}
		}
		for _, word := range slices.Sorted(maps.Keys(words)) {
			if ordinary()[word] != "" || word != folder && strings.Contains(word, folder) && ordinary()[folder] == "" {
				continue
			}
			used := regexp.QuoteMeta(word)
			if word != folder {
				used = `(^|[^a-z0-9])` + used + `($|[^a-z0-9])`
			}
			names = append(names, name{word, dir, regexp.MustCompile(used)})
		}
	}
	return names
}

// aliases are those of the descriptions in a file.
func aliases(f file) (list []string) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, ok := field.Key.(*ast.Ident)
		values, isList := field.Value.(*ast.CompositeLit)
		if ok && isList && key.Name == "Aliases" {
			for _, value := range values.Elts {
				if alias := literal(value, nil); alias != "" {
					list = append(list, alias)
				}
			}
		}
		return true
	})
	return list
}

// mention is a folder or a file whose code may name a database, or each of them if word is empty.
type mention struct{ path, word, reason string }

// mentions are all of them. Comments may name databases anywhere; so may tests, which need a database for an example, and
// generated code.
func mentions() []mention {
	return []mention{
		{"internal/target/all/all.go", "", "the list of the targets"},
		{"internal/sandbox", "hbase", "the sandbox speaks its protocols"},
		{"cmd/benchd/sandbox.go", "hbase", "the command that starts a sandbox prints how its clients reach it"},
		{"cmd/benchctl/fault.go", "hbase", "the help of a sandbox's faults names tables that they leave alone"},
		{"cmd/benchctl/sandbox.go", "hbase", "the help of a sandbox's commands compares it with HBase"},
		{"cmd/benchd/archive.go", "postgres", "the help of the commands for archives, which can be in a PostgreSQL database"},
		{"cmd/benchd/copy.go", "postgres", "the help of the command that copies an archive into such a database"},
		{"cmd/benchd/coordinator.go", "postgres", "the help of --archive, which names such a database"},
		{"cmd/benchd/place.go", "postgres", "it opens such an archive"},
		{"cmd/benchd/shared.go", "postgres", "it opens such an archive, which coordinators share"},
		{"internal/archive/postgres", "postgres", "an archive in a PostgreSQL database"},
		{"internal/spec/keys.go", "", "the prefixes of the properties of YCSB's bindings"},
		{"internal/target/sequoiadb/wire/sysinfo.go", "mongodb", "SequoiaDB has a port with MongoDB's protocol"},
		{"internal/target/sequoiadb/sequoiadbtest", "mongodb", "the module of MongoDB's driver encodes BSON"},
	}
}

// covers reports whether the mention is about a name in a file.
func (m mention) covers(f file, n name) bool {
	return within(f.path, m.path) && (m.word == "" || m.word == n.word)
}

// inTests reports whether a file is only for tests: those of test, and the packages NAMEtest.
func (f file) inTests() bool {
	return f.test() || within(f.path, "test") || strings.HasPrefix(f.path, "internal/") && strings.HasSuffix(f.dir(), "test")
}

// words finds code that names a database outside of the allowed folders and files: in an identifier, a text, the path of an import,
// or its own path.
func words(t tree, names []name, allowed []mention) []finding {
	var found []finding
	for _, f := range t.files {
		if f.inTests() || f.generated() {
			continue
		}
		for _, n := range names {
			if within(f.path, n.folder) || slices.ContainsFunc(allowed, func(m mention) bool { return m.covers(f, n) }) {
				continue
			}
			for _, pos := range uses(t, f, n) {
				found = append(found, t.at(f, pos, "it names %s: move that to the target's folder, or ask the target's description", n.word))
			}
		}
	}
	return found
}

// uses returns the first place of each line where a file uses a name, in any case.
func uses(t tree, f file, name name) []token.Pos {
	has := func(text string) bool { return name.used.MatchString(strings.ToLower(text)) }
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
	names := namesOf(tree)
	for _, m := range mentions() {
		assert.NotEmpty(t, m.reason, m.path)
		assert.True(t, slices.ContainsFunc(tree.files, func(f file) bool {
			return slices.ContainsFunc(names, func(n name) bool { return m.covers(f, n) && len(uses(tree, f, n)) > 0 })
		}), "%s does not name %s any more", m.path, m.word)
	}
}

// Each ordinary word is one of a target.
func TestEveryOrdinaryWordIsNeeded(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	known := databasesOf(tree)
	for _, f := range tree.files {
		if within(f.path, "internal/target") && !f.test() {
			known = append(known, aliases(f)...)
		}
	}
	for word := range ordinary() {
		assert.Contains(t, known, word)
	}
}

// A database is two lines of code outside of its folder: an import and an entry of the list of targets. HBase is older than this rule, and
// null has another meaning, too.
func TestADatabaseIsTwoLinesElsewhere(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	prefixes := "internal/spec/keys.go" // of YCSB's bindings, which no database added
	counted := 0
	for _, n := range namesOf(tree) {
		if n.folder != "internal/target/"+n.word || n.word == "hbase" {
			continue
		}
		counted++
		lines := make(map[string]int)
		for _, f := range tree.files {
			listed := slices.ContainsFunc(mentions(), func(m mention) bool { return m.word != "" && m.covers(f, n) }) // with a reason
			if !f.inTests() && !f.generated() && f.path != prefixes && !listed && !within(f.path, n.folder) {
				if found := len(uses(tree, f, n)); found > 0 {
					lines[f.path] = found
				}
			}
		}
		assert.Equal(t, map[string]int{"internal/target/all/all.go": 2}, lines, n.word)
	}
	require.Positive(t, counted)
}
