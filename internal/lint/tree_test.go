//go:build !race

package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree is all Go files below a module's root.
type tree struct {
	fset  *token.FileSet
	files []file
}

type file struct {
	path   string // below the root, with slashes
	syntax *ast.File
	lines  int
}

func (f file) dir() string     { return path.Dir(f.path) }
func (f file) test() bool      { return strings.HasSuffix(f.path, "_test.go") }
func (f file) generated() bool { return ast.IsGenerated(f.syntax) }

// constrained reports whether the file has this build constraint.
func (f file) constrained(constraint string) bool {
	return slices.ContainsFunc(f.syntax.Comments, func(group *ast.CommentGroup) bool {
		return group.End() < f.syntax.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return c.Text == "//go:build "+constraint })
	})
}

// finding is a broken rule and its place.
type finding struct {
	path string
	line int
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text) }

func (t tree) at(f file, pos token.Pos, format string, args ...any) finding {
	return finding{f.path, t.fset.Position(pos).Line, fmt.Sprintf(format, args...)}
}

// readTree parses every Go file below root, except other modules, testdata, and folders that Go itself ignores.
func readTree(root string) (tree, error) {
	t := tree{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && foreign(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		syntax, err := parser.ParseFile(t.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		t.files = append(t.files, file{filepath.ToSlash(rel), syntax, t.fset.File(syntax.FileStart).LineCount() - 1})
		return nil
	})
	return t, err
}

func foreign(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
