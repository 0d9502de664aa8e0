package spec

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// Reader reads submissions and resolved properties for a set of targets. It is immutable and safe for concurrent use.
type Reader struct{ table table }

// NewReader makes a Reader for targets.
func NewReader(targets ...descriptor.Target) *Reader {
	return &Reader{newTable(targets)}
}

// Targets returns the descriptions of the targets.
func (r *Reader) Targets() descriptor.List { return slices.Clone(r.table.targets) }

// Keys returns all known properties, grouped by topic.
func (r *Reader) Keys() []property.Key { return slices.Clone(r.table.keys) }
