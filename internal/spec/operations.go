package spec

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// judgeOperations fails the operations that the target cannot do. It is for what a user hands in: a run that was archived by an
// earlier release is read as it is.
func (j *judge) judgeOperations(s plan.Settings) {
	t := j.target()
	refuse := func(kind workload.Kind, names ...string) {
		if slices.Contains(t.Operations, kind) || !j.sound(append(names, "db")...) {
			return
		}
		can := make([]string, len(t.Operations))
		for i, k := range t.Operations {
			can[i] = k.String()
		}
		j.fail(j.blame(names...), "target %s cannot %s; it can %s", t.Name, kind, strings.Join(can, ", "))
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
