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
		{Name: plan.AfterLoadProperty, Kind: property.List, Targets: able, Check: betweenCheck(actions, "after a load"), Doc: "actions that the steward runs on the table after a load, separated by commas, and that the next step waits for: " + names},
		{Name: plan.BeforeRunProperty, Kind: property.List, Targets: able, Check: betweenCheck(actions, "before a run"), Doc: "actions that the steward runs on the table before measuring, separated by commas, and that the next step waits for: " + names},
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

// betweenCheck accepts names of actions, also with dashes.
func betweenCheck(actions []string, when string) func(string) (string, error) {
	return func(value string) (string, error) {
		var names []string
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
			if !slices.Contains(actions, name) {
				return "", fmt.Errorf("action %s is not available %s (one of %s)", property.Quote(name), when, strings.Join(actions, ", "))
			}
			names = append(names, name)
		}
		return strings.Join(names, ","), nil
	}
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
		for action := range strings.SplitSeq(e.value, ",") {
			if !slices.Contains(t.Between, action) {
				r.fail(e, "target %s does not support %s between phases; it supports %s", t.Name, action, strings.Join(t.Between, ", "))
			}
		}
	}
}
