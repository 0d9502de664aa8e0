//go:build !race

package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The laws in ARCHITECTURE.md name tests that exist, at least one for each, and comments name laws that exist.
func TestEveryLawNamesTestsThatExist(t *testing.T) {
	const laws = 10
	root := filepath.Join("..", "..")
	content, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(content), "## Laws of measurement\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	for n := range laws {
		require.Contains(t, section, "\n"+strconv.Itoa(n+1)+". **", "the law itself")
	}

	var tests, sources strings.Builder
	for _, dir := range []string{"internal", "cmd"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, filepath.Join(root, "internal", "gen")) {
				return err
			}
			source, err := os.ReadFile(path)
			if strings.HasSuffix(path, "_test.go") {
				tests.Write(source)
			}
			sources.Write(source)
			return err
		}))
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \|.*\| ([^|]+) \|$`)
	name := regexp.MustCompile(`\bTest[A-Z]\w+`)
	named := make(map[string]bool)
	for _, found := range row.FindAllStringSubmatch(section, -1) {
		names := name.FindAllString(found[2], -1)
		require.NotEmpty(t, names, found[0])
		for _, test := range names {
			require.Contains(t, tests.String(), "func "+test+"(", "law %s", found[1])
		}
		named[found[1]] = true
	}
	require.Len(t, named, laws)
	for _, found := range regexp.MustCompile(`\b[lL]aws? (\d+)\b`).FindAllStringSubmatch(sources.String(), -1) {
		n, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		require.True(t, 1 <= n && n <= laws, found[0])
	}
}
