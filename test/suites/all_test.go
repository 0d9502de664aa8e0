package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/doctable"
)

// Every suite in configs/suites is accepted without a warning, has a trial, and is named by a document or shows its own commands.
func TestEverySuiteAndItsTrialAreAccepted(t *testing.T) {
	found, err := filepath.Glob(folder + "*.yaml")
	require.NoError(t, err)
	count := 0
	for _, path := range found {
		name := filepath.Base(path)
		if name == "published.yaml" {
			continue // figures, no suite
		}
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(content), "\ntrial:")
			require.Contains(t, string(content), "#   benchctl submit -f configs/suites/"+name, "its head shows how to submit it")
			require.NotEmpty(t, read(t, name, false).Cases)
			require.NotEmpty(t, read(t, name, true).Cases)
		})
		count++
	}
	require.GreaterOrEqual(t, count, 10)
}

// Guides link to their suite, show its variables with its defaults, and name tables that it has.
func TestGuidesAndTheirSuitesAgree(t *testing.T) {
	for guide, suite := range map[string]string{
		"docs/accepting-a-cluster.md": "hbase-acceptance.yaml",
		"docs/ab-test.md":             "storage-ab.yaml",
		"docs/soak-test.md":           "soak.yaml",
	} {
		t.Run(guide, func(t *testing.T) {
			text := doctable.Read(t, guide)
			require.Contains(t, text, "](../configs/suites/"+suite+")")
			content, err := os.ReadFile(folder + suite)
			require.NoError(t, err)
			var file struct {
				Variables map[string]any
				Tables    []struct{ Title string }
			}
			require.NoError(t, yaml.Unmarshal(content, &file))
			shown := 0
			var titles, named []string
			for _, table := range file.Tables {
				titles = append(titles, table.Title)
			}
			for _, title := range regexp.MustCompile(`\*([A-Z][a-z][^*]+)\*`).FindAllStringSubmatch(text, -1) {
				named = append(named, title[1])
			}
			for _, table := range doctable.Tables(text) {
				if table.Head[0] == "Table" {
					for _, row := range table.Rows {
						named = append(named, strings.Split(strings.Split(row[0], ", `")[0], ", ")...)
					}
				}
				if table.Head[0] != "Variable" {
					continue
				}
				for _, row := range table.Rows {
					defaults := strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ")
					for i, name := range doctable.Names(row[0]) {
						require.Contains(t, file.Variables, name)
						if row[1] != "" {
							require.Equal(t, fmt.Sprint(file.Variables[name]), defaults[i], name)
						}
						shown++
					}
				}
			}
			require.Greater(t, shown, 3)
			require.NotEmpty(t, named)
			require.Subset(t, titles, named, "the tables that the guide names")
		})
	}
}
