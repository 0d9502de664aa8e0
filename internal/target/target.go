// Package target is the register of the systems that an agent can put under load. Each has a folder of its own.
package target

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/action"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/watch"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// Target is a kind of system that benchd can put under load.
type Target struct {
	descriptor.Target
	Open  load.Driver
	Act   load.Acting    // nil where nothing can be done to it
	Watch observe.Opener // nil where it cannot be watched
}

// List is the targets that a program has.
type List []Target

// All lists the targets of this build, in the order in which messages name them.
func All() List {
	return List{
		{nullspec.Target(), null.Open, nil, nil},
		{hbasespec.Target(), hbase.Open, action.Open, watch.Open},
		{hbasespec.Sandbox(), hbase.OpenSandbox, action.Sandboxes(), watch.Open},
	}
}

// Descriptors lists what the targets are.
func (l List) Descriptors() descriptor.List {
	list := make(descriptor.List, len(l))
	for i, t := range l {
		list[i] = t.Target
	}
	return list
}

// Reader reads submissions for the targets.
func (l List) Reader() *spec.Reader { return spec.NewReader(l.Descriptors()...) }

// Drivers gives each target's driver by its name.
func (l List) Drivers() map[string]load.Driver {
	drivers := make(map[string]load.Driver, len(l))
	for _, t := range l {
		drivers[t.Name] = t.Open
	}
	return drivers
}

// Actors gives what can be done to each target, by the target's name.
func (l List) Actors() map[string]load.Acting {
	actors := make(map[string]load.Acting)
	for _, t := range l {
		if t.Act != nil {
			actors[t.Name] = t.Act
		}
	}
	return actors
}

// Sources gives what watches each target, by the target's name.
func (l List) Sources() map[string]observe.Opener {
	sources := make(map[string]observe.Opener)
	for _, t := range l {
		if t.Watch != nil {
			sources[t.Name] = t.Watch
		}
	}
	return sources
}

// Names lists the targets' names in alphabetical order.
func (l List) Names() []string { return slices.Sorted(slices.Values(l.Descriptors().Names())) }
