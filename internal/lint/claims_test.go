//go:build !race

package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claim finds words of comparison in texts for users.
var claim = regexp.MustCompile(`(?i)\b(steady|stable|equal to|faster|slower|better|worse|significant(ly)?|improve[sd]?|improvement|regressed|regression|degraded|no difference|as fast as)\b`)

// claimants are the functions that may use such a word, with the test that their text names or repeats (law 8).
func claimants() map[string]string {
	return map[string]string{
		"internal/report/benchfmt.go benchmarkUnits":         "benchstat's word for the direction of a unit; benchstat tests",
		"internal/report/comparisonbook.go ComparisonBook":   "compare.Comparison: the question, which the outcomes answer; the report has the method",
		"internal/report/comparisonbook.go outcomeText":      "compare.Outcome: the outcome mixed, in the words of the sentence of its case",
		"internal/coordinator/conductor/warmup.go finished":  "stats.Steady: the text is that of the verdict steady, which names test, sample and interval",
		"internal/coordinator/conductor/warmup.go outOfTime": "stats.Steady: likewise, where it was not reached",
		"internal/cli/view/plain.go line":                    "stats.Steady: how far its test has come, as a question",
		"internal/cli/view/render.go header":                 "stats.Steady: how far its test has come, as a question",
		"internal/report/points.go Warnings":                 "Fetched.Lost: the count of points that agents dropped because their disks did not keep up",
		"internal/coordinator/metrics.go newClocks":          "clock.Line: the help of a metric, whose value is the fitted drift of an agent's clock",
	}
}

// claims lists the functions of a file that use such words.
func claims(name string, source any) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	var found []string
	for _, d := range file.Decls {
		function := "outside of functions"
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				isName := !strings.Contains(text, " ") // of a verdict, a property or a value
				if err == nil && !isName && claim.MatchString(text) {
					found = append(found, filepath.ToSlash(name)+" "+function)
				}
			}
			return true
		})
	}
	return found, nil
}

// Law 8: a claim in what a user reads is printed only by code that tested it, and names the test.
func TestAClaimInAReportNamesItsTest(t *testing.T) {
	root := filepath.Join("..", "..")
	allowed := claimants()
	used := make(map[string]bool)
	files := 0
	for _, part := range []string{"report", "table", "stats", "result", "record", "results", "coordinator", "lifecycle", "promexport", "cli/view"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, "internal", filepath.FromSlash(part)), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			source, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("read source: %w", err)
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return fmt.Errorf("name source: %w", err)
			}
			found, err := claims(name, source)
			for _, place := range found {
				used[place] = true
				assert.Contains(t, allowed, place, "it makes a claim; let a verdict make it, with its test, or name the test in claimants")
			}
			return err
		}))
	}
	require.Greater(t, files, 80)
	for place := range allowed {
		require.True(t, used[place], "%s makes no claim: remove it from claimants", place)
	}
}

func TestAClaimWithoutATestIsFound(t *testing.T) {
	found, err := claims("internal/report/x.go", "package report\nfunc note() string { return \"case b is faster than case a\" }\n")
	require.NoError(t, err)
	require.Equal(t, []string{"internal/report/x.go note"}, found)
	require.NotContains(t, claimants(), found[0])
	found, err = claims("internal/report/x.go", "package report\nfunc note() string { return \"steady\" }\n")
	require.NoError(t, err)
	require.Empty(t, found)
}
