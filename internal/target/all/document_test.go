package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/target/all"
)

// own reports whether the page of a target has a section.
func own(t *testing.T, name, heading string) bool {
	t.Helper()
	page := "docs/" + name + ".md"
	return doctable.Exists(t, page) && doctable.Section(doctable.Read(t, page), heading) != ""
}

// The page of a target has a table of all its properties.
func TestPropertiesAreDocumented(t *testing.T) {
	pages := 0
	for _, one := range all.Targets() {
		page := "docs/" + one.Name + ".md"
		if !doctable.Marks(t, page, "properties") {
			continue
		}
		pages++
		table := doctable.Table{Head: []string{"Property", "Default", "Description"}}
		for _, k := range one.Keys {
			if k.Status != "" {
				continue
			}
			byDefault, doc := "", k.Doc
			if k.Default != "" {
				byDefault = "`" + k.Default + "`"
			}
			if len(k.Values) > 0 {
				doc += ": " + strings.Join(k.Values, ", ")
			}
			table.Rows = append(table.Rows, []string{"`" + k.Name + "`", byDefault, doc})
		}
		doctable.Generated(t, page, "properties", table, *update)
		sameInChinese(t, one.Name, table.Rows)
	}
	require.Greater(t, pages, 4)
}

// sameInChinese requires that the Chinese page of a target, if there is one, has the same properties with the same defaults.
func sameInChinese(t *testing.T, name string, want [][]string) {
	t.Helper()
	page := "docs/zh/" + name + ".md"
	if !doctable.Exists(t, page) {
		return
	}
	tables := doctable.Tables(doctable.Section(doctable.Read(t, page), "## 属性"))
	require.NotEmpty(t, tables, page)
	require.Len(t, tables[0].Rows, len(want), page)
	for i, row := range tables[0].Rows {
		require.Equal(t, want[i][:2], row[:2], page)
	}
}

// The documentation's tables of actions match the descriptions: each action with its arguments, its targets, and whether it can run between
// phases. A target whose page has a section about its actions has the table there, without the column of targets.
func TestActionsAreDocumented(t *testing.T) {
	listed := all.Targets()
	var want [][]string
	for _, a := range listed.Reader().Actions() {
		var targets []string
		known, between := false, ""
		for _, one := range listed.Descriptors() {
			if !slices.ContainsFunc(one.Actions, func(other descriptor.Action) bool { return other.Name == a.Name }) {
				continue
			}
			if known = true; own(t, one.Name, "## Actions") {
				continue
			}
			targets = append(targets, "`"+one.Name+"`")
			if slices.Contains(one.Between, a.Name) {
				between = betweenPhases(a)
			}
		}
		switch {
		case !known:
			targets = []string{"all"}
		case targets == nil:
			continue
		}
		want = append(want, []string{usageOf(a), strings.Join(targets, ", "), between})
	}
	require.ElementsMatch(t, want, documented(t, "docs/suites.md"))
	for _, one := range listed.Descriptors() {
		if !own(t, one.Name, "## Actions") {
			continue
		}
		want = nil
		for _, a := range one.Actions {
			if !a.AdminOnly {
				between := map[bool]string{true: betweenPhases(a)}[slices.Contains(one.Between, a.Name)]
				want = append(want, []string{usageOf(a), between})
			}
		}
		require.ElementsMatch(t, want, documented(t, "docs/"+one.Name+".md"), one.Name)
	}
}

// betweenPhases is the entry of an action that can run between phases.
func betweenPhases(a descriptor.Action) string {
	if a.Idle {
		return "only"
	}
	return "yes"
}

func usageOf(a descriptor.Action) string {
	return strings.Join(append([]string{a.Name}, a.Takes...), " ")
}

// documented returns the table of actions of a document, without their meanings.
func documented(t *testing.T, document string) (rows [][]string) {
	t.Helper()
	table := doctable.Tables(doctable.Section(doctable.Read(t, document), "## Actions"))[0]
	for _, row := range table.Rows {
		require.Len(t, row, len(table.Head))
		rows = append(rows, append([]string{usage(row[0])}, row[1:len(row)-1]...))
	}
	return rows
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

// Targets that a run watches by default can be watched, and the documentation names them, or their pages have a section about that.
func TestTargetsThatAreWatchedAreDocumented(t *testing.T) {
	listed := all.Targets()
	var named []string
	for _, name := range listed.Descriptors().Watched() {
		require.Contains(t, listed.Sources(), name)
		if !own(t, name, "## Telemetry") {
			named = append(named, name)
		}
	}
	settings := doctable.Tables(doctable.Section(doctable.Read(t, "docs/telemetry.md"), "## Settings"))[0]
	require.Equal(t, []string{"`telemetry`"}, settings.Rows[0][:1])
	require.ElementsMatch(t, named, doctable.Names(settings.Rows[0][1]))
}
