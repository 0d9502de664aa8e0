package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// betweenKeys are the properties of what is done to the target between the phases of a run, by targets to which something can
// be done then.
func betweenKeys(targets descriptor.List) []property.Key {
	able, actions := between(targets)
	if len(able) == 0 {
		return nil
	}
	names := strings.Join(actions, ", ")
	return []property.Key{
		{Name: plan.AfterLoadProperty, Kind: property.List, Targets: able, Check: betweenCheck(actions, "after a load"), Doc: "what the steward does to the table when it is loaded, with commas, and what follows waits for: " + names},
		{Name: plan.BeforeRunProperty, Kind: property.List, Targets: able, Check: betweenCheck(actions, "before a run"), Doc: "what the steward does to the table before anything is measured, with commas, and what follows waits for: " + names},
		{Name: plan.ActionTimeoutProperty, Kind: property.Duration, Targets: able, Default: "1h0m0s", Min: 1, Max: 7 * 86400, Doc: "how long each of these may take"},
	}
}

// between are the targets to which something can be done between the phases of a run, and the names of what can.
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

// betweenCheck accepts names of actions, with dashes too.
func betweenCheck(actions []string, when string) func(string) (string, error) {
	return func(value string) (string, error) {
		var names []string
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
			if !slices.Contains(actions, name) {
				return "", fmt.Errorf("%s is nothing that can be done %s; there is %s", property.Quote(name), when, strings.Join(actions, ", "))
			}
			names = append(names, name)
		}
		return strings.Join(names, ","), nil
	}
}

// judgeBetween fails actions that only another target can do between phases.
func (j *judge) judgeBetween() {
	t := j.target()
	if len(t.Between) == 0 {
		return
	}
	for _, name := range []string{plan.AfterLoadProperty, plan.BeforeRunProperty} {
		e, ok := j.given[name]
		if !ok || e.idle() {
			continue
		}
		for action := range strings.SplitSeq(e.value, ",") {
			if !slices.Contains(t.Between, action) {
				j.fail(e, "target %s cannot %s between phases; it takes %s", t.Name, action, strings.Join(t.Between, ", "))
			}
		}
	}
}
