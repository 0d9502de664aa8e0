//go:build !race

package lint

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxLines is the largest number of lines in a file.
const maxLines = 600

// sizes finds files that are too large. Generated files and tests are exempt.
func sizes(t tree) []finding {
	var found []finding
	for _, f := range t.files {
		if f.lines > maxLines && !f.generated() && !f.test() {
			found = append(found, t.at(f, f.syntax.FileStart, "%d lines, above %d: split it", f.lines, maxLines))
		}
	}
	return found
}

// leftovers finds comments that defer work. The words are split here, so that a search for them does not find this file.
func leftovers(t tree) []finding {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)
	var found []finding
	for _, f := range t.files {
		if f.generated() {
			continue
		}
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				if word := later.FindString(c.Text); word != "" {
					found = append(found, t.at(f, c.Pos(), "%s: do it, or open an issue", word))
				}
			}
		}
	}
	return found
}

// sleepingTests finds tests that skip themselves, or sleep instead of waiting for a condition.
func sleepingTests(t tree) []finding {
	skips := []string{"Skip", "Skipf", "SkipNow"}
	holders := []string{"t", "b", "f", "tb"}
	var found []finding
	for _, f := range t.files {
		if !f.test() {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			holder, ok := selector.X.(*ast.Ident)
			switch {
			case !ok:
			case slices.Contains(holders, holder.Name) && slices.Contains(skips, selector.Sel.Name):
				found = append(found, t.at(f, n.Pos(), "a test must not skip: one that cannot run has failed"))
			case holder.Name == "time" && selector.Sel.Name == "Sleep":
				found = append(found, t.at(f, n.Pos(), "a test must not sleep: wait for its condition"))
			}
			return true
		})
	}
	return found
}

// unraced finds what may run at the same time as something else in tests that the race detector never sees: those of files that
// have the line "//go:build !race". It looks at those files only, and cannot see into the code that they test.
func unraced(t tree) []finding {
	meanwhile := []string{"golang.org/x/sync/errgroup", "net/http/httptest", "sync", "sync/atomic", "testing/synctest"}
	var found []finding
	for _, f := range t.files {
		if !f.test() || !f.constrained("!race") {
			continue
		}
		add := func(n ast.Node, what string) {
			found = append(found, t.at(f, n.Pos(), "%s in a file that is left out with -race: only tests that compute one after another may be there", what))
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				add(n, "a go statement")
			case *ast.ImportSpec:
				if name := strings.Trim(n.Path.Value, `"`); slices.Contains(meanwhile, name) {
					add(n, "the import of "+name)
				}
			case *ast.SelectorExpr:
				if holder, ok := n.X.(*ast.Ident); ok && holder.Name == "t" && n.Sel.Name == "Parallel" {
					add(n, "t.Parallel")
				}
			}
			return true
		})
	}
	return found
}

// undocumentedPackages finds packages without a doc comment. Generated packages, and those with only tests, are exempt.
func undocumentedPackages(t tree) []finding {
	first := map[string]file{}
	documented := map[string]bool{}
	for _, f := range t.files {
		if f.test() || f.generated() {
			continue
		}
		if _, seen := first[f.dir()]; !seen {
			first[f.dir()] = f
		}
		if documents(f) {
			documented[f.dir()] = true
		}
	}
	var found []finding
	for dir, f := range first {
		if !documented[dir] {
			found = append(found, t.at(f, f.syntax.Package, "package %s has no doc comment", f.syntax.Name.Name))
		}
	}
	return found
}

// documents reports whether a file has the doc comment of its package: "Package plan …", and for a command "Benchd …".
func documents(f file) bool {
	name := "Package " + f.syntax.Name.Name
	if f.syntax.Name.Name == "main" {
		base := path.Base(f.dir())
		name = strings.ToUpper(base[:1]) + base[1:]
	}
	return strings.HasPrefix(f.syntax.Doc.Text(), name+" ")
}

// clocked are the folders whose code follows the rule of package clock: durations by the monotonic clock, dates by the
// injected wall clock.
func clocked() []string {
	return []string{"agent", "archive", "coordinator", "dev", "doctor", "promexport", "observe", "record", "remote", "results"}
}

// clocks finds readings of time.Now and the like in those folders. Tests may use them.
func clocks(t tree) []finding {
	readings := []string{"Now", "Since", "Until"}
	var found []finding
	for _, f := range t.files {
		part, _, _ := strings.Cut(strings.TrimPrefix(f.path, "internal/"), "/")
		if f.test() || f.generated() || !strings.HasPrefix(f.path, "internal/") || !slices.Contains(clocked(), part) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if holder, ok := selector.X.(*ast.Ident); ok && holder.Name == "time" && slices.Contains(readings, selector.Sel.Name) {
				found = append(found, t.at(f, n.Pos(), "time.%s: durations need clock.Mono, dates Source.Wall", selector.Sel.Name))
			}
			return true
		})
	}
	return found
}
