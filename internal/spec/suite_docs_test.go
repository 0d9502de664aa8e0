package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test submits the examples of docs/suites.md as a reader would.
func TestTheExamplesInTheDocumentationAreSuites(t *testing.T) {
	content, err := os.ReadFile("../../docs/suites.md")
	require.NoError(t, err)
	parts := strings.Split(string(content), "```yaml\n")
	require.Greater(t, len(parts), 2)
	attachments := make(map[string][]byte)
	var suites []string
	for _, part := range parts[1:] {
		text, _, ok := strings.Cut(part, "```")
		require.True(t, ok)
		if name, found := strings.CutPrefix(text, "# "); found && strings.HasPrefix(name, "common.yaml") {
			attachments["common.yaml"] = []byte(text)
			continue
		}
		suites = append(suites, text)
	}
	require.Len(t, attachments, 1)
	var keys strings.Builder
	for _, text := range suites {
		for _, trial := range []bool{false, strings.Contains(text, "\ntrial:")} {
			_, _, err := reader().Parse(Submission{Suite: &File{Name: "suites.md", Content: []byte(text)}, Attachments: attachments, Trial: trial})
			require.NoError(t, err, text)
		}
		keys.WriteString(text)
	}
	for _, key := range []string{
		"suite", "note", "tags", "include", "variables", "properties", "targets", "datasets", "scenarios", "order", "on-failure", "schedule", "every", "cron", "timezone", "tables", "trial",
		"name", "dataset", "matrix", "cases", "repeats", "agents", "actions", "before", "search", "published", "load", "title", "columns",
		"charts", "kind", "x", "y", "telemetry", "by", "only", "limits",
	} {
		require.Contains(t, keys.String(), key+":", "every key has its example")
		require.Contains(t, parts[0]+string(content), "| `"+key+"`", "every key is documented")
	}
}
