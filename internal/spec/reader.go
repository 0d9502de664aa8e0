package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// Reader reads submissions, and the properties that they were resolved to, for the targets that it knows. It does not change:
// several goroutines may use it.
type Reader struct{ table table }

// NewReader makes a Reader for targets.
func NewReader(targets ...descriptor.Target) *Reader {
	return &Reader{newTable(targets)}
}

// Targets lists the descriptions of the targets.
func (r *Reader) Targets() descriptor.List { return slices.Clone(r.table.targets) }

// Keys lists every property that is known, by topic.
func (r *Reader) Keys() []property.Key { return slices.Clone(r.table.keys) }
