package spec

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// validateOperations fails operations that the target does not support. It applies to submissions only: runs that an earlier
// release archived are read as they are.
func (r *resolver) validateOperations(s plan.Settings) {
	t := r.target()
	refuse := func(kind workload.Kind, names ...string) {
		if slices.Contains(t.Operations, kind) || !r.sound(append(names, "db")...) {
			return
		}
		can := make([]string, len(t.Operations))
		for i, k := range t.Operations {
			can[i] = k.String()
		}
		r.fail(r.blame(names...), "target %s does not support %s; it supports %s", t.Name, kind, strings.Join(can, ", "))
	}
	if s.Load {
		refuse(workload.Insert, "phase")
	}
	if !s.Run {
		return
	}
	for _, share := range s.Workload.Proportions.Shares() {
		if share.Value > 0 {
			refuse(share.Kind, share.Property)
		}
	}
}
