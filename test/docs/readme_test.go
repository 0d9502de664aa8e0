package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The READMEs stay short, and show each picture in both themes.
func TestReadmesAreShortAndShowThePictures(t *testing.T) {
	for name, pictures := range map[string][]string{
		"README.md":       {"terminal", "architecture"},
		"README.zh-CN.md": {"terminal", "architecture.zh"},
	} {
		content, err := os.ReadFile("../../" + name)
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(content), "\n"), 150, name)
		var shown []string
		for _, found := range regexp.MustCompile(`(?:src|srcset)="([^"]+)"`).FindAllStringSubmatch(string(content), -1) {
			require.FileExists(t, "../../"+found[1], name)
			shown = append(shown, found[1])
		}
		var want []string
		for _, picture := range pictures {
			want = append(want, "docs/images/"+picture+"-dark.svg", "docs/images/"+picture+"-light.svg")
		}
		require.Equal(t, want, shown, name)
	}
}
