//go:build !race

package lint

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// troubleshooting explains messages; users search it for what a program printed.
const troubleshooting = "docs/troubleshooting.md"

// Each message that the document quotes is one that the code can print: every part between two … is in a text of the code.
func TestQuotedMessagesAreInTheCode(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	texts := textsOf(tree)
	quoted := 0
	for line := range strings.Lines(doctable.Read(t, troubleshooting)) {
		if !strings.HasPrefix(line, "- `") {
			continue
		}
		for _, message := range doctable.Names(line) {
			quoted++
			for _, part := range absent(message, texts) {
				assert.Fail(t, "message is not in the code", "%s quotes %q, and no text of the code contains %q", troubleshooting, message, part)
			}
		}
	}
	require.Greater(t, quoted, 40)
}

func TestAMessageThatWasReworded(t *testing.T) {
	texts := []string{"no agent %q: `benchctl agents` lists them", "; the limit is %d"}
	require.Empty(t, absent("no agent …: …", texts))
	require.Empty(t, absent("no agent … found no row; the limit is …", append(texts, "found no row")))
	require.Equal(t, []string{"there is no agent"}, absent("there is no agent …; the limit is …", texts))
}

// absent returns the parts of a message that no text contains. Parts end at … and at semicolons, where messages are composed.
func absent(message string, texts []string) []string {
	var found []string
	for _, part := range regexp.MustCompile(`\s*…\s*|; `).Split(message, -1) {
		part = strings.Trim(part, " ():,;")
		if part != "" && !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) }) {
			found = append(found, part)
		}
	}
	return found
}

// textsOf returns the texts of the code, without tests. A text that + composes is one text.
func textsOf(t tree) []string {
	var texts []string
	for _, f := range t.files {
		if f.test() || f.generated() || within(f.path, "test") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			expr, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if text, ok := textOf(expr); ok {
				texts = append(texts, text)
			}
			return true
		})
	}
	return texts
}

// textOf returns the text of a literal, or of a sum with at least one. What else is added counts as a gap.
func textOf(expr ast.Expr) (string, bool) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftOK := textOf(e.X)
		right, rightOK := textOf(e.Y)
		if e.Op == token.ADD && leftOK && rightOK {
			return left + right, true
		}
		if e.Op == token.ADD && (leftOK || rightOK) {
			return left + "\x00" + right, true
		}
	}
	return "", false
}
