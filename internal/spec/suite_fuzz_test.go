package spec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
)

// Any suite file is validated without a panic and within bounds: it becomes cases whose names differ and whose
// settings agents understand, or mistakes that each have a place.
func FuzzSuite(f *testing.F) {
	f.Add([]byte(example), []byte("properties: {fieldcount: 3}\n"), false)
	f.Add([]byte(example), []byte("include: [s.yaml]\n"), true)
	f.Add([]byte("include: [common.yaml]\n"+fine), []byte(example), true)
	for _, text := range []string{
		fine, "", "- a", "a: &a [*a]", "a: &a {<<: *a}", "? [a]\n: b", "<<: [*a]", "scenarios: [{name: a, matrix: {threadcount: [1, ${x}]}}]",
		"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n",
		strings.Repeat("[", 5000), strings.Repeat("- ", 3000) + "a", strings.Repeat("{a: ", 300),
		"scenarios:\n  - name: a\n    matrix: {" + axisOf("threadcount") + ", " + axisOf("recordcount") + "}\n    repeats: 1000\n",
		fine + "tables: [{title: t, scenarios: [a], columns: [threads, read_avg_ms, raed_p99_us, client, x_p98_us, _, '', verify_count]}]\n",
		"scenarios: [{name: a, published: [{raed_avg_us: 1, at: peak, x_text: y, _low: 1}]}]\ntables: [{title: t, scenarios: [a, a], columns: []}, {}, x]\n",
		"variables: {a: \"${a}\"}\nnote: \"$${a} ${a\"\n" + fine,
	} {
		f.Add([]byte(text), []byte(nil), true)
	}
	files, err := filepath.Glob("../../configs/suites/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, "published.yaml") {
			f.Add(content, []byte(nil), true)
		}
	}
	f.Fuzz(func(t *testing.T, content, common []byte, trial bool) {
		s := spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: content}, Trial: trial, Attachments: map[string][]byte{"common.yaml": common}}
		reader().Needs(s)
		suite, _, err := reader().Parse(s)
		if err != nil {
			var problems property.Problems
			require.ErrorAs(t, err, &problems)
			for i, p := range problems {
				require.True(t, p.Place != "" || i == len(problems)-1, p)
			}
			return
		}
		require.NotEmpty(t, suite.Cases)
		seen := make(map[string]bool)
		for i, c := range suite.Cases {
			require.False(t, seen[c.Name], c.Name)
			seen[c.Name] = true
			if i < 20 {
				settings, err := reader().Resolve(c.Properties)
				require.NoError(t, err)
				require.Equal(t, c.Settings, settings)
			}
		}
	})
}
