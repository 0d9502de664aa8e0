package suite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec/suite"
)

// FuzzRead checks that reading any file ends within bounds, and that each mistake has a place in one of the files.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"suite: s\nproperties: {db: hbase}\nscenarios:\n  - name: a\n    matrix: {threadcount: [1, 2], agents: [1]}\n    published: [{threads: 1, x: 2.5}]\n",
		"datasets: {d: {load: false}}\ntargets: {A: {}, B: {}}\nscenarios: [{name: a, dataset: d, targets: [A, B], cases: [{x: 1}], actions: [{at: 1s, do: flush}]}]\n",
		"include: [b.yaml]\nvariables: {a: 1}\nnote: \"${a} $${b}\"\ntrial: {scenarios: {a: {repeats: 2}}}\nscenarios: [{name: a}]\n",
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
		"a: &a {<<: *a}", "<<: [{a: 1}, {b: 2}]\n", "? [a]\n: b", strings.Repeat("[", 600), strings.Repeat("- ", 600), "\ta: 1", "a: |\n  b\n c",
	} {
		f.Add([]byte(text), []byte("suite: t\ninclude: [a.yaml]\n"), true)
		f.Add([]byte(text), []byte("properties: {x: 1}\n"), false)
	}
	f.Fuzz(func(t *testing.T, content, included []byte, trial bool) {
		in := suite.Input{Name: "a.yaml", Content: content, Attachments: map[string][]byte{"b.yaml": included}, Trial: trial}
		s, mistakes := suite.Read(in)
		require.LessOrEqual(t, len(s.Cases), suite.MaxCases)
		for _, m := range mistakes {
			require.Regexp(t, `^[ab]\.yaml:\d+:\d+$`, m.At.String())
			require.NotEmpty(t, m.Text)
		}
		again, _ := suite.Read(in)
		require.Len(t, again.Cases, len(s.Cases))
	})
}

func TestAliasesAreExpandedWithinBounds(t *testing.T) {
	var text strings.Builder
	text.WriteString("a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n")
	for i := 1; i < 10; i++ {
		n, before := string(rune('0'+i)), string(rune('0'+i-1))
		text.WriteString("a" + n + ": &a" + n + " [" + strings.TrimSuffix(strings.Repeat("*a"+before+", ", 10), ", ") + "]\n")
	}
	_, mistakes := suite.Read(suite.Input{Name: "a.yaml", Content: []byte(text.String())})
	require.NotEmpty(t, mistakes)
	found := false
	for _, m := range mistakes {
		found = found || strings.HasPrefix(m.Text, "the suite has more than 200000 values")
	}
	require.True(t, found, mistakes[0].Text)
}
