package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// betweenKeys are the properties of actions between the phases of a run, for the targets that have such actions.
func betweenKeys(targets descriptor.List) []property.Key {
	able, actions := between(targets)
	if len(able) == 0 {
		return nil
	}
	names := strings.Join(actions, ", ")
	return []property.Key{
		{Name: plan.AfterLoadProperty, Kind: property.List, Targets: able, Check: betweenCheck(targets, "after a load"), Doc: "actions that the steward runs on the table after a load, separated by commas, and that the next step waits for: " + names},
		{Name: plan.BeforeRunProperty, Kind: property.List, Targets: able, Check: betweenCheck(targets, "before a run"), Doc: "actions that the steward runs on the table before measuring, separated by commas, and that the next step waits for: " + names},
		{Name: plan.ActionTimeoutProperty, Kind: property.Duration, Targets: able, Default: "1h0m0s", Min: 1, Max: 7 * 86400, Doc: "timeout of each of these actions"},
	}
}

// between returns the targets that have actions between the phases of a run, and the names of these actions.
func between(targets descriptor.List) (able, actions []string) {
	for _, t := range targets {
		if len(t.Between) == 0 {
			continue
		}
		able = append(able, t.Name)
		for _, name := range t.Between {
			if !slices.Contains(actions, name) {
				actions = append(actions, name)
			}
		}
	}
	return able, actions
}

// betweenCheck accepts actions with their arguments, and names also with dashes: "restore name=base,wait-for-quiet".
func betweenCheck(targets descriptor.List, when string) func(string) (string, error) {
	_, able := between(targets)
	all := actionsOf(targets...)
	return func(value string) (string, error) {
		var texts []string
		for text := range strings.SplitSeq(value, ",") {
			words := strings.Fields(text)
			if len(words) == 0 {
				words = []string{""}
			}
			name := strings.ReplaceAll(words[0], "-", "_")
			if !slices.Contains(able, name) {
				return "", fmt.Errorf("action %s is not available %s (one of %s)", property.Quote(name), when, strings.Join(able, ", "))
			}
			kind := descriptor.Action{Name: name}
			if i := slices.IndexFunc(all, func(a descriptor.Action) bool { return a.Name == name }); i >= 0 {
				kind = all[i]
			}
			a, err := parseAction(kind, words[1:])
			if err != nil {
				return "", err
			}
			texts = append(texts, a.String())
		}
		return strings.Join(texts, ","), nil
	}
}

// rowsChanges returns what actions between phases do to the rows of the run's table.
func (v values) rowsChanges(actions []string) []plan.RowsChange {
	kinds := map[descriptor.RowsEffect]plan.RowsKind{
		descriptor.SavesRows: plan.SaveRows, descriptor.RestoresRows: plan.RestoreRows, descriptor.EmptiesTable: plan.EmptyTable,
	}
	var changes []plan.RowsChange
	for _, text := range actions {
		a := plan.ParseAction(text)
		i := slices.IndexFunc(v.target().Actions, func(one descriptor.Action) bool { return one.Name == a.Name })
		if i < 0 || a.Args[descriptor.TableArg] != "" && a.Args[descriptor.TableArg] != v.Text(descriptor.TableArg) {
			continue
		}
		if kind, ok := kinds[v.target().Actions[i].Rows]; ok {
			changes = append(changes, plan.RowsChange{Kind: kind, Snapshot: a.Args[descriptor.SnapshotArg]})
		}
	}
	return changes
}

// validateBetween fails actions that only another target supports between phases.
func (r *resolver) validateBetween() {
	t := r.target()
	if len(t.Between) == 0 {
		return
	}
	for _, name := range []string{plan.AfterLoadProperty, plan.BeforeRunProperty} {
		e, ok := r.given[name]
		if !ok || e.idle() {
			continue
		}
		for text := range strings.SplitSeq(e.value, ",") {
			if action := plan.ParseAction(text).Name; !slices.Contains(t.Between, action) {
				r.fail(e, "target %s does not support %s between phases; it supports %s", t.Name, action, strings.Join(t.Between, ", "))
			}
		}
	}
}
