package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// constants are the values of the constants of a type in a file.
func constants(t *testing.T, file, kind string) (values []string) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(syntax, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if of, named := v.Type.(*ast.Ident); named && of.Name == kind {
				values = append(values, v.Values[0].(*ast.BasicLit).Value)
			}
		}
		return true
	})
	return values
}

// The reference of both programs, which Reference writes, has every exit code, and each has a meaning of its own.
func TestExitCodesAreDocumented(t *testing.T) {
	var codes, meanings []string
	for _, code := range Codes() {
		codes = append(codes, strconv.Itoa(int(code)))
		meanings = append(meanings, code.Meaning())
	}
	require.Equal(t, constants(t, "exit.go", "Code"), codes)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(meanings))), len(codes))
	require.NotContains(t, meanings, Code(99).Meaning())
	for _, document := range []string{"docs/benchctl.md", "docs/benchd.md"} {
		require.Empty(t, differingCodes(doctable.Read(t, document), codes), document)
	}
	// The test of the test: a code that is removed or invented is found.
	text := doctable.Read(t, "docs/benchctl.md")
	removed := regexp.MustCompile("(?m)^\\| `4` \\|.*\n").ReplaceAllString(text, "")
	require.Equal(t, []string{"4 is not documented"}, differingCodes(removed, codes))
	require.Equal(t, []string{"6 does not exist"}, differingCodes(strings.Replace(text, "| `4` |", "| `6` | invented |\n| `4` |", 1), codes))
}

// differingCodes compares the table of exit codes of a document with the code, both ways.
func differingCodes(text string, codes []string) (found []string) {
	documented := doctable.Tables(doctable.Section(text, "## Exit codes"))[0].Names(0)
	for _, code := range codes {
		if !slices.Contains(documented, code) {
			found = append(found, code+" is not documented")
		}
	}
	for _, code := range documented {
		if !slices.Contains(codes, code) {
			found = append(found, code+" does not exist")
		}
	}
	return found
}

// A sentence that lists the exit codes, in a document or in the help, lists all of them.
func TestSentencesWithExitCodesHaveAll(t *testing.T) {
	lists := regexp.MustCompile(`(?s)(?:Exit codes\**:|退出码\**[:：])(.*?)(?:\n\n|$)`)
	numbers := regexp.MustCompile(`\b\d\b`)
	found := 0
	for _, document := range []string{"README.md", "README.zh-CN.md", "docs/benchctl.md", "docs/benchd.md"} {
		for _, list := range lists.FindAllStringSubmatch(doctable.Read(t, document), -1) {
			require.Equal(t, constants(t, "exit.go", "Code"), numbers.FindAllString(list[1], -1), "%s: %s", document, list[1])
			found++
		}
	}
	require.NotZero(t, found)
}
