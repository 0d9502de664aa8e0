package phrase

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sentencePackages are the packages whose sentences reach a report.
func sentencePackages() []string {
	return []string{
		"bottleneck", "capacity", "compare", "foreign", "incident", "lifecycle", "record", "report", "report/draw", "result", "search", "stats", "table",
		"coordinator/conductor", "coordinator/conductor/actions", "target/*/watch",
	}
}

// A sentence of the code has a translation, or is in the list of those that no report has.
func TestSentencesHaveATranslation(t *testing.T) {
	c, err := load("zh")
	require.NoError(t, err)
	var lines []string
	for _, e := range c.entries {
		all, err := alternatives(e.english)
		require.NoError(t, err)
		lines = append(lines, all...)
	}
	catalogue := strings.Join(lines, "\n")
	file, err := os.ReadFile("testdata/not-in-reports.txt")
	require.NoError(t, err)
	elsewhere := string(file)
	patterns := []string{"target/*/*/terms.go"} // what workloads do on targets
	for _, folder := range sentencePackages() {
		patterns = append(patterns, folder+"/*.go")
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob("../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, text := range literalsOf(t, files, false) {
			for _, f := range fragments(text) {
				if f = strings.Join(strings.Fields(f), " "); len(strings.Fields(f)) < 3 || strings.Contains(catalogue, f) || strings.Contains(elsewhere, f) {
					continue
				}
				assert.Fail(t, "a sentence without a translation", "%s: %q", pattern, f)
			}
		}
	}
}
