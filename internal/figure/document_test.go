package figure_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/figure"
)

// Both documented lists of figures are those of the vocabulary. The columns of a target are documented there, too; a test
// beside the target's description checks them.
func TestFiguresAreDocumented(t *testing.T) {
	for path, heading := range map[string]string{"../../docs/reports.md": "## Figures\n", "../../docs/suites.md": "A column is one of these;"} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		_, text, ok := strings.Cut(string(content), heading)
		require.True(t, ok, "%s has %q", path, heading)
		text, _, _ = strings.Cut(text, "\n## ")
		require.Empty(t, differences(text), path)
	}
}

// differences finds a figure that is not documented, and one that does not exist.
func TestADifferenceOfTheDocumentationIsFound(t *testing.T) {
	var rows strings.Builder
	for _, f := range figure.New(nil).OfRuns() {
		rows.WriteString("| `" + f.Name + f.Time.Suffix + "` | |\n")
	}
	for _, s := range figure.Stats() {
		rows.WriteString("| `" + s.Name + "` | |\n")
	}
	require.Empty(t, differences(rows.String()))
	require.Equal(t, []string{"qps_low is not documented"}, differences(strings.Replace(rows.String(), "`qps_low`", "qps_low", 1)))
	require.Equal(t, []string{"p999 is not documented"}, differences(strings.Replace(rows.String(), "`p999`", "", 1)))
	require.Equal(t, []string{"there is no figure read_p98_us"}, differences(rows.String()+"| `read_p98_us` | |\n"))
}

// differences compares the rows of a table with the vocabulary.
func differences(text string) []string {
	var words, found []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			for _, quoted := range regexp.MustCompile("`[^`]+`|\\bp[0-9]+\\b").FindAllString(line, -1) {
				words = append(words, strings.Trim(quoted, "`"))
			}
		}
	}
	for _, f := range figure.New(nil).OfRuns() {
		has := func(word string) bool {
			base, unit := figure.Split(word)
			return word == f.Name && f.Time == (figure.Unit{}) || base == f.Name && unit != (figure.Unit{}) && f.Time != (figure.Unit{})
		}
		if !slices.ContainsFunc(words, has) {
			found = append(found, f.Name+" is not documented")
		}
	}
	for _, s := range figure.Stats() {
		has := func(word string) bool {
			base, _ := figure.Split(word)
			return base == s.Name || strings.HasSuffix(base, "_"+s.Name)
		}
		if !slices.ContainsFunc(words, has) {
			found = append(found, s.Name+" is not documented")
		}
	}
	for _, word := range words {
		if c := figure.New(nil).Parse(word); c.LooksLikeFigure() && !c.Measured() && !strings.HasPrefix(word, "<op>") && !strings.HasPrefix(word, "OP_") {
			found = append(found, "there is no figure "+word)
		}
	}
	return found
}
