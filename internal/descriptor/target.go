package descriptor

import (
	"slices"

	"github.com/benchd/benchd/internal/property"
)

// Target describes one kind of system. It is plain data and pure functions: copies are cheap, and may be used by several
// goroutines.
type Target struct {
	// Name is the target's name as property db spells it.
	Name string
	// Aliases are YCSB's names of its bindings for the system and of their classes, which have begun with site.ycsb since 0.15.
	Aliases []string
	// Keys are the properties that the target has beside those of all runs. List fills in their Targets.
	Keys []property.Key
}

// List is the targets that a program knows, in the order in which messages name them. Each has a name of its own.
type List []Target

// Find returns the target with a name.
func (l List) Find(name string) (Target, bool) {
	i := slices.IndexFunc(l, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return l[i], true
}

// ByAlias returns the name of the target that YCSB calls by an alias.
func (l List) ByAlias(alias string) (name string, ok bool) {
	i := slices.IndexFunc(l, func(t Target) bool { return slices.Contains(t.Aliases, alias) })
	if i < 0 {
		return "", false
	}
	return l[i].Name, true
}

// Names lists the names of the targets.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i, t := range l {
		names[i] = t.Name
	}
	return names
}

// Keys lists the properties of all targets, each once, with the names of the targets that have it.
func (l List) Keys() []property.Key {
	var keys []property.Key
	index := make(map[string]int)
	for _, t := range l {
		for _, k := range t.Keys {
			i, known := index[k.Name]
			if !known {
				i = len(keys)
				index[k.Name] = i
				k.Targets = nil
				keys = append(keys, k)
			}
			keys[i].Targets = append(keys[i].Targets, t.Name)
		}
	}
	return keys
}
