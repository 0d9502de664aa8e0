//go:build !race

package lint

import (
	"cmp"
	"flag"
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

var update = flag.Bool("update", false, "rewrite the golden file")

// inspect runs every check over the module below root and returns its findings as lines, in the order of the files. Allowed are the
// exceptions to the word list.
func inspect(t *testing.T, root string, allowed []exception) []string {
	t.Helper()
	tree, err := readTree(root)
	require.NoError(t, err)
	unplain, _, err := avoidedWords(root, newWordList(doctable.Read(t, "CONTRIBUTING.md")), allowed)
	require.NoError(t, err)
	found := slices.Concat(
		unplain,
		arrows(tree, expand(layers(), databasesOf(tree)), strangers()),
		words(tree, namesOf(tree), mentions()),
		sizes(tree),
		leftovers(tree),
		sleepingTests(tree),
		unraced(tree),
		undocumentedPackages(tree),
		clocks(tree),
	)
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = f.String()
	}
	return lines
}

// The module follows its own rules.
func TestRules(t *testing.T) {
	for _, line := range inspect(t, "../..", exceptions()) {
		t.Error(line)
	}
}

// The test of the test: in a tree where each rule is broken, it finds exactly these violations.
func TestBrokenRulesAreFound(t *testing.T) {
	const golden = "testdata/broken.txtar"
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, txtar.Write(archive, root))
	grow(t, filepath.Join(root, "internal", "load", "load.go"))

	got := strings.Join(inspect(t, root, nil), "\n") + "\n"
	want := &archive.Files[len(archive.Files)-1]
	require.Equal(t, "want", want.Name, "the last section")
	if *update {
		want.Data = []byte(got)
		require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
	}
	require.Equal(t, string(want.Data), got)
}

// grow appends to a file the lines that make it too long.
func grow(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, append(text, strings.Repeat("\n", maxLines)...), 0o600))
}

// Every import that the table allows beside a part is of a part of the same layer, and there are no cycles.
func TestTableIsSound(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	a := newAtlas(expand(layers(), databasesOf(tree)))
	for name, p := range a {
		for _, next := range p.beside {
			require.Contains(t, a, next, "beside %s", name)
			require.Equal(t, p.depth, a[next].depth, "%s is not beside %s", next, name)
		}
		for _, importer := range p.only {
			require.Contains(t, a, importer, "importers of %s", name)
		}
		require.False(t, a.beside(name, name), "%s leads back to itself", name)
	}
}

// The linter's configuration, which is coarser, has every part of the table: its files as importers, and its packages as imports that
// lower layers must not use.
func TestLinterHasEveryPart(t *testing.T) {
	text, err := os.ReadFile("../../.golangci.yml")
	require.NoError(t, err)
	parts := newAtlas(layers())
	for name, p := range parts {
		name := regexp.MustCompile(`^target/\w+/\w+spec$`).ReplaceAllString(name, "target/*/*spec")
		if outer, _, inner := strings.Cut(name, "/"); inner && parts[outer].layer == p.layer {
			continue // the rules of the outer part cover it
		}
		if p.layer != "commands" && name != "wire" && !strings.HasPrefix(name, "gen/") {
			require.Contains(t, string(text), `"**/internal/`+name+`/**"`, "the files of %s", name)
		}
		if p.layer != "ideas" && p.layer != "aside" && name != "cmd" && name != "configs" && name != "test" {
			require.Contains(t, string(text), module+"internal/"+name+",", "imports of %s", name)
		}
	}
}
