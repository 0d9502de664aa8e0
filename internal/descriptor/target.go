package descriptor

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Target describes one kind of system. It is plain data and pure functions: copies are cheap, and may be used by several
// goroutines.
type Target struct {
	// Name is the target's name as property db spells it.
	Name string
	// Aliases are YCSB's names of its bindings for the system and of their classes, which have begun with site.ycsb since 0.15.
	Aliases []string
	// Operations are the kinds of operations that the target can do, in the order in which messages name them.
	Operations []workload.Kind
	// Keys are the properties that the target has beside those of all runs. List fills in their Targets.
	Keys []property.Key
	// Address are the properties that say where the system is. Where is a setting of one of them, for help texts.
	Address []string
	Where   string
	// Site is a file of the system's own configuration that says so, too. Optional.
	Site Site
	// Embedded describes the system that a run can bring with it; its zero value is none. Where there is one, the address that a
	// suite has for another target is not its.
	Embedded Embedded
	// Stores says that the rows of a run are there for the next one, in the table that property table names at Address.
	Stores bool
	// Filling are the properties about the filling of a table. A case that only uses a table does not inherit them from its suite.
	Filling []string
	// Empties reports whether a case with these properties drops the rows that are there. Optional.
	Empties func(property.Values) bool
	// Splits is how the table that a case creates is split, in a word: a number of split points, or file. Optional.
	Splits func(property.Values) string
	// Watched says that the target is watched during a run where property telemetry is not set.
	Watched bool
	// Exclusive are pairs of properties of which a case can have only one.
	Exclusive [][2]string
	// Attachments are the files of the user's that properties name.
	Attachments []Attachment
	// Supplied are properties of cases that set none of them. They belong together.
	Supplied map[string]string
	// Actions are what can be done to the target, in the order in which messages name them. Between are the names of those that
	// can also be done before a run is measured or after a load; they take no arguments then.
	Actions []Action
	Between []string
	// Columns are the figures that the target's facts and telemetry give beside those of every run.
	Columns []Column
	// Report is what reports show of the target beside them.
	Report Report
	// Probe is the action by which an agent looks whether it reaches the target; the answer has a line for each server. Examine
	// says what the facts of a target show. Both are for the doctor, and optional.
	Probe   string
	Examine func(facts map[string]string) Finding
	// Admin introduces the verbs of Actions. Without it the target has no commands below `benchctl admin`.
	Admin Admin
	// Check reports what does not fit together in a case of this target. Each value has been checked by its key. Optional.
	Check func(Case)
}

// Site is a file of a system's own configuration, which a flag of commands names.
type Site struct {
	Flag, Usage string
	// Read makes a properties file of it, whose settings are on the same lines.
	Read func(content []byte) ([]byte, error)
}

// Embedded is a system that a run brings with it.
type Embedded struct {
	// Prefix begins the names of the properties that say what it is like.
	Prefix string
	// Elsewhere is the name of the target for such a system that runs already.
	Elsewhere string
	// Help is a paragraph about it in the help of `benchctl run`.
	Help string
}

// Possible reports whether a run can bring such a system with it.
func (e Embedded) Possible() bool { return e.Prefix != "" }

// Of picks the names of the properties that say what the system is like.
func (e Embedded) Of(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, e.Prefix) })
}

// EmbedsOther names a property by which the systems differ that two cases bring with them, from their resolved properties; or
// none.
func (t Target) EmbedsOther(a, b map[string]string) string {
	for _, k := range t.Keys {
		if strings.HasPrefix(k.Name, t.Embedded.Prefix) && a[k.Name] != b[k.Name] {
			return k.Name
		}
	}
	return ""
}

// Finding is what the doctor found out about a target that answers.
type Finding struct {
	Found string // in words that go on a sentence
	Cure  string // what to do where something is amiss
}

// Attachment is a file of the user's that travels with a submission as the value of a property: neither coordinators nor agents
// have the user's disk.
type Attachment struct {
	File  string                            // the property that names the file
	Into  string                            // the property that has its content
	Parse func(text string) (string, error) // makes the value of the content
}

// Case is what a submission says of a case, for the rules of its target.
type Case interface {
	// Value is the value of a property, or its default.
	Value(name string) string
	// Changed reports whether a property is set to another value than its default.
	Changed(name string) bool
	// Sound reports whether each of the properties has a value that is good by itself.
	Sound(names ...string) bool
	// Fail reports a mistake at the place where a property was set.
	Fail(name, format string, args ...any)
	// Warn reports what the user should know of a property that is good all the same.
	Warn(name, format string, args ...any)
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

// Example returns the target that help texts take for an example: the first that has a setting for them. It is the zero Target
// where none has.
func (l List) Example() Target {
	i := slices.IndexFunc(l, func(t Target) bool { return t.Where != "" })
	if i < 0 {
		return Target{}
	}
	return l[i]
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

// Watched lists the names of the targets that are watched by default.
func (l List) Watched() []string {
	return slices.DeleteFunc(l.Names(), func(name string) bool {
		t, _ := l.Find(name)
		return !t.Watched
	})
}

// Filling lists the properties about the filling of a table, each once.
func (l List) Filling() []string {
	return union(l, func(t Target) []string { return t.Filling }, itself[string])
}

// Exclusive lists the pairs of properties of which a case can have only one, each pair once.
func (l List) Exclusive() [][2]string {
	return union(l, func(t Target) [][2]string { return t.Exclusive }, itself[[2]string])
}

// union joins what targets have, each once: the first of those that have the same key.
func union[T any, K comparable](l List, of func(Target) []T, key func(T) K) []T {
	var all []T
	for _, t := range l {
		for _, one := range of(t) {
			if !slices.ContainsFunc(all, func(other T) bool { return key(other) == key(one) }) {
				all = append(all, one)
			}
		}
	}
	return all
}

func itself[T any](one T) T { return one }

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
