// Package target is the registry of the systems that an agent can put under load. Each has a folder of its own.
package target

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/action"
	"github.com/benchd/benchd/internal/target/hbase/embed"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/watch"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// Target is a kind of system that benchd can put under load.
type Target struct {
	descriptor.Target
	Open  load.Driver
	Act   load.OpenActor // nil if it has no actions
	Watch observe.Opener // nil if it cannot be watched
	Embed load.Embed     // nil if a process cannot embed such a system
}

// List is the targets of a program.
type List []Target

// All lists the targets of this build, in the order in which messages name them.
func All() List {
	return List{
		{Target: nullspec.Target(), Open: null.Open},
		{Target: hbasespec.Target(), Open: hbase.Open, Act: action.Open, Watch: watch.Open},
		{Target: hbasespec.Sandbox(), Open: hbase.OpenSandbox, Act: action.Sandboxes(), Watch: watch.Open, Embed: embed.Open},
	}
}

// Descriptors lists the descriptions of the targets.
func (l List) Descriptors() descriptor.List {
	list := make(descriptor.List, len(l))
	for i, t := range l {
		list[i] = t.Target
	}
	return list
}

// Reader reads submissions for the targets.
func (l List) Reader() *spec.Reader { return spec.NewReader(l.Descriptors()...) }

// Drivers returns the targets' drivers by name.
func (l List) Drivers() map[string]load.Driver {
	drivers := make(map[string]load.Driver, len(l))
	for _, t := range l {
		drivers[t.Name] = t.Open
	}
	return drivers
}

// Actors returns the openers of the targets' actors by name.
func (l List) Actors() map[string]load.OpenActor {
	actors := make(map[string]load.OpenActor)
	for _, t := range l {
		if t.Act != nil {
			actors[t.Name] = t.Act
		}
	}
	return actors
}

// Sources returns the openers of the targets' telemetry by name.
func (l List) Sources() map[string]observe.Opener {
	sources := make(map[string]observe.Opener)
	for _, t := range l {
		if t.Watch != nil {
			sources[t.Name] = t.Watch
		}
	}
	return sources
}

// Find returns the target with a name.
func (l List) Find(name string) (Target, bool) {
	return l.first(func(t Target) bool { return t.Name == name })
}

// Embeddable returns the first target that a process can embed.
func (l List) Embeddable() (Target, bool) {
	return l.first(func(t Target) bool { return t.Embed != nil })
}

func (l List) first(is func(Target) bool) (Target, bool) {
	i := slices.IndexFunc(l, is)
	if i < 0 {
		return Target{}, false
	}
	return l[i], true
}

// Names lists the targets' names in alphabetical order.
func (l List) Names() []string { return slices.Sorted(slices.Values(l.Descriptors().Names())) }
