package coordinator

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/plan"
)

// tableProperty names the table of a target that stores rows.
const tableProperty = "table"

// suiteNeeds lists the privileges that the runs of a suite need, each once.
func suiteNeeds(targets descriptor.List, suite *plan.Suite) []access.Need {
	var needs []access.Need
	add := func(more ...access.Need) {
		for _, n := range more {
			if !slices.Contains(needs, n) {
				needs = append(needs, n)
			}
		}
	}
	for _, one := range suite.Cases {
		if one.Settings.Empties {
			add(access.Need{Privilege: identity.Drop, Object: cmp.Or(one.Properties[tableProperty], everything)})
		}
		for _, a := range one.Settings.Actions {
			if a.Name == plan.Hook {
				add(access.Need{Privilege: identity.Hook, Object: a.Args[plan.HookArg]})
				continue
			}
			add(actionNeeds(targets, one.Settings.DB, a.Name, a.Args, one.Properties)...)
		}
		for _, text := range slices.Concat(one.Settings.AfterLoad, one.Settings.BeforeRun) {
			a := plan.ParseAction(text)
			add(actionNeeds(targets, one.Settings.DB, a.Name, a.Args, one.Properties)...)
		}
	}
	return needs
}

// everything stands for all objects of a privilege: only a grant of * covers it.
const everything = "*"

// actionNeeds lists the privileges that an action on a target needs.
func actionNeeds(targets descriptor.List, target, name string, args, properties map[string]string) []access.Need {
	t, ok := targets.Find(target)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(t.Actions, func(a descriptor.Action) bool { return a.Name == name })
	if i < 0 || !t.Actions[i].NeedsPrivilege(args) {
		return nil
	}
	a := t.Actions[i]
	return []access.Need{{Privilege: a.Privilege, Object: cmp.Or(args[a.Object], properties[a.Object], everything)}}
}
