// Package target joins the parts of a system that an agent can put under load: its description, driver, actions and telemetry.
// Each system has a folder of its own, whose package returns its Target; package all lists them.
package target

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/spec"
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
