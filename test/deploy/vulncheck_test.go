package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// `make vulncheck` fails if the code calls a function with a known vulnerability, and names both; vulnerabilities in functions that
// it does not call, and in modules that it does not use, let the step pass. A database that cannot be read is a failure as well.
// The database of testdata has one of each. A package that uses the vulnerable module stands for the programs: it costs a tenth.
func TestFindingFailsTheRelease(t *testing.T) {
	t.Parallel()
	whole, err := filepath.Abs("testdata/vulndb")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		db     string
		fails  bool
		output []string
	}{
		"called":     {whole, true, []string{"Vulnerability #1: GO-0000-0001", "hdrhistogram.Import", "Error 3"}},
		"not called": {without(t, whole, "GO-0000-0001"), false, []string{"No vulnerabilities found.", "1 vulnerability in packages you import"}},
		"no such":    {filepath.Join(t.TempDir(), "none"), true, []string{"no such file or directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := command(t, root, []string{"MAKEFLAGS="}, "make", "vulncheck", "PKG=./internal/latency", "VULNDB=file://"+c.db)
			require.Equal(t, c.fails, err != nil, out)
			for _, text := range c.output {
				require.Contains(t, out, text)
			}
			require.NotContains(t, out, "panic", "a crash is not a finding")
		})
	}
}

// without is a copy of a database whose index lacks an entry.
func without(t *testing.T, db, id string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vulndb")
	require.NoError(t, os.CopyFS(dir, os.DirFS(db)))
	index := filepath.Join(dir, "index", "modules.json")
	text, err := os.ReadFile(index)
	require.NoError(t, err)
	type vuln struct {
		ID       string `json:"id"`
		Modified string `json:"modified"`
	}
	var modules []struct {
		Path  string `json:"path"`
		Vulns []vuln `json:"vulns"`
	}
	require.NoError(t, json.Unmarshal(text, &modules))
	removed := 0
	for i := range modules {
		before := len(modules[i].Vulns)
		modules[i].Vulns = slices.DeleteFunc(modules[i].Vulns, func(v vuln) bool { return v.ID == id })
		removed += before - len(modules[i].Vulns)
	}
	require.Equal(t, 1, removed, "%s is in the index", id)
	text, err = json.Marshal(modules)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(index, text, 0o600))
	return dir
}
