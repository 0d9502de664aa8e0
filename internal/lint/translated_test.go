//go:build !race

package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// code is the lines of all blocks of a document, without their comments, which are in its language.
func code(text string) []string {
	var lines []string
	for _, block := range doctable.Blocks(text) {
		for line := range strings.Lines(block.Text) {
			if line = strings.Join(strings.Fields(uncommented(strings.TrimRight(line, "\n"))), " "); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// strays finds the first line of code in which a translation and its original differ; "" where all of it is the same.
func strays(original, translation string) string {
	a, b := code(original), code(translation)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("%q is only in the translation", b[i])
		case i >= len(b):
			return fmt.Sprintf("%q is only in the original", a[i])
		case a[i] != b[i]:
			return fmt.Sprintf("the original has %q, the translation %q", a[i], b[i])
		}
	}
	return ""
}

// A page in Chinese has the commands of the page in English, which test/e2e runs.
func TestTranslatedPagesHaveTheSameCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/zh/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		name := filepath.Base(page)
		translation, err := os.ReadFile(page)
		require.NoError(t, err)
		original, err := os.ReadFile("../../docs/" + name)
		require.NoError(t, err, "docs/zh/%s is a translation of nothing", name)
		require.Empty(t, strays(withoutCommands(string(original)), string(translation)), "docs/%s and docs/zh/%s", name, name)
	}
}

// The test of the test: a command that only one of them has, or has otherwise, is found.
func TestACommandOfOneLanguageIsFound(t *testing.T) {
	const original = "# A\n\n```\nrun -x   # why\n\n# to do that\nrun -y\n```\n"
	require.Empty(t, strays(original, strings.NewReplacer("why", "为什么", "to do that", "为此").Replace(original)))
	require.NotEmpty(t, strays(original, strings.Replace(original, "run -x", "run -z", 1)))
	require.NotEmpty(t, strays(original, strings.Replace(original, "run -y", "", 1)))
	require.NotEmpty(t, strays(original, strings.Replace(original, "run -y", "run -y\nrun", 1)))
}
