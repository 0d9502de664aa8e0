package scripts

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeGo lists two packages with targets, and writes the targets that it is asked to fuzz into a file.
const fakeGo = `#!/usr/bin/env bash
if [[ $2 == -list ]]; then
	printf 'FuzzA\nFuzzB\nok  \texample.org/one\t0.1s\nok  \texample.org/none\t0.1s\nFuzzA\nok  \texample.org/two\t0.1s\n'
	exit
fi
echo "$*" >>fuzzed
[[ "$*" != *'^FuzzB$'* ]]
`

// The fuzz step finds all targets by their names, and continues after one that fails.
func TestAllFuzzTargetsAreRun(t *testing.T) {
	c := newCheckout(t, "fuzz")
	c.write(filepath.Join(c.bin, "go"), fakeGo)
	stdout, stderr, code := c.run("bash", "scripts/fuzz", "2m", "./...")
	require.Empty(t, stderr)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "2 fuzz targets passed, 1 failed")
	content, err := os.ReadFile(filepath.Join(c.dir, "fuzzed"))
	require.NoError(t, err)
	fuzzed := string(content)
	for _, want := range []string{"-fuzz ^FuzzA$ -fuzztime 2m", "-fuzz ^FuzzB$ -fuzztime 2m"} {
		require.Contains(t, fuzzed, want)
	}
	require.Equal(t, 3, strings.Count(fuzzed, "\n"))
	for _, of := range []string{"example.org/one\n", "example.org/two\n"} {
		require.Contains(t, fuzzed, of)
	}
}

// The fuzz step builds without tags, so a target behind one would never run. Each target has seeds.
func TestFuzzTargetsHaveNoTagAndSeeds(t *testing.T) {
	targets := 0
	for _, top := range []string{"cmd", "internal", "test"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, is := decl.(*ast.FuncDecl)
				if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") {
					continue
				}
				targets++
				require.False(t, tagged(file), "%s: %s is behind a tag", path, f.Name.Name)
				require.True(t, seeded(f), "%s: %s has no seeds", path, f.Name.Name)
			}
			return nil
		}))
	}
	require.Greater(t, targets, 70)
}

// tagged reports whether a file is built with a tag only.
func tagged(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				return true
			}
		}
	}
	return false
}

// seeded reports whether a target adds seeds, by itself or by a function of the name seeds.
func seeded(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		name, is := n.(*ast.Ident)
		found = found || is && (name.Name == "Add" || name.Name == "seeds")
		return !found
	})
	return found
}
