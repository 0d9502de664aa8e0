package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/target/all"
)

// The documentation's table of actions matches the descriptions: each action with its arguments, its targets, and whether it can
// run between phases.
func TestActionsAreDocumented(t *testing.T) {
	listed := all.Targets()
	var want [][]string
	for _, a := range listed.Reader().Actions() {
		var targets []string
		between := ""
		for _, one := range listed.Descriptors() {
			for _, action := range one.Actions {
				if action.Name == a.Name {
					targets = append(targets, "`"+one.Name+"`")
				}
			}
			if slices.Contains(one.Between, a.Name) {
				between = "yes"
			}
		}
		if targets == nil {
			targets = []string{"all"}
		}
		usage := append([]string{a.Name}, a.Takes...)
		want = append(want, []string{strings.Join(usage, " "), strings.Join(targets, ", "), between})
	}
	var documented [][]string
	for _, row := range doctable.Tables(doctable.Section(doctable.Read(t, "docs/suites.md"), "## Actions"))[0].Rows {
		require.Len(t, row, 4)
		documented = append(documented, []string{usage(row[0]), row[1], row[2]})
	}
	require.ElementsMatch(t, want, documented)
}

// usage returns an action and its positional arguments from a line such as `split [TABLE] [KEY]`, where the arguments are in
// capitals.
func usage(cell string) string {
	words := strings.Fields(strings.Join(doctable.Names(cell), " "))
	arguments := slices.DeleteFunc(words[1:], func(word string) bool { return word != strings.ToUpper(word) || word == "…" })
	for i, word := range arguments {
		arguments[i] = strings.ToLower(strings.Trim(word, "[]"))
	}
	return strings.Join(append(words[:1], arguments...), " ")
}

// The targets that a run watches by default can be watched, and the documentation names them.
func TestTargetsThatAreWatchedAreDocumented(t *testing.T) {
	listed := all.Targets()
	watched := listed.Descriptors().Watched()
	for _, name := range watched {
		require.Contains(t, listed.Sources(), name)
	}
	settings := doctable.Tables(doctable.Section(doctable.Read(t, "docs/telemetry.md"), "## Settings"))[0]
	require.Equal(t, []string{"`telemetry`"}, settings.Rows[0][:1])
	require.ElementsMatch(t, watched, doctable.Names(settings.Rows[0][1]))
}
